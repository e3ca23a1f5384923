import { Injectable } from '@nestjs/common';
import {
  type BodyLimit,
  type BodyTerms,
  DATA_JSON_LIMITS,
  DEFAULT_BODY_BYTES,
  type PartTerms,
} from '../../http/body/body-limit.js';
import type { RoostRequest } from '../../http/request/roost-request.js';
import type { Collection } from '../../kernel/collections/collection.js';
import { type FileDefinition, FileField } from '../../kernel/fields/file-field.js';

/** What a record body may hold: 32 MiB and what the collection's fields can take besides (REC-13, FS-16). */
@Injectable()
export class RecordBodyLimit implements BodyLimit {
  private readonly cache = new WeakMap<Collection, BodyTerms>();

  terms(request: RoostRequest): BodyTerms {
    return this.of(request.collection!);
  }

  /** The terms of any collection; made once per version of it. */
  of(collection: Collection): BodyTerms {
    let terms = this.cache.get(collection);
    if (!terms) {
      terms = toTerms(collection);
      this.cache.set(collection, terms);
    }
    return terms;
  }
}

function toTerms(collection: Collection): BodyTerms {
  let maxBytes = DEFAULT_BODY_BYTES;
  const keys = new Set(collection.fields.map(({ name }) => name));
  const parts = new Map<string, PartTerms>();
  for (const field of collection.fields) {
    const type = collection.typeOf(field);
    maxBytes += type.bodyAllowance?.(field) ?? 0;
    if (!(type instanceof FileField)) continue;
    const definition = field as FileDefinition;
    const part = { maxBytes: type.maxSizeOf(definition), maxFiles: Math.max(1, definition.maxSelect) + 1 };
    for (const key of [field.name, `${field.name}+`, `+${field.name}`]) parts.set(key, part);
  }
  return { maxBytes, json: { ...DATA_JSON_LIMITS, keys }, part: (key) => parts.get(key) ?? null };
}
