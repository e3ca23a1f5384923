import fc from 'fast-check';

type Json = Record<string, unknown>;

/** A field of the model; options beside id, name and type. */
interface ModelField {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly options: Json;
}

/** A base or auth collection. */
export interface ModelTable {
  readonly id: string;
  readonly name: string;
  readonly type: 'base' | 'auth';
  readonly fields: readonly ModelField[];
  /** Ids of the fields with an index of their own. */
  readonly indexed: ReadonlySet<string>;
}

/** A view over a table or over another view; `from` is the id of a field there, or the name of a column. */
export interface ModelView {
  readonly id: string;
  readonly name: string;
  readonly source: string;
  readonly columns: readonly { readonly from: string; readonly as: string }[];
}

/** A schema as a test thinks of it: everything by id, so that names can change places freely. */
export interface SchemaModel {
  readonly tables: readonly ModelTable[];
  readonly views: readonly ModelView[];
}

/** A random decision; numbers choose among whatever there is. */
export interface Step {
  readonly kind:
    | 'addTable'
    | 'dropTable'
    | 'addView'
    | 'rotateNames'
    | 'renameTable'
    | 'addField'
    | 'dropField'
    | 'renameField'
    | 'swapFields'
    | 'multiply'
    | 'options'
    | 'index';
  readonly at: number;
  readonly field: number;
  readonly other: number;
  readonly name: string;
}

const TYPES: readonly (readonly [string, Json])[] = [
  ['text', { max: 100 }],
  ['number', {}],
  ['bool', {}],
  ['json', {}],
  ['geoPoint', {}],
  ['date', {}],
  ['email', {}],
  ['url', {}],
  ['editor', {}],
  ['select', { values: ['a', 'b', 'c'], maxSelect: 1 }],
  ['select', { values: ['a', 'b', 'c'], maxSelect: 3 }],
  ['file', { maxSelect: 1 }],
  ['file', { maxSelect: 4 }],
  ['relation', { maxSelect: 1 }],
  ['relation', { maxSelect: 5 }],
];
const MULTIPLIABLE = new Set(['select', 'file', 'relation']);
const NAMES = ['a', 'A', 'b', 'c', 'order', 'select', 'group', 'x1', '_y', 'Table'];

const KINDS: readonly Step['kind'][] = [
  'addTable',
  'dropTable',
  'addView',
  'rotateNames',
  'renameTable',
  'addField',
  'dropField',
  'renameField',
  'swapFields',
  'multiply',
  'options',
  'index',
];

export const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    kind: fc.constantFrom(...KINDS),
    at: fc.nat(50),
    field: fc.nat(50),
    other: fc.nat(50),
    name: fc.constantFrom(...NAMES),
  }),
  { minLength: 2, maxLength: 8 },
);

/** Three tables that point to each other in a circle, one of them with accounts, and views over views. */
export function firstModel(run: number): SchemaModel {
  const id = (index: number) => `run${run}_table${index}`;
  const tables = [0, 1, 2].map((index): ModelTable => {
    const fields = TYPES.map(([type, options], position) => ({
      id: `f${position}`,
      name: `f${position}`,
      type,
      options: type === 'relation' ? { ...options, collectionId: id((index + position) % 3) } : options,
    }));
    return { id: id(index), name: `t${run}_${index}`, type: index === 1 ? 'auth' : 'base', fields, indexed: new Set() };
  });
  const view = (index: number, source: string, columns: ModelView['columns']): ModelView => {
    return { id: `run${run}_view${index}`, name: `v${run}_${index}`, source, columns };
  };
  const all = TYPES.map((_, position) => ({ from: `f${position}`, as: `c${position}` }));
  return {
    tables,
    views: [
      view(0, id(0), all),
      view(1, `run${run}_view0`, [
        { from: 'c9', as: 'kind' },
        { from: 'c1', as: 'n' },
      ]),
      view(2, `run${run}_view1`, [{ from: 'kind', as: 'again' }]),
    ],
  };
}

/** The model after one decision; the same one where that means nothing. */
export function applied(model: SchemaModel, step: Step, unique: number): SchemaModel {
  const table = model.tables[step.at % model.tables.length]!;
  const field = table.fields[step.field % Math.max(1, table.fields.length)];
  const other = table.fields[step.other % Math.max(1, table.fields.length)];
  const withTable = (change: Partial<ModelTable>): SchemaModel => ({
    ...model,
    tables: model.tables.map((each) => (each === table ? { ...each, ...change } : each)),
  });
  const withFields = (change: (each: ModelField) => Partial<ModelField>): SchemaModel =>
    withTable({ fields: table.fields.map((each) => ({ ...each, ...change(each) })) });

  switch (step.kind) {
    case 'addTable': {
      const name = `${step.name}_${unique}`;
      const first = { id: 'f0', name: step.name, type: 'text', options: {} };
      const added: ModelTable = { id: `added${unique}`, name, type: 'base', fields: [first], indexed: new Set() };
      return { ...model, tables: [...model.tables, added] };
    }
    case 'dropTable':
      return model.tables.length < 3 ? model : withoutTable(model, table);
    case 'addView':
      return addView(model, step, unique);
    case 'rotateNames': {
      const owners = [...model.tables, ...model.views];
      const by = 1 + (step.other % Math.max(1, owners.length - 1));
      const nameOf = new Map(owners.map((owner, index) => [owner.id, owners[(index + by) % owners.length]!.name]));
      return {
        tables: model.tables.map((each) => ({ ...each, name: nameOf.get(each.id)! })),
        views: model.views.map((each) => ({ ...each, name: nameOf.get(each.id)! })),
      };
    }
    case 'renameTable':
      return withTable({ name: step.other % 3 === 0 ? table.name.toUpperCase() : `${step.name}_${unique}` });
    case 'addField': {
      if (isTaken(table, step.name)) return model;
      const [type, options] = TYPES[step.field % TYPES.length]!;
      const target = model.tables[step.other % model.tables.length]!.id;
      const added = { id: `n${unique}`, name: step.name, type };
      const all = type === 'relation' ? { ...options, collectionId: target } : options;
      return withTable({ fields: [...table.fields, { ...added, options: all }] });
    }
    case 'dropField':
      return field ? withoutFields(model, table, new Set([field.id])) : model;
    case 'renameField':
      if (!field || isTaken(table, step.name, field)) return model;
      return withFields((each) => (each === field ? { name: step.name } : {}));
    case 'swapFields':
      if (!field || !other) return model;
      return withFields((each) => (each === field ? { name: other.name } : each === other ? { name: field.name } : {}));
    case 'multiply': {
      const many = table.fields.filter(({ type }) => MULTIPLIABLE.has(type));
      const chosen = many[step.field % Math.max(1, many.length)];
      const maxSelect = [0, 1, 2, 3][step.other % 4];
      return withFields((each) => (each === chosen ? { options: { ...each.options, maxSelect } } : {}));
    }
    case 'options':
      return withFields((each) =>
        each === field ? { options: { ...each.options, help: step.name, presentable: true } } : {},
      );
    case 'index': {
      if (!field) return model;
      const indexed = new Set(table.indexed);
      if (!indexed.delete(field.id)) indexed.add(field.id);
      return withTable({ indexed });
    }
  }
}

