import {
  ANYTHING,
  FLAG,
  FREE_OBJECT,
  INTEGER,
  listOf,
  object,
  pageOf,
  RECORD,
  RECORD_INPUT,
  ref,
  type Schema,
  TEXT,
} from '../http/dto/schema.js';

/** What a route says beyond its path and its marks. */
export interface KnownOperation {
  readonly summary: string;
  readonly body?: Schema;
  readonly answer?: Schema;
  /** What the query may hold besides `fields`, which every JSON answer takes (FLD-1). */
  readonly query?: Readonly<Record<string, Schema>>;
  /** The media type of the answer, JSON when absent. */
  readonly media?: string;
  /** Uploads may be sent with the body. */
  readonly uploads?: true;
}

const SHOWN = { expand: TEXT };
const PAGED = { page: INTEGER, perPage: INTEGER, sort: TEXT, filter: TEXT, skipTotal: FLAG };
const TOKEN = { token: TEXT };
const OF = '/api/collections/{collection}';

const RECORDS: Readonly<Record<string, KnownOperation>> = {
  [`get ${OF}/records`]: { summary: 'List records', query: { ...PAGED, ...SHOWN }, answer: pageOf(RECORD) },
  [`get ${OF}/records/{id}`]: { summary: 'View a record', query: SHOWN, answer: RECORD },
  [`post ${OF}/records`]: {
    summary: 'Create a record',
    query: SHOWN,
    body: RECORD_INPUT,
    answer: RECORD,
    uploads: true,
  },
  [`put ${OF}/records`]: {
    summary: 'Create or update the record with the id of the body',
    query: SHOWN,
    body: RECORD_INPUT,
    answer: RECORD,
    uploads: true,
  },
  [`patch ${OF}/records/{id}`]: {
    summary: 'Update a record',
    query: SHOWN,
    body: RECORD_INPUT,
    answer: RECORD,
    uploads: true,
  },
  [`delete ${OF}/records/{id}`]: { summary: 'Delete a record' },
  [`delete ${OF}/truncate`]: { summary: 'Delete all records' },
};

const S3_TEST = object({ filesystem: { type: 'string', enum: ['storage', 'backups'] } });

const REST: Readonly<Record<string, KnownOperation>> = {
  'get /api/collections': {
    summary: 'List collections',
    query: PAGED,
    answer: pageOf(ref('Collection')),
  },
  'post /api/collections': {
    summary: 'Create a collection',
    body: ref('CollectionInput'),
    answer: ref('Collection'),
  },
  [`get ${OF}`]: { summary: 'View a collection', answer: ref('Collection') },
  [`patch ${OF}`]: {
    summary: 'Change a collection',
    body: ref('CollectionInput'),
    answer: ref('Collection'),
  },
  [`delete ${OF}`]: { summary: 'Delete a collection with its records' },
  'put /api/collections/import': {
    summary: 'Import collections',
    body: object({ collections: listOf(ref('CollectionInput')), deleteMissing: FLAG }, ['deleteMissing']),
  },
  'get /api/collections/meta/scaffolds': { summary: 'New collections of every type', answer: FREE_OBJECT },
  'get /api/collections/meta/oauth2-providers': { summary: 'The OAuth2 providers', answer: listOf(FREE_OBJECT) },
  'post /api/collections/meta/dry-run-view': {
    summary: 'Try the query of a view collection',
    body: object({ query: TEXT, sample: INTEGER }, ['sample']),
    answer: FREE_OBJECT,
  },
  'get /api/settings': { summary: 'View the settings', answer: ref('Settings') },
  'patch /api/settings': {
    summary: 'Change the settings',
    body: ref('SettingsInput'),
    answer: ref('Settings'),
  },
  'post /api/settings/test/s3': { summary: 'Try the S3 settings', body: S3_TEST },
  'get /api/files/{collection}/{recordId}/{fileName}': {
    summary: 'Download a file',
    query: { thumb: TEXT, token: TEXT, download: TEXT },
    answer: { type: 'string', contentMediaType: 'application/octet-stream' },
    media: '*/*',
  },
  'post /api/files/token': { summary: 'Issue a token for protected files', answer: object(TOKEN) },
  'get /api/realtime': { summary: 'Open a stream of events', answer: TEXT, media: 'text/event-stream' },
  'post /api/realtime': {
    summary: 'Set the subscriptions of a stream',
    body: object({ clientId: TEXT, subscriptions: listOf(TEXT) }),
  },
  'post /api/batch': {
    summary: 'Run several writes in one transaction',
    body: object({ requests: listOf(ref('BatchRequest')) }),
    answer: listOf(ref('BatchResult')),
    uploads: true,
  },
  'get /api/logs': { summary: 'List logs', query: PAGED, answer: pageOf(ref('LogEntry')) },
  'get /api/logs/stats': {
    summary: 'Count logs by hour',
    query: { filter: TEXT },
    answer: listOf(ref('LogHour')),
  },
  'get /api/logs/{id}': { summary: 'View a log', answer: ref('LogEntry') },
  'delete /api/logs': { summary: 'Delete all logs' },
  'get /api/crons': { summary: 'List scheduled jobs', answer: listOf(ref('Cron')) },
  'post /api/crons/{id}': { summary: 'Run a scheduled job' },
  'get /api/backups': { summary: 'List backups', answer: listOf(ref('Backup')) },
  'post /api/backups': { summary: 'Create a backup', body: object({ name: TEXT }, ['name']) },
  'post /api/backups/upload': { summary: 'Upload a backup', body: object({ file: ANYTHING }), uploads: true },
  'get /api/backups/{key}': {
    summary: 'Download a backup',
    query: { token: TEXT },
    answer: { type: 'string', contentMediaType: 'application/zip' },
    media: 'application/zip',
  },
  'delete /api/backups/{key}': { summary: 'Delete a backup' },
  'post /api/backups/{key}/restore': { summary: 'Restore a backup' },
  'post /api/sql': { summary: 'Run SQL', body: object({ query: TEXT }), answer: FREE_OBJECT },
  'get /api/health': { summary: 'Is the service well', answer: ref('Health') },
  'get /api/openapi.json': { summary: 'This document', answer: FREE_OBJECT },
};

/** What the document says about Roost's own routes, by method and path. */
export const KNOWN_OPERATIONS: Readonly<Record<string, KnownOperation>> = { ...RECORDS, ...REST };
