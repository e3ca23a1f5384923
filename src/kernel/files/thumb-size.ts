/** The size every image can be had in, whether listed or not. */
const DEFAULT_THUMB_SIZE = '100x100';

/** Longest side of a thumbnail, in pixels (FS-85). */
export const MAX_THUMB_SIDE = 8192;

/** What to do with an image, in the words of an image library. Without a side the aspect decides it. */
export interface ThumbSize {
  readonly width?: number;
  readonly height?: number;
  /** `cover` fills the size and crops, `inside` keeps everything. */
  readonly fit: 'cover' | 'inside';
  /** The part that stays when something is cropped. */
  readonly position: 'centre' | 'top' | 'bottom';
  /** False when a smaller image stays as it is. */
  readonly enlarge: boolean;
}

const FORM = /^(\d+)x(\d+)([tbf]?)$/;
const POSITIONS = { '': 'centre', t: 'top', b: 'bottom', f: 'centre' } as const;

/** True for `WxH`, `WxHt`, `WxHb`, `WxHf`, whatever the numbers. */
export function isThumbSizeText(text: string): boolean {
  return FORM.test(text);
}

/** True for `0x0` with any suffix, which says nothing. */
export function isZeroThumbSize(text: string): boolean {
  return /^0x0[tbf]?$/.test(text);
}

/** What a size asks for (FS-82); undefined when it is none or is too large to be made. */
export function parseThumbSize(text: string): ThumbSize | undefined {
  const [, w, h, suffix] = FORM.exec(text) ?? [];
  const width = Number(w);
  const height = Number(h);
  if (w === undefined || (width === 0 && height === 0)) return undefined;
  if (width > MAX_THUMB_SIDE || height > MAX_THUMB_SIDE) return undefined;
  if (width === 0) return { height, fit: 'cover', position: 'centre', enlarge: true };
  if (height === 0) return { width, fit: 'cover', position: 'centre', enlarge: true };
  const fit = suffix === 'f' ? 'inside' : 'cover';
  return { width, height, fit, position: POSITIONS[suffix as keyof typeof POSITIONS], enlarge: fit === 'cover' };
}

/** The sides, in pixels, of what a size makes of an image at most: one that is not asked for follows the aspect. */
export function thumbSides(
  { width, height }: ThumbSize,
  image: { readonly width: number; readonly height: number },
): { readonly width: number; readonly height: number } {
  return {
    width: width ?? (height! * image.width) / image.height,
    height: height ?? (width! * image.height) / image.width,
  };
}

/** True when a field with these `thumbs` serves this size: it is the default one or literally listed (FS-80). */
export function offersThumbSize(thumbs: readonly string[] | null, size: string): boolean {
  return size === DEFAULT_THUMB_SIZE || (thumbs?.includes(size) ?? false);
}

const THUMB_SOURCES: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpeg',
  'image/jpg',
  'image/gif',
  'image/webp',
  'image/avif',
]);

/** True when thumbnails are made of files stored with this type (FS-80). */
export function hasThumbs(storedType: string): boolean {
  return THUMB_SOURCES.has(storedType);
}
