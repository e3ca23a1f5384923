import { randomInt } from 'node:crypto';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { type Spelling, spellingOf } from './spelling.js';

type Json = Record<string, unknown>;

interface SystemCollection {
  readonly id: string;
  readonly name: string;
  readonly type: 'base' | 'auth';
  readonly system: boolean;
  readonly fields: readonly Json[];
  readonly indexes: readonly string[];
  readonly rules: Partial<Record<'listRule' | 'viewRule' | 'createRule' | 'updateRule' | 'deleteRule', string>>;
  readonly options: Json;
}

/** The collections every installation begins with: accounts of superusers and users, and what signing in leaves. */
export class CreateSystemCollections1767225600001 implements MigrationInterface {
  readonly name = 'CreateSystemCollections1767225600001';

  async up(runner: QueryRunner): Promise<void> {
    const now = new Date().toISOString().replace('T', ' ');
    for (const collection of collections()) {
      await createTable(runner, collection);
      await insert(runner, collection, now);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const { id, name } of collections().toReversed()) {
      await runner.query(`DROP TABLE "${name}"`);
      await runner.query(spellingOf(runner).statement(`DELETE FROM "_collections" WHERE "id" = ?`), [id]);
    }
  }
}

async function createTable(runner: QueryRunner, collection: SystemCollection): Promise<void> {
  const spelling = spellingOf(runner);
  const columns = collection.fields.map((field) => `\`${String(field.name)}\` ${columnType(field, spelling)}`);
  const table = `CREATE TABLE \`${collection.name}\` (${columns.join(', ')}${spelling.insertionOrder})`;
  for (const sql of [table, ...collection.indexes]) await runner.query(spelling.statement(sql));
}

function columnType({ primaryKey, type }: Json, { key, text }: Spelling): string {
  if (primaryKey === true) return key;
  return type === 'bool' ? 'BOOLEAN DEFAULT FALSE NOT NULL' : `${text} DEFAULT '' NOT NULL`;
}

