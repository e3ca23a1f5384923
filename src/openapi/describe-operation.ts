import type { Collection } from '../kernel/collections/collection.js';
import { FREE_OBJECT, RECORD, RECORD_INPUT, ref, TEXT } from '../http/dto/schema.js';
import { schemaNames } from './record-schemas.js';
import type { OperationMetadata } from './route-scanner.js';

/** An operation of the document. */
export type Operation = Record<string, unknown>;

interface Parameter {
  readonly name: string;
  readonly in: string;
}

interface Route {
  /** The path as it is declared, `{collection}` included. */
  readonly path: string;
  /** What the scan found. */
  readonly operation: Operation;
  readonly metadata: OperationMetadata | undefined;
  /** The collection this is repeated for. */
  readonly collection?: Collection | undefined;
}

const FAILURE = {
  description: 'What went wrong.',
  content: { 'application/json': { schema: ref('Error') } },
};

/** Completes what the decorators of a route say by its path, its guards and its collection. */
export function describeOperation({ path, operation, metadata, collection }: Route): Operation {
  const responses = responsesOf(operation);
  const described: Operation = {
    ...operation,
    operationId: collection ? `${collection.name}.${String(operation['operationId'])}` : operation['operationId'],
    tags: operation['tags'] ?? [tagOf(path, collection)],
    parameters: [...pathParameters(path, collection), ...queryParameters(operation, responses)],
    responses: { ...responses, default: FAILURE },
    ...(metadata?.requiredAuth ? { security: [{ token: [] }] } : {}),
    ...(collection && !metadata?.requiredAuth ? { security: [{}, { token: [] }] } : {}),
  };
  if (metadata?.readsBody && !operation['requestBody']) {
    described['requestBody'] = { required: true, content: { 'application/json': { schema: FREE_OBJECT } } };
  }
  return collection ? forCollection(described, collection) : described;
}

function tagOf(path: string, collection: Collection | undefined): string {
  return collection?.name ?? path.split('/').filter((part) => part !== 'api' && part !== '')[0] ?? 'api';
}

function pathParameters(path: string, collection: Collection | undefined): unknown[] {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);
  return names
    .filter((name) => name !== 'collection' || !collection)
    .map((name) => ({ name, in: 'path', required: true, schema: TEXT }));
}

/** A controller may declare `fields` for all its methods; operations without an answer do not get it. */
function queryParameters(operation: Operation, responses: Readonly<Record<string, Operation>>): Parameter[] {
  const isAnswered = Object.values(responses).some(({ content }) => content !== undefined);
  return ((operation['parameters'] ?? []) as Parameter[])
    .filter((parameter) => parameter.in !== 'path' && (isAnswered || parameter.name !== 'fields'))
    .filter(({ name }, index, all) => all.findIndex((other) => other.name === name) === index);
}

function responsesOf(operation: Operation): Record<string, Operation> {
  const found = Object.entries((operation['responses'] ?? {}) as Record<string, Operation>);
  const described = found.map(([status, response]) => {
    const description = response['description'] || (status === '204' ? 'Done.' : 'The answer.');
    return [status, { ...response, description }] as const;
  });
  return Object.fromEntries(described);
}

/** Replaces the stand-ins for the schemas of the collection. */
function forCollection(operation: Operation, collection: Collection): Operation {
  const { record, input } = schemaNames(collection);
  const text = JSON.stringify(operation)
    .replaceAll(RECORD['$ref'] as string, ref(record)['$ref'] as string)
    .replaceAll(RECORD_INPUT['$ref'] as string, ref(input)['$ref'] as string);
  return JSON.parse(text) as Operation;
}