/** The model as the body of an import. */
export function toCollections({ tables, views }: SchemaModel): Json[] {
  const nameOf = new Map([...tables, ...views].map(({ id, name }) => [id, name]));
  const bodies = tables.map(({ id, name, type, fields, indexed }): Json => {
    const own = fields.map((field) => ({
      id: `${field.id}_${id}`,
      name: field.name,
      type: field.type,
      ...field.options,
    }));
    const indexes = fields
      .filter((field) => indexed.has(field.id))
      .map((field) => `CREATE INDEX \`idx_${id}_${field.id}\` ON \`x\` (\`${field.name}\`)`);
    return { id, name, type, listRule: '', fields: own, indexes };
  });
  const queries = views.map(({ id, name, source, columns }): Json => {
    const table = tables.find((each) => each.id === source);
    const shown = columns.map(({ from, as }) => {
      const column = table ? table.fields.find((field) => field.id === from)!.name : from;
      return `, s."${column}" AS "${as}"`;
    });
    return { id, name, type: 'view', viewQuery: `SELECT s.id${shown.join('')} FROM "${nameOf.get(source)}" s` };
  });
  // Whatever the order is: views before what they read, too.
  return [...queries.toReversed(), ...bodies];
}

/** The field of a table that a column of a view shows, through all views between. */
export function shownField(model: SchemaModel, view: ModelView, as: string): { table: ModelTable; field: ModelField } {
  const { from } = view.columns.find((column) => column.as === as)!;
  const table = model.tables.find(({ id }) => id === view.source);
  if (table) return { table, field: table.fields.find(({ id }) => id === from)! };
  return shownField(
    model,
    model.views.find(({ id }) => id === view.source)!,
    from,
  );
}

function isTaken(table: ModelTable, name: string, except?: ModelField): boolean {
  const reserved = ['id', 'created', 'updated'];
  return (
    reserved.includes(name.toLowerCase()) ||
    table.fields.some((field) => field !== except && field.name.toLowerCase() === name.toLowerCase())
  );
}

function addView(model: SchemaModel, step: Step, unique: number): SchemaModel {
  const sources = [...model.tables, ...model.views];
  const source = sources[step.at % sources.length]!;
  const names = 'columns' in source ? source.columns.map(({ as }) => as) : source.fields.map(({ id }) => id);
  const columns = names.slice(0, 1 + (step.field % 6)).map((from, index) => ({ from, as: `k${index}` }));
  return {
    ...model,
    views: [...model.views, { id: `view${unique}`, name: `view_${unique}`, source: source.id, columns }],
  };
}

function withoutTable(model: SchemaModel, table: ModelTable): SchemaModel {
  let left: SchemaModel = { ...model, tables: model.tables.filter((each) => each !== table) };
  for (const each of left.tables) {
    const pointing = each.fields.filter(({ options }) => options.collectionId === table.id).map(({ id }) => id);
    left = withoutFields(
      left,
      left.tables.find(({ id }) => id === each.id)!,
      new Set(pointing),
    );
  }
  const gone = new Set([table.id]);
  for (const view of left.views) if (gone.has(view.source)) gone.add(view.id);
  return { ...left, views: left.views.filter(({ id }) => !gone.has(id)) };
}

/** Fields go, and the columns of views that show them. Views only read what stands before them in the list. */
function withoutFields(model: SchemaModel, table: ModelTable, ids: ReadonlySet<string>): SchemaModel {
  const fields = table.fields.filter(({ id }) => !ids.has(id));
  const indexed = new Set([...table.indexed].filter((id) => !ids.has(id)));
  const lost = new Map<string, ReadonlySet<string>>([[table.id, ids]]);
  const views = model.views.map((view) => {
    const columns = view.columns.filter(({ from }) => !lost.get(view.source)?.has(from));
    lost.set(view.id, new Set(view.columns.filter((column) => !columns.includes(column)).map(({ as }) => as)));
    return { ...view, columns };
  });
  return { tables: model.tables.map((each) => (each === table ? { ...each, fields, indexed } : each)), views };
}