async function insert(runner: QueryRunner, collection: SystemCollection, now: string): Promise<void> {
  const { rules } = collection;
  const sql = `INSERT INTO "_collections" ("id", "system", "type", "name", "fields", "indexes", "listRule", "viewRule",
      "createRule", "updateRule", "deleteRule", "options", "created", "updated")
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
  await runner.query(spellingOf(runner).statement(sql), [
    collection.id,
    collection.system ? 1 : 0,
    collection.type,
    collection.name,
    JSON.stringify(collection.fields),
    JSON.stringify(collection.indexes),
    rules.listRule ?? null,
    rules.viewRule ?? null,
    rules.createRule ?? null,
    rules.updateRule ?? null,
    rules.deleteRule ?? null,
    JSON.stringify(collection.options),
    now,
    now,
  ]);
}

const OWNER = `@request.auth.id != '' && recordRef = @request.auth.id && collectionRef = @request.auth.collectionId`;
const SELF = 'id = @request.auth.id';

function collections(): readonly SystemCollection[] {
  return [
    {
      id: 'pbc_3142635823',
      name: '_superusers',
      type: 'auth',
      system: true,
      fields: [ID, ...accountFields(), ...TIMES],
      indexes: accountIndexes('_superusers', 'pbc_3142635823'),
      rules: {},
      options: authOptions({ authTokenDuration: 86_400, mappedFields: {} }),
    },
    {
      id: 'pbc_2281828961',
      name: '_externalAuths',
      type: 'base',
      system: true,
      fields: [ID, ...REFERENCE, text('provider', 'text2462348188'), text('providerId', 'text1044722854'), ...TIMES],
      indexes: [
        'CREATE UNIQUE INDEX `idx_externalAuths_record_provider` ON `_externalAuths` (\n  `collectionRef`,\n  `recordRef`,\n  `provider`\n)',
        'CREATE UNIQUE INDEX `idx_externalAuths_collection_provider` ON `_externalAuths` (\n  `collectionRef`,\n  `provider`,\n  `providerId`\n)',
      ],
      rules: { listRule: OWNER, viewRule: OWNER, deleteRule: OWNER },
      options: {},
    },
    {
      id: 'pbc_2279338944',
      name: '_mfas',
      type: 'base',
      system: true,
      fields: [ID, ...REFERENCE, text('method', 'text1582905952'), ...TIMES],
      indexes: ['CREATE INDEX `idx_mfas_collectionRef_recordRef` ON `_mfas` (\n  `collectionRef`,\n  `recordRef`\n)'],
      rules: { listRule: OWNER, viewRule: OWNER },
      options: {},
    },
    {
      id: 'pbc_1638494021',
      name: '_otps',
      type: 'base',
      system: true,
      fields: [
        ID,
        ...REFERENCE,
        password({ cost: 8 }),
        text('sentTo', 'text3866985172', { hidden: true, required: false }),
        ...TIMES,
      ],
      indexes: ['CREATE INDEX `idx_otps_collectionRef_recordRef` ON `_otps` (\n  `collectionRef`,\n  `recordRef`\n)'],
      rules: { listRule: OWNER, viewRule: OWNER },
      options: {},
    },
    {
      id: 'pbc_4275539003',
      name: '_authOrigins',
      type: 'base',
      system: true,
      fields: [ID, ...REFERENCE, text('fingerprint', 'text4228609354'), ...TIMES],
      indexes: [
        'CREATE UNIQUE INDEX `idx_authOrigins_unique_pairs` ON `_authOrigins` (\n  `collectionRef`,\n  `recordRef`,\n  `fingerprint`\n)',
      ],
      rules: { listRule: OWNER, viewRule: OWNER, deleteRule: OWNER },
      options: {},
    },
    {
      id: '_pb_users_auth_',
      name: 'users',
      type: 'auth',
      system: false,
      fields: [
        ID,
        ...accountFields(),
        text('name', 'text1579384326', { system: false, required: false, max: 255 }),
        {
          ...common('file', 'avatar', 'file376926767', { system: false, required: false }),
          maxSize: 0,
          maxSelect: 1,
          mimeTypes: ['image/jpeg', 'image/png', 'image/svg+xml', 'image/gif', 'image/webp'],
          thumbs: null,
          protected: false,
        },
        ...TIMES,
      ],
      indexes: accountIndexes('users', '_pb_users_auth_'),
      rules: { listRule: SELF, viewRule: SELF, createRule: '', updateRule: SELF, deleteRule: SELF },
      options: authOptions({ authTokenDuration: 432_000, mappedFields: { name: 'name', avatarURL: 'avatar' } }),
    },
  ];
}

function common(type: string, name: string, id: string, overrides: Json = {}): Json {
  return {
    id,
    name,
    type,
    system: true,
    hidden: false,
    presentable: false,
    required: true,
    help: '',
    ...overrides,
  };
}

function text(name: string, id: string, overrides: Json = {}): Json {
  return {
    ...common('text', name, id),
    min: 0,
    max: 0,
    pattern: '',
    autogeneratePattern: '',
    primaryKey: false,
    ...overrides,
  };
}

function password(overrides: Json): Json {
  return {
    ...common('password', 'password', 'password901924565', { hidden: true }),
    min: 0,
    max: 0,
    pattern: '',
    cost: 0,
    ...overrides,
  };
}

function autodate(name: string, id: string, onUpdate: boolean): Json {
  return { ...common('autodate', name, id, { required: false }), onCreate: true, onUpdate };
}

const ID: Json = text('id', 'text3208210256', {
  min: 15,
  max: 15,
  pattern: '^[a-z0-9]+$',
  autogeneratePattern: '[a-z0-9]{15}',
  primaryKey: true,
});

const REFERENCE: readonly Json[] = [text('collectionRef', 'text455797646'), text('recordRef', 'text127846527')];

const TIMES: readonly Json[] = [
  autodate('created', 'autodate2990389176', false),
  autodate('updated', 'autodate3332085495', true),
];

function accountFields(): readonly Json[] {
  return [
    password({ min: 8 }),
    text('tokenKey', 'text2504183744', { hidden: true, min: 30, max: 60, autogeneratePattern: '[a-zA-Z0-9]{50}' }),
    { ...common('email', 'email', 'email3885137012'), exceptDomains: null, onlyDomains: null },
    common('bool', 'emailVisibility', 'bool1547992806', { required: false }),
    common('bool', 'verified', 'bool256245529', { required: false }),
  ];
}

function accountIndexes(name: string, id: string): readonly string[] {
  return [
    `CREATE UNIQUE INDEX \`idx_tokenKey_${id}\` ON \`${name}\` (\`tokenKey\`)`,
    `CREATE UNIQUE INDEX \`idx_email_${id}\` ON \`${name}\` (\`email\`) WHERE \`email\` != ''`,
  ];
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

