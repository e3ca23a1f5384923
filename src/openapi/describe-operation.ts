import type { Collection } from '../kernel/collections/collection.js';
import { KNOWN_OPERATIONS, type KnownOperation, RECORD, RECORD_INPUT } from './known-operations.js';
import { schemaNames } from './record-schemas.js';
import type { RouteMarks } from './route-scanner.js';
import { FREE_OBJECT, ref, type Schema, TEXT } from './schema.js';

/** An operation of the document. */
export type Operation = Record<string, unknown>;

interface Route {
  /** The path as it is declared, `{collection}` included. */
  readonly path: string;
  readonly method: string;
  /** What the scan found. */
  readonly operation: Operation;
  readonly marks: RouteMarks | undefined;
  /** The collection this is repeated for. */
  readonly collection?: Collection | undefined;
}

/**
 * The scanned operation completed by what is known of it. What the scan found about a team's own routes (their Swagger
 * decorators) is kept.
 */
export function describeOperation(route: Route): Operation {
  const { path, method, operation, marks, collection } = route;
  const known = KNOWN_OPERATIONS[`${method} ${path}`];
  const described: Operation = {
    ...operation,
    ...(known ? { summary: known.summary } : {}),
    operationId: collection ? `${collection.name}.${String(operation['operationId'])}` : operation['operationId'],
    tags: operation['tags'] ?? [tagOf(path, collection)],
    parameters: parametersOf(route, known),
    responses: responsesOf(operation, known),
    ...(marks?.requiredAuth ? { security: [{ token: [] }] } : {}),
    ...(collection && !marks?.requiredAuth ? { security: [{}, { token: [] }] } : {}),
  };
  const body = known?.body ?? (marks?.readsBody && !operation['requestBody'] && !known ? FREE_OBJECT : undefined);
  if (body) described['requestBody'] = { required: true, content: contentOf(body, known?.uploads) };
  return collection ? forCollection(described, collection) : described;
}

function tagOf(path: string, collection: Collection | undefined): string {
  return collection?.name ?? path.split('/').filter((part) => part !== 'api' && part !== '')[0] ?? 'api';
}

function contentOf(schema: Schema, uploads: true | undefined): Record<string, unknown> {
  return { 'application/json': { schema }, ...(uploads ? { 'multipart/form-data': { schema } } : {}) };
}

function parametersOf({ path, operation, collection }: Route, known: KnownOperation | undefined): unknown[] {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);
  const inPath = names
    .filter((name) => name !== 'collection' || !collection)
    .map((name) => ({ name, in: 'path', required: true, schema: TEXT }));
  const found = ((operation['parameters'] ?? []) as { name: string; in: string }[]).filter(
    (parameter) => parameter.in !== 'path',
  );
  const picked = known?.answer && !known.media ? { fields: TEXT } : {};
  const inQuery = Object.entries({ ...known?.query, ...picked }).map(([name, schema]) => ({
    name,
    in: 'query',
    schema,
  }));
  return [...inPath, ...found, ...inQuery];
}

function responsesOf(operation: Operation, known: KnownOperation | undefined): Record<string, unknown> {
  const responses: Record<string, unknown> = {};
  for (const [status, response] of Object.entries((operation['responses'] ?? {}) as Record<string, Operation>)) {
    const description = response['description'] || (status === '204' ? 'Done.' : 'The answer.');
    const answer = known?.answer && status !== '204';
    responses[status] = {
      ...response,
      description,
      ...(answer ? { content: { [known.media ?? 'application/json']: { schema: known.answer } } } : {}),
    };
  }
  return { ...responses, default: { description: 'What went wrong.', content: contentOf(ref('Error'), undefined) } };
}

/** Replaces the stand-ins for the schemas of the collection. */
function forCollection(operation: Operation, collection: Collection): Operation {
  const { record, input } = schemaNames(collection);
  const text = JSON.stringify(operation)
    .replaceAll(ref(RECORD)['$ref'] as string, ref(record)['$ref'] as string)
    .replaceAll(ref(RECORD_INPUT)['$ref'] as string, ref(input)['$ref'] as string);
  return JSON.parse(text) as Operation;
}
