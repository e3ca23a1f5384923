import { LOWER_ALPHANUMERIC, randomText } from '../ids.js';
import { usualExtension } from './file-extension.js';

const LONGEST_NAME = 300;
const LONGEST_EXTENSION = 20;
const SHORTEST_BASE = 3;
const LONGEST_BASE = 100;
const RANDOM_LENGTH = 10;
/** The ending of the sidecars that local storage keeps beside files. */
const RESERVED_EXTENSION = '.attrs';

/** A file name as a client sent it, without the directories some clients put before it. */
export function withoutDirectory(sentName: string): string {
  return sentName.slice(Math.max(sentName.lastIndexOf('/'), sentName.lastIndexOf('\\')) + 1);
}

/**
 * The name under which an upload is stored (FS-25): what is harmless of the name it was sent with, and a random
 * suffix. Different for every call. `draw` makes random text of a length.
 */
export function storedFileName(
  sentName: string,
  mimeType: string,
  draw: (length: number) => string = drawText,
): string {
  const name = [...withoutDirectory(sentName)].slice(-LONGEST_NAME).join('');
  const rawExtension = extensionOf(name);
  const base = baseOf(name.slice(0, name.length - rawExtension.length), draw);
  const extension = cleanExtension(rawExtension, mimeType);
  const stored = `${base}_${draw(RANDOM_LENGTH)}${extension}`;
  return stored.endsWith(RESERVED_EXTENSION) ? `${stored}_` : stored;
}

function drawText(length: number): string {
  return randomText(length, LOWER_ALPHANUMERIC);
}

/** From the last dot on, or from the one before it, so that `.tar.gz` stays together. */
function extensionOf(name: string): string {
  const last = name.lastIndexOf('.');
  if (last === -1) return '';
  const before = last === 0 ? -1 : name.lastIndexOf('.', last - 1);
  return name.slice(before === -1 ? last : before);
}

function cleanExtension(raw: string, mimeType: string): string {
  const clean = withDot(raw.replace(/[^\w.*\-+=#]/g, ''));
  const extension = clean === '' ? usualExtension(mimeType) : clean;
  return extension.length > LONGEST_EXTENSION ? withDot(extension.slice(-LONGEST_EXTENSION)) : extension;
}

function withDot(extension: string): string {
  const trimmed = withoutOuterDots(extension);
  return trimmed === '' ? '' : `.${trimmed}`;
}

function baseOf(raw: string, draw: (length: number) => string): string {
  const base = snakeCase(withoutOuterDots(raw));
  return base.length < SHORTEST_BASE ? base + draw(RANDOM_LENGTH) : base.slice(0, LONGEST_BASE);
}

function snakeCase(text: string): string {
  return text
    .split(/[^0-9A-Za-z]+/)
    .filter((word) => word !== '')
    .map((word) => word.replace(/([^A-Z])(?=[A-Z])/g, '$1_'))
    .join('_')
    .toLowerCase();
}

function withoutOuterDots(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && text[start] === '.') start++;
  while (end > start && text[end - 1] === '.') end--;
  return text.slice(start, end);
}