function secret(): string {
  return Array.from({ length: 50 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

function token(duration: number): Json {
  return { secret: secret(), duration };
}

function authOptions(own: { authTokenDuration: number; mappedFields: Json }): Json {
  return {
    authRule: '',
    manageRule: null,
    authAlert: { enabled: true, emailTemplate: MAILS.authAlert },
    passwordAuth: { enabled: true, identityFields: ['email'] },
    oauth2: {
      enabled: false,
      mappedFields: { id: '', name: '', username: '', avatarURL: '', ...own.mappedFields },
      providers: [],
    },
    mfa: { enabled: false, duration: 600, rule: '' },
    otp: { enabled: false, duration: 180, length: 8, emailTemplate: MAILS.otp },
    authToken: token(own.authTokenDuration),
    passwordResetToken: token(1_800),
    emailChangeToken: token(1_800),
    verificationToken: token(86_400),
    fileToken: token(180),
    verificationTemplate: MAILS.verification,
    resetPasswordTemplate: MAILS.resetPassword,
    confirmEmailChangeTemplate: MAILS.confirmEmailChange,
  };
}

const SIGNATURE = '<p>Best wishes,<br/>{APP_NAME}</p>';

function button(page: string, label: string): string {
  return `<p><a class="btn" href="{APP_URL}/_/#/auth/${page}/{TOKEN}" target="_blank" rel="noopener">${label}</a></p>`;
}

function lines(...paragraphs: readonly string[]): string {
  return paragraphs.join('\n');
}

const MAILS: Readonly<Record<string, Json>> = {
  verification: {
    subject: 'Confirm your email address for {APP_NAME}',
    body: lines(
      '<p>Hello,</p>',
      '<p>welcome to {APP_NAME}. Please confirm that this is your email address.</p>',
      button('confirm-verification', 'Confirm my address'),
      '<p><small>You did not register with {APP_NAME}? Then nothing needs to be done, please ignore this mail.</small></p>',
      SIGNATURE,
    ),
  },
  resetPassword: {
    subject: 'Choose a new {APP_NAME} password',
    body: lines(
      '<p>Hello,</p>',
      '<p>somebody, hopefully you, asked for a new password for your {APP_NAME} account.</p>',
      button('confirm-password-reset', 'Choose a new password'),
      '<p><small>It was not you? Then ignore this mail, your password stays as it is.</small></p>',
      SIGNATURE,
    ),
  },
  confirmEmailChange: {
    subject: 'Confirm your new email address for {APP_NAME}',
    body: lines(
      '<p>Hello,</p>',
      '<p>this address was entered as the new email address of a {APP_NAME} account. It takes effect once you confirm it.</p>',
      button('confirm-email-change', 'Use this address'),
      '<p><small>You know nothing of this? Then ignore this mail, nothing will change.</small></p>',
      SIGNATURE,
    ),
  },
  otp: {
    subject: 'Your {APP_NAME} sign-in code',
    body: lines(
      '<p>Hello,</p>',
      '<p>this is your code to sign in: <strong>{OTP}</strong></p>',
      '<p>Please do not share it with anybody.</p>',
      '<p><small>You are not signing in right now? Then ignore this mail.</small></p>',
      SIGNATURE,
    ),
  },
  authAlert: {
    subject: 'New sign-in to your {APP_NAME} account',
    body: lines(
      '<p>Hello,</p>',
      '<p>somebody signed in to your {APP_NAME} account from a place we have not seen before:</p>',
      '<p><em>{ALERT_INFO}</em></p>',
      '<p>Was it you? Then all is well. If not, <strong>change your password now</strong>: that signs out every device.</p>',
      SIGNATURE,
    ),
  },
};
