/** Types offered for file fields; any other may be typed. */
export const MIME_TYPES: string[] = [
  'image/jpeg',
  'image/png',
  'image/gif',
  'image/webp',
  'image/avif',
  'image/svg+xml',
  'video/mp4',
  'video/webm',
  'video/quicktime',
  'audio/mpeg',
  'audio/ogg',
  'audio/wav',
  'audio/mp4',
  'audio/x-m4a',
  'application/pdf',
  'application/zip',
  'application/x-7z-compressed',
  'application/x-rar-compressed',
  'application/gzip',
  'application/x-tar',
  'application/json',
  'text/plain',
  'text/csv',
  'text/tab-separated-values',
  'text/calendar',
  'text/vcard',
  'text/html',
  'application/xml',
  'application/geo+json',
  'application/gpx+xml',
  'application/vnd.google-earth.kml+xml',
  'model/gltf-binary',
  'application/msword',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'application/vnd.ms-excel',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  'application/epub+zip',
];

/** Values of a list that go together. */
export interface Preset {
  readonly label: string;
  readonly values: readonly string[];
}

/** Types that are wanted together. */
export const MIME_PRESETS: readonly Preset[] = [
  {
    label: 'Images',
    values: ['image/jpeg', 'image/png', 'image/gif', 'image/webp', 'image/avif', 'image/svg+xml'],
  },
  {
    label: 'Documents',
    values: [
      'application/pdf',
      'text/plain',
      'text/csv',
      'application/msword',
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
      'application/vnd.ms-excel',
      'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      'application/vnd.openxmlformats-officedocument.presentationml.presentation',
    ],
  },
  { label: 'Videos', values: ['video/mp4', 'video/webm', 'video/quicktime'] },
  { label: 'Audio', values: ['audio/mpeg', 'audio/ogg', 'audio/wav', 'audio/mp4', 'audio/x-m4a'] },
  {
    label: 'Archives',
    values: [
      'application/zip',
      'application/x-7z-compressed',
      'application/x-rar-compressed',
      'application/gzip',
      'application/x-tar',
    ],
  },
];

/** A list with the values of a preset, or without them where it has them all. */
export function withPreset(list: readonly string[], { values }: Preset): string[] {
  const hasAll = values.every((each) => list.includes(each));
  return hasAll ? list.filter((each) => !values.includes(each)) : [...new Set([...list, ...values])];
}
