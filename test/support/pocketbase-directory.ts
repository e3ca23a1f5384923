import { createCipheriv } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashSync } from 'bcrypt';
import type BetterSqlite3 from 'better-sqlite3';
import { Sqlite } from './sqlite.js';

type Json = Record<string, unknown>;

export const text = (name: string, more: Json = {}): Json => ({
  id: `text_${name}`,
  name,
  type: 'text',
  system: false,
  hidden: false,
  presentable: false,
  required: false,
  min: 0,
  max: 0,
  pattern: '',
  autogeneratePattern: '',
  primaryKey: false,
  ...more,
});
export const plain = (type: string, name: string, more: Json = {}): Json => ({
  id: `${type}_${name}`,
  name,
  type,
  system: false,
  hidden: false,
  presentable: false,
  required: false,
  ...more,
});

export const ID = text('id', {
  id: 'text3208210256',
  system: true,
  required: true,
  min: 15,
  max: 15,
  pattern: '^[a-z0-9]+$',
  autogeneratePattern: '[a-z0-9]{15}',
  primaryKey: true,
});
const REFERENCE = [
  text('collectionRef', { id: 'text455797646', system: true, required: true }),
  text('recordRef', { id: 'text127846527', system: true, required: true }),
];
export const TIMES = [
  plain('autodate', 'created', { id: 'autodate2990389176', system: true, onCreate: true, onUpdate: false }),
  plain('autodate', 'updated', { id: 'autodate3332085495', system: true, onCreate: true, onUpdate: true }),
];
const PASSWORD = {
  id: 'password901924565',
  system: true,
  hidden: true,
  required: true,
  min: 8,
  max: 0,
  pattern: '',
  cost: 0,
};
export const ACCOUNT = [
  plain('password', 'password', PASSWORD),
  text('tokenKey', {
    id: 'text2504183744',
    system: true,
    hidden: true,
    required: true,
    min: 30,
    max: 60,
    autogeneratePattern: '[a-zA-Z0-9]{50}',
  }),
  plain('email', 'email', {
    id: 'email3885137012',
    system: true,
    required: true,
    exceptDomains: null,
    onlyDomains: null,
  }),
  plain('bool', 'emailVisibility', { id: 'bool1547992806', system: true }),
  plain('bool', 'verified', { id: 'bool256245529', system: true }),
];
const mail = { subject: 'Subject {APP_NAME}', body: '<p>{APP_URL} {TOKEN} {OTP} {ALERT_INFO}</p>' };
const token = (kind: string, duration: number) => ({ secret: `${kind}-secret`.padEnd(50, 'x'), duration });

/** Signs the tokens of accounts in the fixture, together with their token keys. */
export const AUTH_SECRET = token('auth', 0).secret;

export const authOptions = (more: Json = {}): Json => ({
  authRule: '',
  manageRule: null,
  authAlert: { enabled: false, emailTemplate: mail },
  oauth2: {
    mappedFields: { id: '', name: '', username: '', avatarURL: '' },
    enabled: true,
    providers: [{ name: 'github', clientId: 'client', clientSecret: 'client-secret' }],
  },
  passwordAuth: { enabled: true, identityFields: ['email'] },
  mfa: { enabled: false, duration: 1800, rule: '' },
  otp: { enabled: true, duration: 300, length: 8, emailTemplate: mail },
  authToken: token('auth', 604_800),
  passwordResetToken: token('reset', 1800),
  emailChangeToken: token('change', 1800),
  verificationToken: token('verify', 259_200),
  fileToken: token('file', 180),
  verificationTemplate: mail,
  resetPasswordTemplate: mail,
  confirmEmailChangeTemplate: mail,
  ...more,
});
export const accountIndexes = (name: string, id: string) => [
  `CREATE UNIQUE INDEX \`idx_tokenKey_${id}\` ON \`${name}\` (\`tokenKey\`)`,
  `CREATE UNIQUE INDEX \`idx_email_${id}\` ON \`${name}\` (\`email\`) WHERE \`email\` != ''`,
];

