/** The entity tag and date of one version of a file. */
export interface Validators {
  /** A strong entity tag, in its quotes. */
  readonly etag: string;
  readonly modified: Date;
}

interface Headers {
  readonly [name: string]: string | string[] | undefined;
}

/** True when the client has this version already, so that 304 is enough (FS-70). */
export function isFresh(headers: Headers, { etag, modified }: Validators): boolean {
  const noneMatch = headers['if-none-match'];
  if (typeof noneMatch === 'string') {
    // Weak comparison: the tag of a copy that a proxy has compressed still names the same file.
    return noneMatch.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag);
  }
  if (headers['if-modified-since'] === undefined) return false;
  const since = Date.parse(String(headers['if-modified-since']));
  return !Number.isNaN(since) && inSeconds(modified.getTime()) <= inSeconds(since);
}

/** True when a Range header may be heeded: there is no condition on it, or the client has a part of this version. */
export function allowsRange(headers: Headers, { etag, modified }: Validators): boolean {
  const condition = headers['if-range'];
  if (typeof condition !== 'string') return true;
  if (/^(W\/)?"/.test(condition)) return condition === etag;
  return inSeconds(Date.parse(condition)) === inSeconds(modified.getTime());
}

/** HTTP dates know no fractions. */
function inSeconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}
