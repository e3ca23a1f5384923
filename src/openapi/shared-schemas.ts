import {
  ANYTHING,
  FLAG,
  FREE_OBJECT,
  INTEGER,
  listOf,
  object,
  partial,
  ref,
  type Schema,
  SECRET,
  TEXT,
} from '../http/dto/schema.js';

const RULE: Schema = {
  type: ['string', 'null'],
  description: 'A filter expression; empty: everyone; null: superusers only.',
};

const RULES = { listRule: RULE, viewRule: RULE, createRule: RULE, updateRule: RULE, deleteRule: RULE };

const S3 = partial({
  enabled: FLAG,
  bucket: TEXT,
  region: TEXT,
  endpoint: TEXT,
  accessKey: TEXT,
  secret: SECRET,
  forcePathStyle: FLAG,
});

const COLLECTION = {
  id: TEXT,
  name: TEXT,
  type: { type: 'string', enum: ['base', 'auth', 'view'] },
  system: FLAG,
  ...RULES,
  fields: listOf(ref('Field')),
  indexes: listOf(TEXT),
  created: TEXT,
  updated: TEXT,
};

const SETTINGS = {
  meta: partial({
    appName: TEXT,
    appURL: TEXT,
    senderName: TEXT,
    senderAddress: TEXT,
    hideControls: FLAG,
    accentColor: TEXT,
  }),
  logs: partial({ maxDays: INTEGER, minLevel: INTEGER, logIP: FLAG, logAuthId: FLAG }),
  smtp: partial({
    enabled: FLAG,
    host: TEXT,
    port: INTEGER,
    username: TEXT,
    password: SECRET,
    authMethod: TEXT,
    tls: FLAG,
    localName: TEXT,
  }),
  s3: S3,
  backups: partial({ cron: TEXT, cronMaxKeep: INTEGER, s3: S3 }),
  trustedProxy: partial({ headers: listOf(TEXT), useLeftmostIP: FLAG }),
  rateLimits: partial({
    enabled: FLAG,
    excludedIPs: listOf(TEXT),
    rules: listOf(
      partial({
        label: TEXT,
        audience: { type: 'string', enum: ['', '@guest', '@auth'] },
        duration: INTEGER,
        maxRequests: INTEGER,
      }),
    ),
  }),
  batch: partial({ enabled: FLAG, maxRequests: INTEGER, timeout: INTEGER, maxBodySize: INTEGER }),
  files: partial({ openUnprotected: FLAG }),
  realtime: partial({ maxStreamsPerIP: INTEGER, maxStreamsPerAccount: INTEGER }),
  superuserIPs: listOf(TEXT),
};

/** Schemas that do not depend on the collections, by name. */
export const SHARED_SCHEMAS: Readonly<Record<string, Schema>> = {
  Error: object({
    code: INTEGER,
    message: TEXT,
    data: { ...FREE_OBJECT, description: 'What is wrong, by the name of the value.' },
  }),
  FieldError: object({ code: TEXT, message: TEXT, params: FREE_OBJECT }, ['params']),
  Field: {
    ...object(
      {
        id: TEXT,
        name: TEXT,
        type: TEXT,
        system: FLAG,
        hidden: FLAG,
        presentable: FLAG,
        required: FLAG,
        help: TEXT,
      },
      ['id', 'system', 'hidden', 'presentable', 'required', 'help'],
    ),
    additionalProperties: true,
  },
  Collection: { ...object(COLLECTION), additionalProperties: true },
  CollectionInput: { ...partial(COLLECTION), additionalProperties: true },
  Settings: object(SETTINGS),
  SettingsInput: partial(SETTINGS),
  LogEntry: object({ id: TEXT, created: TEXT, level: INTEGER, message: TEXT, data: FREE_OBJECT }),
  LogHour: object({ total: INTEGER, date: TEXT }),
  Cron: object({ id: TEXT, expression: TEXT }),
  Backup: object({ key: TEXT, size: INTEGER, modified: TEXT }),
  Health: object({ code: INTEGER, message: TEXT, data: FREE_OBJECT }),
  BatchRequest: object(
    {
      method: { type: 'string', enum: ['POST', 'PATCH', 'PUT', 'DELETE'] },
      url: TEXT,
      headers: FREE_OBJECT,
      body: FREE_OBJECT,
    },
    ['headers', 'body'],
  ),
  BatchResult: object({ status: INTEGER, body: ANYTHING }),
};
