/** Content that can be read piece by piece and in any order: a file on disk, or bytes in memory. */
export interface ByteSource {
  readonly size: number;
  /** Up to `length` bytes from `offset` on; fewer only where the content ends. */
  read(offset: number, length: number): Promise<Uint8Array>;
}

/** Bytes in memory as a source. */
export function bytesSource(bytes: Uint8Array): ByteSource {
  return {
    size: bytes.length,
    read: (offset, length) => Promise.resolve(bytes.subarray(offset, offset + length)),
  };
}