/** The accounts, all with this password. */
export const PASSWORD_OF_ALL = 'a-long-password';
const HASH = hashSync(PASSWORD_OF_ALL, 4);
export const TIME = '2025-03-04 05:06:07.089Z';
export const TOKEN_KEY = 'k'.repeat(50);
export const account = (id: string, email: string, key = TOKEN_KEY): Json => ({
  id,
  password: HASH,
  tokenKey: key,
  email,
  emailVisibility: 0,
  verified: 1,
  created: TIME,
  updated: TIME,
});

/** A collection of a data directory: its definition as it is stored, and its records. */
export interface Definition {
  id: string;
  name: string;
  type: string;
  system?: boolean;
  fields: Json[];
  indexes?: string[];
  options?: Json;
  listRule?: string | null;
  viewRule?: string | null;
  rows?: Json[];
}

const reference = { collectionRef: '_pb_users_auth_', recordRef: 'user00000000001', created: TIME, updated: TIME };
const unique = (index: string, table: string, columns: string) =>
  `CREATE UNIQUE INDEX \`idx${table}_${index}\` ON \`${table}\` (\`collectionRef\`, \`recordRef\`, ${columns})`;

const COLLECTIONS: Definition[] = [
  {
    id: 'pbc_2279338944',
    name: '_mfas',
    type: 'base',
    system: true,
    fields: [ID, ...REFERENCE, text('method', { id: 'text1582905952', system: true, required: true }), ...TIMES],
    rows: [{ id: 'mfa000000000001', ...reference, method: 'password' }],
  },
  {
    id: 'pbc_1638494021',
    name: '_otps',
    type: 'base',
    system: true,
    fields: [
      ID,
      ...REFERENCE,
      plain('password', 'password', { ...PASSWORD, min: 0, cost: 8 }),
      text('sentTo', { id: 'text3866985172', system: true, hidden: true }),
      ...TIMES,
    ],
    rows: [{ id: 'otp000000000001', ...reference, password: HASH, sentTo: 'ann@example.com' }],
  },
  {
    id: 'pbc_2281828961',
    name: '_externalAuths',
    type: 'base',
    system: true,
    fields: [
      ID,
      ...REFERENCE,
      text('provider', { id: 'text2462348188', system: true, required: true }),
      text('providerId', { id: 'text1044722854', system: true, required: true }),
      ...TIMES,
    ],
    indexes: [unique('record_provider', '_externalAuths', '`provider`')],
    rows: [{ id: 'ext000000000001', ...reference, provider: 'github', providerId: '42' }],
  },
  {
    id: 'pbc_4275539003',
    name: '_authOrigins',
    type: 'base',
    system: true,
    fields: [ID, ...REFERENCE, text('fingerprint', { id: 'text4228609354', system: true, required: true }), ...TIMES],
    indexes: [unique('unique_pairs', '_authOrigins', '`fingerprint`')],
    rows: [{ id: 'org000000000001', ...reference, fingerprint: 'abc' }],
  },
  {
    id: 'pbc_3142635823',
    name: '_superusers',
    type: 'auth',
    system: true,
    fields: [ID, ...ACCOUNT, ...TIMES],
    indexes: accountIndexes('_superusers', 'pbc_3142635823'),
    options: authOptions({
      oauth2: { enabled: false, providers: [] },
      otp: { enabled: false, duration: 180, length: 8, emailTemplate: mail },
    }),
    rows: [account('root00000000001', 'root@example.com')],
  },
  {
    id: '_pb_users_auth_',
    name: 'users',
    type: 'auth',
    fields: [
      ID,
      ...ACCOUNT,
      text('name', { id: 'text1579384326', max: 255 }),
      plain('file', 'avatar', {
        id: 'file376926767',
        maxSelect: 1,
        maxSize: 0,
        mimeTypes: ['image/png'],
        thumbs: null,
      }),
      ...TIMES,
    ],
    indexes: accountIndexes('users', '_pb_users_auth_'),
    options: authOptions(),
    listRule: 'id = @request.auth.id',
    viewRule: '',
    rows: [
      { ...account('user00000000001', 'ann@example.com'), name: 'Ann', avatar: 'ann_abcdefghij.png' },
      { ...account('user00000000002', 'bob@example.com', 'b'.repeat(50)), name: 'Bob', avatar: '' },
    ],
  },
  {
    id: 'pbc_1111111111',
    name: 'posts',
    type: 'base',
    fields: [
      ID,
      text('title', { required: true }),
      plain('number', 'views', { min: null, max: null, onlyInt: false }),
      plain('bool', 'done'),
      plain('json', 'extra', { maxSize: 0 }),
      plain('select', 'tags', { values: ['a', 'b'], maxSelect: 2 }),
      plain('relation', 'author', {
        collectionId: '_pb_users_auth_',
        cascadeDelete: false,
        minSelect: 0,
        maxSelect: 1,
      }),
      plain('file', 'papers', { maxSelect: 5, maxSize: 0, mimeTypes: null, thumbs: null, protected: false }),
      plain('geoPoint', 'place'),
      plain('date', 'due', { min: '', max: '' }),
      text('remark'),
      plain('select', 'marks', { values: ['x', 'y'], maxSelect: 2 }),
      ...TIMES,
    ],
    indexes: ['CREATE INDEX `idx_posts_title` ON `posts` (`title`)'],
    listRule: 'author = @request.auth.id',
    rows: [
      {
        id: 'post00000000001',
        title: "It's ünï “quoted”",
        views: 1.5,
        done: 1,
        extra: '{"deep":[1,null]}',
        tags: '["b","a"]',
        author: 'user00000000001',
        papers: '["one_aaaaaaaaaa.txt","two_bbbbbbbbbb.txt"]',
        place: '{"lon":1.5,"lat":-2}',
        due: TIME,
        created: TIME,
        updated: TIME,
      },
      {
        id: 'post00000000002',
        title: 'Plain',
        views: 0,
        done: 0,
        extra: null,
        tags: '[]',
        author: '',
        papers: '["lost_cccccccccc.txt"]',
        place: '{"lon":0,"lat":0}',
        due: '',
        created: TIME,
        updated: TIME,
      },
    ],
  },
  {
    id: 'pbc_2222222222',
    name: 'titles',
    type: 'view',
    fields: [],
    options: { viewQuery: 'SELECT id, title FROM posts' },
    listRule: '',
  },
];

