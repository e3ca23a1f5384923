import { Injectable } from '@nestjs/common';
import {
  type BodyLimit,
  type BodyLimits,
  DATA_JSON_LIMITS,
  DEFAULT_BODY_BYTES,
  type PartLimits,
} from '../../http/body/body-limit.js';
import type { RoostRequest } from '../../http/request/roost-request.js';
import type { Collection } from '../../kernel/collections/collection.js';
import { type FileDefinition, FileField } from '../../kernel/fields/file-field.js';

/** What a record body may hold: 32 MiB and what the collection's fields can take besides (REC-13, FS-16). */
@Injectable()
export class RecordBodyLimit implements BodyLimit {
  private readonly cache = new WeakMap<Collection, BodyLimits>();

  limits(request: RoostRequest): BodyLimits {
    return this.of(request.collection!);
  }

  /** The limits of any collection; made once per version of it. */
  of(collection: Collection): BodyLimits {
    let limits = this.cache.get(collection);
    if (!limits) {
      limits = toLimits(collection);
      this.cache.set(collection, limits);
    }
    return limits;
  }
}

function toLimits(collection: Collection): BodyLimits {
  let maxBytes = DEFAULT_BODY_BYTES;
  const keys = new Set(collection.fields.map(({ name }) => name));
  const parts = new Map<string, PartLimits>();
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
