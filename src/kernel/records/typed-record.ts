import type { RecordModel } from './record-model.js';

/**
 * What `roost types` says about a collection besides its fields, under a key that no field can have. Maps that were
 * written by hand may leave it out.
 */
export interface TypeNotes {
  /** Names of the fields that a new record must have. */
  readonly required?: string;
  /** What fields take besides what is read from them. */
  readonly inputs?: object;
  /** The collections that expand steps lead to; in an array those of which there may be several records. */
  readonly expand?: object;
}

type NotesKey = '$types';
type NotesOf<Fields> = Fields extends { readonly $types?: infer Notes } ? Exclude<Notes, undefined> : never;
type Note<Fields, Name extends keyof TypeNotes> =
  NotesOf<Fields> extends { readonly [Key in Name]: infer Value } ? Value : never;

/** Names of fields. Where the fields are one collection's or another's, the names of both. */
type FieldName<Fields> = Fields extends unknown ? Exclude<keyof Fields & string, NotesKey> : never;

/** What a field holds in a record. Answers may leave it out (`?`), a record has it in any case. */
type FieldValue<Fields, Name> = Fields extends unknown
  ? Name extends keyof Fields
    ? Exclude<Fields[Name], undefined>
    : never
  : never;

/** Keys that change a value instead of setting it, and those of accounts that are in no answer. */
type OtherKey<Name extends string> =
  `${Name}${'+' | '-' | ':autogenerate'}` | `+${Name}` | 'password' | 'passwordConfirm' | 'oldPassword' | 'tokenKey';

/** What a field takes besides its own values. */
type OtherInput<Fields, Name> = Name extends keyof Note<Fields, 'inputs'> ? Note<Fields, 'inputs'>[Name] : never;

/** The related records by step of an expand path, where nothing is known about the path. */
type AnyExpand = RecordModel['expand'];

/**
 * A record whose fields are known to TypeScript (EXT-24). At run time it is any RecordModel: nothing is checked, and
 * what has no type, such as a password, is `unknown`.
 */
export interface TypedRecord<Fields, Expand extends AnyExpand = AnyExpand> extends RecordModel {
  expand: Expand;
  get<Name extends FieldName<Fields>>(name: Name): FieldValue<Fields, Name>;
  get(name: string): unknown;
  original<Name extends FieldName<Fields>>(name: Name): FieldValue<Fields, Name>;
  original(name: string): unknown;
}

/** Names of the collections in a map such as the generated `Collections`. Of an unknown map, any name. */
export type CollectionName<Collections> = unknown extends Collections ? string : keyof Collections & string;

/**
 * A record of a collection in such a map. Of several collections, one or the other's. `Paths` is what it was expanded
 * with, as in the `expand` parameter, where that is known as a literal.
 */
export type RecordOf<Collections, Name, Paths extends string = string> = unknown extends Collections
  ? RecordModel
  : TypedRecord<Collections[Name & keyof Collections], ExpandOf<Collections, Name, Paths>>;

/** What is written to such a record: fields, null for none, and fields with a modifier. */
export type ValuesOf<Collections, Name> = unknown extends Collections
  ? Readonly<Record<string, unknown>>
  : Values<Collections[Name & keyof Collections]>;

/** What a new record is made of: as `ValuesOf`, with the fields that are required. */
export type NewValuesOf<Collections, Name> = unknown extends Collections
  ? Readonly<Record<string, unknown>>
  : NewValues<Collections[Name & keyof Collections]>;

type Values<Fields> = {
  readonly [Name in FieldName<Fields>]?: FieldValue<Fields, Name> | OtherInput<Fields, Name> | null;
} & {
  readonly [Key in OtherKey<FieldName<Fields>>]?: unknown;
};

type NewValues<Fields> = Values<Fields> & {
  readonly [Name in Note<Fields, 'required'> & string]: Name extends FieldName<Fields>
    ? FieldValue<Fields, Name> | OtherInput<Fields, Name>
    : string;
};

/** The paths of an expand parameter, without the blanks around them. */
type PathsOf<Text extends string> = Text extends `${infer First},${infer Rest}`
  ? Trimmed<First> | PathsOf<Rest>
  : Trimmed<Text>;
type Trimmed<Text extends string> = Text extends ` ${infer Rest}`
  ? Trimmed<Rest>
  : Text extends `${infer Rest} `
    ? Trimmed<Rest>
    : Text;
type FirstStep<Path extends string> = Path extends `${infer Step}.${string}` ? Step : Path;
/** What of the paths lies behind a step; nothing known is expanded behind the last. */
type Behind<Path extends string, Step extends string> = Path extends `${Step}.${infer Rest}` ? Rest : never;

type ExpandOf<Collections, Name, Text extends string> = string extends Text
  ? AnyExpand
  : Expanded<Collections, Note<Collections[Name & keyof Collections], 'expand'>, PathsOf<Text>>;

type Expanded<Collections, Targets, Path extends string> = [Targets] extends [never]
  ? AnyExpand
  : | {
        readonly [Step in FirstStep<Path> & keyof Targets & string]?: Related<
          Collections,
          Targets[Step],
          Behind<Path, Step>
        >;
      }
    | undefined;

type Related<Collections, Target, Path extends string> = Target extends readonly (infer Each)[]
  ? readonly RelatedRecord<Collections, Each, Path>[]
  : RelatedRecord<Collections, Target, Path>;

type RelatedRecord<Collections, Name, Path extends string> = TypedRecord<
  Collections[Name & keyof Collections],
  [Path] extends [never]
    ? AnyExpand
    : Expanded<Collections, Note<Collections[Name & keyof Collections], 'expand'>, Path>
>;
