import type { Stats } from 'node:fs';

/** What tells one state of a file on disk from any other; a change of content or name changes one of these. */
export type FileIdentity = Pick<Stats, 'ino' | 'size' | 'ctimeMs'>;

/** Copies these properties only, because stats are large. */
export function identityOf({ ino, size, ctimeMs }: FileIdentity): FileIdentity {
  return { ino, size, ctimeMs };
}

export function isSameFile(one: FileIdentity, other: FileIdentity): boolean {
  return one.ino === other.ino && one.size === other.size && one.ctimeMs === other.ctimeMs;
}
