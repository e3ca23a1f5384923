import { MAX_THUMB_SIDE, thumbSides, type ThumbSize } from '../kernel/files/thumb-size.js';
import type { ImageMetadata } from './image-process.js';

/**
 * What all images that are being decoded may take together, with their thumbnails. An image that takes more by itself,
 * and is no AVIF, is not processed: a progressive or interlaced one is in memory as a whole before its first line is known.
 */
export const MAX_DECODED = 192 * 1024 * 1024;

/** What an image takes that is decoded line by line. */
const LINES = 16 * 1024 * 1024;

/**
 * What a pixel of an AVIF takes while it is decoded, in bytes, as it was measured, with 8 bits of each colour and with
 * more: its planes, those of the frames they are made of, and the picture in two forms.
 */
const AVIF_PIXEL = { narrow: 20, wide: 27 };

/** What one AVIF may take, 12 megapixels of 8 bits. One beyond the budget is decoded alone. */
const MAX_AVIF = 240 * 1024 * 1024;

/**
 * What a pixel of a thumbnail takes while it is written, in bytes, as it was measured: the codes of a JPEG are chosen when
 * all of it is known. A PNG is written line by line.
 */
const WRITTEN_PIXEL: Readonly<Record<string, number>> = { jpeg: 6, webp: 5, gif: 10, heif: 24 };

/**
 * The bytes that a thumbnail takes while it is made of an image whose file has so many bytes, at most `MAX_DECODED`. Throws
 * when it would be too large, or take too much.
 */
export function thumbnailBytes(image: ImageMetadata, fileBytes: number, size: ThumbSize): number {
  const { width, height } = thumbSides(size, image.autoOrient);
  if (Math.max(width, height) > MAX_THUMB_SIDE) throw new Error('The thumbnail would be too large.');
  const decoded = decodedBytes(image, fileBytes);
  if (decoded > (image.format === 'heif' ? MAX_AVIF : MAX_DECODED)) {
    throw new Error('The image takes too much memory.');
  }
  return Math.min(decoded + width * height * (WRITTEN_PIXEL[image.format] ?? 0), MAX_DECODED);
}

/** What decoding an image takes of which the file has so many bytes. */
function decodedBytes(metadata: ImageMetadata, bytes: number): number {
  // A JPEG may have texts between its pixels, which are kept.
  return pixelBytes(metadata) + (metadata.format === 'jpeg' ? bytes : 0);
}

function pixelBytes({ width, height, channels, depth, format, isProgressive, orientation = 1 }: ImageMetadata): number {
  const isLineByLine = (format === 'jpeg' || format === 'png') && isProgressive !== true && orientation === 1;
  if (isLineByLine) return LINES;
  if (format === 'heif') {
    return Math.max(LINES, width * height * (depth === 'uchar' ? AVIF_PIXEL.narrow : AVIF_PIXEL.wide));
  }
  // A progressive JPEG keeps two bytes for each sample until the last pass.
  const sample = format === 'jpeg' || depth === 'ushort' || depth === 'short' ? 2 : depth === 'uchar' ? 1 : 4;
  return Math.max(LINES, width * height * Math.max(channels, 3) * sample);
}
