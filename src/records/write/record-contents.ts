import { Injectable } from '@nestjs/common';
import { CollectionStore } from '../../collections/collection-store.js';
import { parseBodyKey } from '../../kernel/fields/value-modifiers.js';
import type { Upload } from '../../kernel/files/upload.js';
import type { RecordInput } from '../../kernel/records/record-input.js';
import { type FileContent, isFileContent, Uploads } from '../../storage/uploads.js';

/** Values as code gives them: files among them are what they contain. */
interface GivenInput {
  /** Name or id of the collection. */
  readonly collection: string;
  readonly values: Readonly<Record<string, unknown>>;
  readonly files: ReadonlyMap<string, readonly Upload[]>;
}

/** Takes contents for file fields straight from the values that code gives: a File, a Blob, a Buffer (EXT-27). */
@Injectable()
export class RecordContents {
  constructor(
    private readonly store: CollectionStore,
    private readonly uploads: Uploads,
  ) {}

  /** Calls `work` with the contents as uploads. Those that no record has taken by its end are gone after it. */
  async asUploads<T>(given: GivenInput, work: (input: RecordInput) => T | Promise<T>): Promise<T> {
    const contents = this.contentsOf(given);
    if (contents.size === 0) return work({ values: given.values, files: given.files });
    const made: Upload[] = [];
    try {
      const values = { ...given.values };
      const files = new Map(given.files);
      for (const [key, { kept, fresh, name }] of contents) {
        const uploads: Upload[] = [];
        for (const content of fresh) {
          const upload = await this.uploads.create(content, nameOf(content, name));
          uploads.push(upload);
          made.push(upload);
        }
        files.set(key, [...(files.get(key) ?? []), ...uploads]);
        if (kept.length > 0) values[key] = kept;
        else delete values[key];
      }
      return await work({ values, files });
    } finally {
      for (const upload of made) await this.uploads.dispose(upload);
    }
  }

  private contentsOf({ collection, values }: GivenInput): ReadonlyMap<string, Contents> {
    const contents = new Map<string, Contents>();
    for (const [key, value] of Object.entries(values)) {
      const items: readonly unknown[] = Array.isArray(value) ? value : [value];
      if (!items.some(isFileContent)) continue;
      const target = this.store.catalog.find(collection);
      const field = target?.field(key) ?? target?.field(parseBodyKey(key)?.name ?? '');
      if (!field || !target!.typeOf(field).holdsFiles) continue;
      const kept = items.filter((item) => !isFileContent(item));
      contents.set(key, { name: field.name, kept, fresh: items.filter(isFileContent) });
    }
    return contents;
  }
}

interface Contents {
  /** The name of the field, because bytes have no file name. */
  readonly name: string;
  /** The other values of the field: names of files that stay. */
  readonly kept: readonly unknown[];
  readonly fresh: readonly FileContent[];
}

function nameOf(content: FileContent, name: string): string {
  return content instanceof File && content.name !== '' ? content.name : name;
}
