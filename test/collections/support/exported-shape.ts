type Json = Record<string, unknown>;

/** Access rules in the order list, view, create, update, delete. */
export type Rules = readonly [string | null, string | null, string | null, string | null, string | null];

/** A collection as a person would note it down. */
export interface Note {
  readonly name: string;
  /** Fields, separated by commas: see `parseFields`. For a view its query. */
  readonly is: string;
  readonly type?: 'base' | 'auth' | 'view';
  readonly rules?: Rules;
  readonly indexes?: readonly string[];
  /** Options of an auth collection, in the shape of the export. */
  readonly options?: Json;
}

interface NotedField {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly options: Json;
}

const CLOSED: Rules = [null, null, null, null, null];

/** As PocketBase exports since 0.23: `fields` with all options beside the names, system fields among them. */
export function exportedNow(prefix: string, notes: readonly Note[]): Json[] {
  return notes.map((note) => {
    const common = { ...head(prefix, note), indexes: note.indexes ?? [] };
    if (note.type === 'view') return { ...common, viewQuery: note.is, fields: [] };
    const fields = parseFields(prefix, note.is).map(({ name, type, required, options }) => {
      const own = { id: `${type}_${name}`, name, type, system: false, hidden: false, presentable: false, required };
      return { ...own, ...options };
    });
    const autodate = (name: string, onUpdate: boolean): Json => {
      return { id: `autodate_${name}`, name, type: 'autodate', system: false, hidden: false, onCreate: true, onUpdate };
    };
    const format = { min: 15, max: 15, pattern: '^[a-z0-9]+$', autogeneratePattern: '[a-z0-9]{15}' };
    const id = { id: 'text3208210256', name: 'id', type: 'text', system: true, required: true, primaryKey: true };
    const all = [{ ...id, ...format }, ...fields, autodate('created', false), autodate('updated', true)];
    return { ...common, fields: all, ...note.options };
  });
}

/** As PocketBase exported before 0.23: `schema` with nested `options`, and nothing of the system fields. */
export function exportedBefore(prefix: string, notes: readonly Note[]): Json[] {
  return notes.map((note) => {
    const common = { ...head(prefix, note), indexes: note.indexes ?? [] };
    if (note.type === 'view') return { ...common, schema: [], options: { query: note.is } };
    const schema = parseFields(prefix, note.is).map(({ name, type, required, options }) => {
      const own = { id: `${name}_old`, name, type, system: false, required, presentable: false, unique: false };
      return { ...own, options: oldOptions(type, options) };
    });
    return { ...common, schema, options: note.options ?? {} };
  });
}

function oldOptions(type: string, { onlyInt, ...options }: Json): Json {
  if (type === 'number') return { min: null, max: null, noDecimal: onlyInt };
  if (type === 'relation') return { ...options, minSelect: null, displayFields: null };
  if (type === 'editor') return { convertUrls: false };
  return options;
}

function head(prefix: string, { name, type = 'base', rules = CLOSED }: Note): Json {
  const [listRule, viewRule, createRule, updateRule, deleteRule] = rules;
  const dates = { created: '2024-05-01 10:00:00.000Z', updated: '2024-06-01 10:00:00.000Z' };
  const own = { id: `${prefix}_${name}`, name, type, system: false, ...dates };
  return { ...own, listRule, viewRule, createRule, updateRule, deleteRule };
}

/**
 * `title!` a required text, `views:int` another type, `author>users` one record, `tags>>tags` several,
 * `post>!posts` one that takes this record along, `state=a|b` one of these, `days==mo|tu` several.
 */
function parseFields(prefix: string, text: string): NotedField[] {
  return text.split(',').map((part) => {
    const [, name = '', mark = '', rest = ''] = /^\s*(\w+)(!|:|>!|>>|>|==|=)?(.*?)\s*$/.exec(part)!;
    const field = (type: string, options: Json = {}): NotedField => {
      return { name, type, required: mark === '!', options };
    };
    const relation = (maxSelect: number, cascadeDelete = false): NotedField =>
      field('relation', { collectionId: `${prefix}_${rest}`, cascadeDelete, minSelect: 0, maxSelect });
    const values = rest.split('|');
    if (mark === '>') return relation(1);
    if (mark === '>!') return relation(1, true);
    if (mark === '>>') return relation(999);
    if (mark === '=') return field('select', { values, maxSelect: 1 });
    if (mark === '==') return field('select', { values, maxSelect: values.length });
    if (mark !== ':') return field('text', { min: 0, max: 0, pattern: '' });
    if (rest === 'int') return field('number', { min: null, max: null, onlyInt: true });
    if (rest === 'number') return field('number', { min: null, max: null, onlyInt: false });
    const file = { maxSize: 5_242_880, mimeTypes: ['image/png', 'image/jpeg'], thumbs: ['100x100'], protected: false };
    if (rest === 'file') return field('file', { ...file, maxSelect: 1 });
    if (rest === 'files') return field('file', { ...file, maxSelect: 20 });
    if (rest === 'editor') return field('editor', { maxSize: 0, convertURLs: false });
    return field(rest, rest === 'json' ? { maxSize: 2_000_000 } : {});
  });
}
