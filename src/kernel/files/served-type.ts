const INLINE: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpg',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
  'image/x-icon',
  'image/bmp',
  'video/webm',
  'video/mp4',
  'video/3gpp',
  'video/quicktime',
  'video/x-ms-wmv',
  'audio/basic',
  'audio/aiff',
  'audio/mpeg',
  'audio/midi',
  'audio/mp3',
  'audio/wave',
  'audio/wav',
  'audio/x-wav',
  'audio/x-mpeg',
  'audio/x-m4a',
  'audio/aac',
  'application/pdf',
  'application/x-pdf',
]);

const BY_EXTENSION: Readonly<Record<string, string>> = {
  svg: 'image/svg+xml',
  css: 'text/css',
  js: 'text/javascript',
  mjs: 'text/javascript',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
};

/** True when browsers may show a file stored with this type (FS-67). SVG and HTML can run scripts and never are. */
export function isInlineType(storedType: string): boolean {
  return INLINE.has(storedType);
}

/**
 * The Content-Type of a file: the stored type, or for a few extensions the type they are known for (FS-66). What
 * browsers show is what its content says, whatever it is called: a picture named `.svg` or `.js` stays a picture
 * (OPS-33a).
 */
export function servedType(storedType: string, fileName: string): string {
  if (isInlineType(storedType)) return storedType;
  const extension = /\.(\w+)$/.exec(fileName)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(BY_EXTENSION, extension) ? BY_EXTENSION[extension]! : storedType;
}
