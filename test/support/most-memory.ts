/** A process whose heap has so many bytes after a file runs no other: what files leave behind adds up. */
export const MOST_MEMORY = 512 * 1024 * 1024;
