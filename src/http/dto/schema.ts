/** A JSON schema as it stands in the document. */
export type Schema = Readonly<Record<string, unknown>>;

/** Refers to a schema of the document by its name. */
export function ref(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

/** An object with these properties; all of them are required unless `optional` names them. */
export function object(properties: Record<string, Schema>, optional: readonly string[] = []): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', properties, ...(required.length > 0 ? { required } : {}) };
}

/** An object of which nothing is required. */
export function partial(properties: Record<string, Schema>): Schema {
  return object(properties, Object.keys(properties));
}

export function listOf(items: Schema): Schema {
  return { type: 'array', items };
}

/** A page of a list, in the envelope every list has. */
export function pageOf(items: Schema): Schema {
  return object({ page: INTEGER, perPage: INTEGER, totalItems: INTEGER, totalPages: INTEGER, items: listOf(items) });
}

export const TEXT: Schema = { type: 'string' };
export const SECRET: Schema = { type: 'string', format: 'password' };
export const INTEGER: Schema = { type: 'integer' };
export const NUMBER: Schema = { type: 'number' };
export const FLAG: Schema = { type: 'boolean' };
export const ANYTHING: Schema = {};
export const FREE_OBJECT = { type: 'object', additionalProperties: true } as const satisfies Schema;

/** Stands for the record, and for what a client sends of one, of the collection an operation is repeated for. */
export const RECORD: Schema = ref('{record}');
export const RECORD_INPUT: Schema = ref('{recordInput}');
