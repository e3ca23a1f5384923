import { collectionToJson } from '../kernel/collections/collection-json.js';
import type { Collection } from '../kernel/collections/collection.js';
import type { FieldDefinition } from '../kernel/fields/field-definition.js';
import type { EntityDifferences, MigrationStatement } from './entity-differences.js';
import type { FieldsChange, MigrationOptions } from './migration-app.js';

type Json = Readonly<Record<string, unknown>>;

/** What `migrate create` writes. */
export const EMPTY_MIGRATION = `export async function up(app) {
  // What is to change: app.collections, app.records, app.settings, app.sql(query, params)
}

export async function down(app) {
  // How to take it back
}
`;

/**
 * A file that makes the tables what the entities say; undefined when they are. SQLite cannot change a column, so that
 * the table is made anew: dropping the old one must not take along the rows that refer to it, and renaming must not
 * change what others refer to.
 */
export function entitiesText({ up, down }: EntityDifferences): string | undefined {
  if (up.length === 0) return undefined;
  const makesAnew = [...up, ...down].some(({ query }) => / TABLE "temporary_/.test(query));
  if (!makesAnew) return bothWays(up.map(sqlCall), down.map(sqlCall));
  const calls = (statements: readonly MigrationStatement[]) => [
    "  await app.sql('PRAGMA legacy_alter_table = ON');",
    ...statements.map(sqlCall),
    "  await app.sql('PRAGMA legacy_alter_table = OFF');",
  ];
  return `// Tables are made anew.\nexport const withoutForeignKeys = true;\n\n${bothWays(calls(up), calls(down))}`;
}

function bothWays(up: readonly string[], down: readonly string[]): string {
  return `export async function up(app) {
${up.join('\n')}
}

export async function down(app) {
${down.join('\n')}
}
`;
}

function sqlCall({ query, parameters = [] }: MigrationStatement): string {
  const text = /[`\\]|\$\{/.test(query) ? JSON.stringify(query) : `\`${query}\``;
  return `  await app.sql(${text}${parameters.length > 0 ? `, ${JSON.stringify(parameters)}` : ''});`;
}

/**
 * A file that imports these collections without deleting others (OPS-186); a new installation has the same ones then
 * (OPS-189), without what it has of its own. They were in force as they are, so nothing
 * of them is judged again; a view whose query does not run says which fields it had.
 */
export function snapshotText(collections: readonly Collection[], brokenViews: readonly Collection[]): string {
  const definitions = collections.map((collection) =>
    brokenViews.includes(collection) ? withFields(collection) : toPortable(collection),
  );
  const names = brokenViews.map(({ name }) => name).join(', ');
  const remark = names && `\n  // The queries of these views did not run and give no records until mended: ${names}`;
  return `export async function up(app) {${remark}
  await app.collections.import(${indented(definitions)}, { asBefore: true, fromStart: true });
}
`;
}

/** A file that makes the same change again and takes it back (OPS-188); undefined when nothing worth it changed. */
export function changeText(before: Collection | undefined, after: Collection | undefined): string | undefined {
  const up = step(before, after);
  const down = step(after, before, { asBefore: true });
  if (up === undefined || down === undefined) return undefined;
  return `export async function up(app) {
  ${up}
}

export async function down(app) {
  ${down}
}
`;
}

function step(
  from: Collection | undefined,
  to: Collection | undefined,
  options?: MigrationOptions,
): string | undefined {
  const last = options ? ', { asBefore: true }' : '';
  if (to === undefined) return `await app.collections.delete(${JSON.stringify(from!.id)}${last});`;
  const lastFields = options && to.isView ? { fields: to.fields } : {};
  if (from === undefined)
    return `await app.collections.save(${indented({ ...toPortable(to), ...lastFields })}${last});`;
  const change = difference(from, to);
  if (Object.keys(change).length === 0) return undefined;
  return `await app.collections.change(${JSON.stringify(to.id)}, ${indented({ ...change, ...lastFields })}${last});`;
}

/**
 * A collection as another installation can take it: no times, no OAuth2 providers and no secrets. The fields of a view
 * follow from its query.
 */
function toPortable(collection: Collection): Json {
  const { created: _created, updated: _updated, options: _options, ...json } = collectionToJson(collection);
  if (collection.isView) delete json['fields'];
  const oauth2 = json['oauth2'] as Json | undefined;
  if (!oauth2) return json;
  const { providers: _providers, ...portable } = oauth2;
  return { ...json, oauth2: portable };
}

/** With the fields that its query had when it could run. */
function withFields(view: Collection): Json {
  return { ...toPortable(view), fields: view.fields };
}

function difference(from: Collection, to: Collection): Record<string, unknown> {
  const { fields: _before, ...before } = toPortable(from);
  const { fields: _after, ...after } = toPortable(to);
  const change: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(after)) {
    if (JSON.stringify(before[key]) !== JSON.stringify(value)) change[key] = value;
  }
  const fields = to.isView ? undefined : fieldsDifference(from, to);
  return fields ? { ...change, fields } : change;
}

function fieldsDifference(from: Collection, to: Collection): FieldsChange | undefined {
  const remove = from.fields.filter(({ id }) => !to.fieldById(id)).map(({ id }) => id);
  const save = to.fields.flatMap((field, at) => {
    const before = from.fieldById(field.id);
    if (!before) return [{ at, ...field }];
    return sameField(before, field) ? [] : [field];
  });
  if (remove.length === 0 && save.length === 0) return undefined;
  return { ...(remove.length > 0 && { remove }), ...(save.length > 0 && { save }) };
}

function sameField(one: FieldDefinition, other: FieldDefinition): boolean {
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...keys].every((key) => JSON.stringify(one[key]) === JSON.stringify(other[key]));
}

/** JSON is JavaScript; the lines after the first stand one level deeper. */
function indented(value: unknown): string {
  return JSON.stringify(value, null, 2).replaceAll('\n', '\n  ');
}