const COLUMNS: Record<string, string> = {
  bool: 'BOOLEAN DEFAULT FALSE NOT NULL',
  number: 'NUMERIC DEFAULT 0 NOT NULL',
  json: 'JSON DEFAULT NULL',
  geoPoint: `JSON DEFAULT '{"lon":0,"lat":0}' NOT NULL`,
};

function column(field: Json): string {
  // The first versions had columns that could be NULL.
  if (['remark', 'marks'].includes(String(field['name']))) return 'TEXT DEFAULT NULL';
  if (field['primaryKey'] === true) return "TEXT PRIMARY KEY DEFAULT ('r'||lower(hex(randomblob(7)))) NOT NULL";
  if (Number(field['maxSelect'] ?? 1) > 1) return "JSON DEFAULT '[]' NOT NULL";
  return COLUMNS[String(field['type'])] ?? "TEXT DEFAULT '' NOT NULL";
}

/** What the fixture is to differ in. */
export interface FixtureOptions {
  readonly settings?: Json;
  /** Encrypts the settings. */
  readonly key?: string;
  /** Replaces the list rule of the posts. */
  readonly postsRule?: string;
  /** Posts beyond the two. */
  readonly morePosts?: number;
  /** Collections beside those of the fixture, or in the place of one with the same name. */
  readonly collections?: readonly Definition[];
}

