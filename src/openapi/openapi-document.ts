import { Inject, Injectable } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { CollectionStore } from '../collections/collection-store.js';
import { VisibleFields } from '../collections/visible-fields.js';
import { packageVersion } from '../config/package-info.js';
import type { Collection } from '../kernel/collections/collection.js';
import { API_INFO, type ApiInfo } from './api-info.js';
import { describeOperation, type Operation } from './describe-operation.js';
import { recordInputSchema, recordSchema, schemaNames } from './record-schemas.js';
import { RouteScanner, type ScannedRoutes } from './route-scanner.js';
import type { Schema } from '../http/dto/schema.js';

type PathItem = Record<string, Operation>;

/** Routes that begin so are repeated for each collection they apply to. */
const OF_COLLECTION = '/api/collections/{collection}/';
/** Routes that are the same for every collection, and documented once. */
const OF_ANY = /^(?:list-views|test-rule)\b/;

const TOKEN_SCHEME = {
  type: 'http',
  scheme: 'bearer',
  description: 'The token of a record, with or without "Bearer".',
} as const;

const METHODS = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch']);

/** The OpenAPI 3.1 document of the API as it is now (EXT-25), built for every request. */
@Injectable()
export class OpenApiDocument {
  constructor(
    private readonly scanner: RouteScanner,
    private readonly store: CollectionStore,
    private readonly visibleFields: VisibleFields,
    @Inject(API_INFO) private readonly info: ApiInfo,
  ) {}

  async build(): Promise<OpenAPIObject> {
    const routes = await this.scanner.scan();
    const collections = [...this.store.catalog.all()].sort((a, b) => (a.name < b.name ? -1 : 1));
    const paths: Record<string, PathItem> = {};
    for (const [path, item] of Object.entries(routes.paths)) {
      if (path.startsWith(OF_COLLECTION) && !OF_ANY.test(path.slice(OF_COLLECTION.length))) {
        for (const collection of collections) {
          const described = describePath(path, item as unknown as PathItem, { routes, collection });
          if (described) paths[path.replace('{collection}', collection.name)] = described;
        }
      } else {
        paths[path] = describePath(path, item as unknown as PathItem, { routes })!;
      }
    }
    nameApart(paths);
    return {
      openapi: '3.1.0',
      info: {
        title: this.info.title ?? 'Roost',
        version: this.info.version ?? packageVersion(),
        description: this.info.description ?? 'Collections, records, accounts, files and realtime.',
      },
      servers: [{ url: '/' }],
      paths: paths as OpenAPIObject['paths'],
      components: {
        schemas: { ...routes.schemas, ...schemasOf(collections, this.visibleFields) } as NonNullable<
          OpenAPIObject['components']
        >['schemas'],
        securitySchemes: {
          token: TOKEN_SCHEME,
          // The name that `@ApiBearerAuth()` on a team's route refers to.
          bearer: TOKEN_SCHEME,
        },
      },
    };
  }
}

function schemasOf(collections: readonly Collection[], visibleFields: VisibleFields): Record<string, Schema> {
  const schemas: Record<string, Schema> = {};
  for (const collection of collections) {
    const { record, input } = schemaNames(collection);
    schemas[record] = recordSchema(collection, visibleFields.of(collection));
    if (!collection.isView) schemas[input] = recordInputSchema(collection);
  }
  return schemas;
}

/** Makes operation ids unique (EXT-25) by a number, where two controllers have the same name. */
function nameApart(paths: Readonly<Record<string, PathItem>>): void {
  const seen = new Map<string, number>();
  for (const operation of Object.values(paths).flatMap((item) => Object.values(item))) {
    const id = String(operation['operationId']);
    const count = (seen.get(id) ?? 0) + 1;
    seen.set(id, count);
    if (count > 1) operation['operationId'] = `${id}_${count}`;
  }
}

/** Undefined when no method of the path applies to the collection. */
function describePath(
  path: string,
  item: PathItem,
  context: { readonly routes: ScannedRoutes; readonly collection?: Collection },
): PathItem | undefined {
  const { routes, collection } = context;
  const entries = Object.entries(item)
    .filter(([method]) => METHODS.has(method) && method !== 'head')
    .filter(([method]) => !collection || suits(path, method, collection))
    .map(([method, operation]) => {
      const metadata = routes.metadata.get(String(operation['operationId']));
      return [method, describeOperation({ path, operation, metadata, collection })] as const;
    });
  return entries.length === 0 && collection ? undefined : Object.fromEntries(entries);
}

/** Accounts only in auth collections; views are read only. */
function suits(path: string, method: string, collection: Collection): boolean {
  const isRecords = path.startsWith(`${OF_COLLECTION}records`);
  if (isRecords && method === 'get') return true;
  if (isRecords || path === `${OF_COLLECTION}truncate`) return !collection.isView;
  return collection.isAuth;
}
