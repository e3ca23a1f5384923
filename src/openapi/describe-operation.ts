import type { Collection } from '../kernel/collections/collection.js';
import { FREE_OBJECT, RECORD, RECORD_INPUT, ref, type Schema, TEXT } from '../http/dto/schema.js';
import { KNOWN_OPERATIONS, type KnownOperation } from './known-operations.js';
import { schemaNames } from './record-schemas.js';
import type { RouteMarks } from './route-scanner.js';

/** An operation of the document. */
export type Operation = Record<string, unknown>;

interface Parameter {
  readonly name: string;
  readonly in: string;
}

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

/** The scanned operation, completed by what its path, its guards and its collection say. */
export function describeOperation(route: Route): Operation {
  const { path, method, operation, marks, collection } = route;
  const known = KNOWN_OPERATIONS[`${method} ${path}`];
  const responses = responsesOf(operation, known);
  const described: Operation = {
    ...operation,
    ...(known ? { summary: known.summary } : {}),
    operationId: collection ? `${collection.name}.${String(operation['operationId'])}` : operation['operationId'],
    tags: operation['tags'] ?? [tagOf(path, collection)],
    parameters: parametersOf(route, known, responses),
    responses: {
      ...responses,
      default: { description: 'What went wrong.', content: contentOf(ref('Error'), undefined) },
    },
    ...(marks?.requiredAuth ? { security: [{ token: [] }] } : {}),
    ...(collection && !marks?.requiredAuth ? { security: [{}, { token: [] }] } : {}),
  };
  const isUnknownBody = marks?.readsBody && !operation['requestBody'] && !known;
  const body = known?.body ?? (isUnknownBody ? FREE_OBJECT : undefined);
  if (body) described['requestBody'] = { required: true, content: contentOf(body, known?.uploads) };
  return collection ? forCollection(described, collection) : described;
}

function tagOf(path: string, collection: Collection | undefined): string {
  return collection?.name ?? path.split('/').filter((part) => part !== 'api' && part !== '')[0] ?? 'api';
}

function contentOf(schema: Schema, uploads: true | undefined): Record<string, unknown> {
  return { 'application/json': { schema }, ...(uploads ? { 'multipart/form-data': { schema } } : {}) };
}

function parametersOf(
  { path, operation, collection }: Route,
  known: KnownOperation | undefined,
  responses: Readonly<Record<string, Operation>>,
): unknown[] {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);
  const inPath = names
    .filter((name) => name !== 'collection' || !collection)
    .map((name) => ({ name, in: 'path', required: true, schema: TEXT }));
  // A controller may say of all its methods that they take `fields`; where nothing is answered there is nothing to pick.
  const isAnswered = Object.values(responses).some(({ content }) => content !== undefined);
  const found = ((operation['parameters'] ?? []) as Parameter[])
    .filter((parameter) => parameter.in !== 'path' && (isAnswered || parameter.name !== 'fields'))
    .filter(({ name }, index, all) => all.findIndex((other) => other.name === name) === index);
  const picked = known?.answer && !known.media ? { fields: TEXT } : {};
  const inQuery = Object.entries({ ...known?.query, ...picked })
    .filter(([name]) => !found.some((parameter) => parameter.name === name))
    .map(([name, schema]) => ({ name, in: 'query', schema }));
  return [...inPath, ...found, ...inQuery];
}

function responsesOf(operation: Operation, known: KnownOperation | undefined): Record<string, Operation> {
  const responses: Record<string, Operation> = {};
  for (const [status, response] of Object.entries((operation['responses'] ?? {}) as Record<string, Operation>)) {
    const description = response['description'] || (status === '204' ? 'Done.' : 'The answer.');
    const answer = known?.answer && status !== '204';
    responses[status] = {
      ...response,
      description,
      ...(answer ? { content: { [known.media ?? 'application/json']: { schema: known.answer } } } : {}),
    };
  }
  return responses;
}

/** Replaces the stand-ins for the schemas of the collection. */
function forCollection(operation: Operation, collection: Collection): Operation {
  const { record, input } = schemaNames(collection);
  const text = JSON.stringify(operation)
    .replaceAll(RECORD['$ref'] as string, ref(record)['$ref'] as string)
    .replaceAll(RECORD_INPUT['$ref'] as string, ref(input)['$ref'] as string);
  return JSON.parse(text) as Operation;
}
