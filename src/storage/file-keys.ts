/** Where the files of a collection are (FS-30). The id and not the name, so that renaming moves nothing. */
export function collectionFolder(collectionId: string): string {
  return `${collectionId}/`;
}

/** Where the files of a record are. */
export function recordFolder(collectionId: string, recordId: string): string {
  return `${collectionId}/${recordId}/`;
}

export function fileKey(collectionId: string, recordId: string, fileName: string): string {
  return `${collectionId}/${recordId}/${fileName}`;
}

/** Where the thumbnails of a file are. */
export function thumbsFolder(key: string): string {
  const { folder, name } = split(key);
  return `${folder}thumbs_${name}/`;
}

/** The key of one thumbnail (FS-31). */
export function thumbKey(key: string, size: string): string {
  return `${thumbsFolder(key)}${size}_${split(key).name}`;
}

/** The file a thumbnail was made of; undefined for what is no thumbnail. */
export function fileOfThumb(key: string): string | undefined {
  const [, folder, original] = /^(.*\/)thumbs_([^/]+)\/[^/]+$/.exec(key) ?? [];
  return original === undefined ? undefined : folder! + original;
}

/** The parts of a key or folder; those it does not have are empty. */
export function parseKey(key: string): {
  readonly collectionId: string;
  readonly recordId: string;
  readonly fileName: string;
} {
  const [collectionId = '', recordId = '', ...rest] = key.split('/');
  return { collectionId, recordId, fileName: rest.join('/') };
}

/** Throws when a key could mean anything but a file below the root of a storage (FS-41). */
export function requireSafeKey(key: string): void {
  const isSafe = !/[\\\0]/.test(key) && key.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
  if (!isSafe) throw new Error(`Not a storage key: ${JSON.stringify(key)}`);
}

/** Throws like `requireSafeKey` when this is not the name of a folder, with its slash at the end. */
export function requireSafeFolder(folder: string): void {
  if (!folder.endsWith('/')) throw new Error(`Not a storage folder: ${JSON.stringify(folder)}`);
  requireSafeKey(folder.slice(0, -1));
}

function split(key: string): { folder: string; name: string } {
  const slash = key.lastIndexOf('/') + 1;
  return { folder: key.slice(0, slash), name: key.slice(slash) };
}
