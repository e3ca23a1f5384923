export type FileKind = 'image' | 'video' | 'audio' | 'pdf' | 'other';

const KINDS: readonly (readonly [FileKind, RegExp])[] = [
  ['image', /\.(jpe?g|png|gif|webp|avif|svg|bmp|ico)$/i],
  ['video', /\.(mp4|webm|ogv|mov|m4v)$/i],
  ['audio', /\.(mp3|ogg|oga|wav|m4a|aac|flac|opus)$/i],
  ['pdf', /\.pdf$/i],
];

/** What can be shown of a file, judged by its name. The server judges contents; this only picks a viewer. */
export function fileKind(name: string): FileKind {
  return KINDS.find(([, pattern]) => pattern.test(name))?.[0] ?? 'other';
}

export function isImageName(name: string): boolean {
  return fileKind(name) === 'image';
}

/** Bytes for people. */
export function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const units = ['KiB', 'MiB', 'GiB', 'TiB'];
  let value = bytes;
  let unit = -1;
  do {
    value /= 1024;
    unit += 1;
  } while (value >= 1024 && unit < units.length - 1);
  return `${value < 10 ? Number(value.toFixed(1)) : Math.round(value)} ${units[unit]}`;
}
