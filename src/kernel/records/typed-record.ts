import type { RecordModel } from './record-model.js';

/** Names of fields. Where the fields are one collection's or another's, the names of both. */
type FieldName<Fields> = Fields extends unknown ? keyof Fields & string : never;

/** What a field holds in a record. Answers may leave it out (`?`), a record has it in any case. */
type FieldValue<Fields, Name> = Fields extends unknown
  ? Name extends keyof Fields
    ? Exclude<Fields[Name], undefined>
    : never
  : never;

/** Keys that change a value instead of setting it, and those of accounts that are in no answer. */
type OtherKey<Name extends string> =
  `${Name}${'+' | '-' | ':autogenerate'}` | `+${Name}` | 'password' | 'passwordConfirm' | 'oldPassword' | 'tokenKey';

/**
 * A record whose fields are known to TypeScript (EXT-24). At run time it is any RecordModel: nothing is checked, and
 * what has no type, such as a password, is `unknown`.
 */
export interface TypedRecord<Fields> extends RecordModel {
  get<Name extends FieldName<Fields>>(name: Name): FieldValue<Fields, Name>;
  get(name: string): unknown;
  original<Name extends FieldName<Fields>>(name: Name): FieldValue<Fields, Name>;
  original(name: string): unknown;
}

/** Names of the collections in a map such as the generated `Collections`. Of an unknown map, any name. */
export type CollectionName<Collections> = unknown extends Collections ? string : keyof Collections & string;

/** A record of a collection in such a map. Of several collections, one or the other's. */
export type RecordOf<Collections, Name> = unknown extends Collections
  ? RecordModel
  : TypedRecord<Collections[Name & keyof Collections]>;

/** What is written to such a record: fields, null for none, and fields with a modifier. */
export type ValuesOf<Collections, Name> = unknown extends Collections
  ? Readonly<Record<string, unknown>>
  : Values<Collections[Name & keyof Collections]>;

type Values<Fields> = {
  readonly [Name in FieldName<Fields>]?: FieldValue<Fields, Name> | null;
} & {
  readonly [Key in OtherKey<FieldName<Fields>>]?: unknown;
};