/** Writes a data directory as PocketBase 0.23 leaves one. */
export function writePocketBaseDirectory(path: string, options: FixtureOptions = {}): void {
  mkdirSync(path, { recursive: true });
  const data = new Sqlite(join(path, 'data.db'));
  data.pragma('journal_mode = WAL');
  data.exec(`CREATE TABLE _params (id TEXT PRIMARY KEY, value JSON, created TEXT, updated TEXT);
    CREATE TABLE _collections (id TEXT PRIMARY KEY, system BOOLEAN, type TEXT, name TEXT UNIQUE, fields JSON, indexes JSON,
      listRule TEXT, viewRule TEXT, createRule TEXT, updateRule TEXT, deleteRule TEXT, options JSON, created TEXT, updated TEXT);
    CREATE TABLE _migrations (file TEXT PRIMARY KEY, applied INTEGER)`);
  const others = options.collections ?? [];
  const names = new Set(others.map(({ name }) => name));
  for (const definition of [...COLLECTIONS.filter(({ name }) => !names.has(name)), ...others])
    writeCollection(data, definition, options);
  const settings = JSON.stringify(options.settings ?? SETTINGS);
  data
    .prepare('INSERT INTO _params VALUES (?, ?, ?, ?)')
    .run('settings', options.key ? JSON.stringify(encrypt(settings, options.key)) : settings, TIME, TIME);
  data.close();
  const logs = new Sqlite(join(path, 'auxiliary.db'));
  logs.exec(`CREATE TABLE _logs (id TEXT PRIMARY KEY, level INTEGER, message TEXT, data JSON, created TEXT);
    INSERT INTO _logs VALUES ('log000000000001', 0, 'hello', '{}', '${TIME}')`);
  logs.close();
  writeFile(path, '_pb_users_auth_/user00000000001/ann_abcdefghij.png', 'not really a picture');
  writeFile(path, '_pb_users_auth_/user00000000001/ann_abcdefghij.png.attrs', '{"user.content_type":"image/png"}');
  writeFile(path, '_pb_users_auth_/user00000000001/thumbs_ann_abcdefghij.png/100x100_ann_abcdefghij.png', 'thumb');
  writeFile(path, 'pbc_1111111111/post00000000001/one_aaaaaaaaaa.txt', 'one');
  writeFile(path, 'pbc_1111111111/post00000000001/two_bbbbbbbbbb.txt', 'two');
  writeFile(path, 'pbc_1111111111/post00000000009/orphan_dddddddddd.txt', 'nobody');
}

export const SETTINGS: Json = {
  meta: {
    appName: 'Moved',
    appURL: 'https://moved.example.com',
    senderName: 'M',
    senderAddress: 'm@example.com',
    hideControls: false,
  },
  logs: { maxDays: 9, minLevel: 0, logIP: true, logAuthId: false },
  s3: {
    enabled: false,
    bucket: 'bucket',
    region: 'r',
    endpoint: 'https://s3.example.com',
    accessKey: 'key',
    secret: 's3-secret',
    forcePathStyle: true,
  },
  batch: { enabled: true, maxRequests: 7, timeout: 3, maxBodySize: 0 },
  novelty: { enabled: true },
};

function writeCollection(data: BetterSqlite3.Database, definition: Definition, options: FixtureOptions): void {
  const { id, name, type, system = false, fields, indexes = [], rows = [] } = definition;
  const listRule = name === 'posts' ? (options.postsRule ?? definition.listRule) : definition.listRule;
  data
    .prepare('INSERT INTO _collections VALUES (?, ?, ?, ?, ?, ?, ?, ?, NULL, NULL, NULL, ?, ?, ?)')
    .run(
      id,
      system ? 1 : 0,
      type,
      name,
      JSON.stringify(fields),
      JSON.stringify(indexes),
      listRule ?? null,
      definition.viewRule ?? null,
      JSON.stringify(definition.options ?? {}),
      TIME,
      TIME,
    );
  if (type === 'view') return;
  data.exec(
    `CREATE TABLE "${name}" (${fields.map((field) => `"${String(field['name'])}" ${column(field)}`).join(', ')})`,
  );
  for (const index of indexes) data.exec(index.replace(/\[\[|\]\]|\{\{|\}\}/g, '"'));
  const more = name === 'posts' ? (options.morePosts ?? 0) : 0;
  const extra = Array.from({ length: more }, (_, at) => ({
    ...rows[1],
    id: `more${String(at).padStart(11, '0')}`,
    papers: '[]',
  }));
  for (const row of [...rows, ...extra]) {
    const names = Object.keys(row);
    data
      .prepare(
        `INSERT INTO "${name}" (${names.map((each) => `"${each}"`).join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
      )
      .run(Object.values(row));
  }
}

function writeFile(path: string, key: string, content: string): void {
  const file = join(path, 'storage', key);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, content);
}

function encrypt(plainText: string, key: string): string {
  const nonce = Buffer.alloc(12, 7);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  return Buffer.concat([nonce, cipher.update(plainText), cipher.final(), cipher.getAuthTag()]).toString('base64');
}
