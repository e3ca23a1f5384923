import type { Upload } from '../kernel/files/upload.js';

/** `requests.<index>.<field>` or `requests[<index>].<field>` (BAT-4). */
const FILE_KEY = /^requests(?:\.(\d+)|\[(\d+)\])\.(.+)$/s;

/** Files of one item by body key, such as `cover` or `docs+`. */
export type ItemFiles = ReadonlyMap<string, readonly Upload[]>;

/** The body key of a file part and the item it belongs to; undefined for parts that are no item's. */
export function parseFileKey(key: string): { readonly index: number; readonly field: string } | undefined {
  const match = FILE_KEY.exec(key);
  return match ? { index: Number(match[1] ?? match[2]), field: match[3]! } : undefined;
}

/** The files of a form by item. Both spellings of one key are one key, the files in the order they are listed. */
export function groupFiles(files: ItemFiles): ReadonlyMap<number, ItemFiles> {
  const items = new Map<number, Map<string, readonly Upload[]>>();
  for (const [key, uploads] of files) {
    const place = parseFileKey(key);
    if (!place) continue;
    const item = items.get(place.index) ?? new Map<string, readonly Upload[]>();
    items.set(place.index, item.set(place.field, [...(item.get(place.field) ?? []), ...uploads]));
  }
  return items;
}
