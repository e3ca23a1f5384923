import { isMultiple, type CollectionModel, type FieldModel } from '../api/collection-model.js';
import { exampleParameters, recordParameters, type BodyParameter } from './body-parameters.js';

/** One operation of a collection as it is shown in the API preview. */
export interface ApiSample {
  readonly key: string;
  readonly title: string;
  readonly about: string;
  readonly method: string;
  readonly path: string;
  /** Who may call it; absent when a rule or nothing decides. */
  readonly disabled?: string;
  readonly parameters: readonly (readonly [name: string, about: string])[];
  readonly body?: unknown;
  readonly bodyParameters?: readonly BodyParameter[];
  readonly query?: string;
  readonly js: string;
  readonly dart: string;
  readonly responses: readonly (readonly [status: number, body: unknown])[];
}

const FIELDS_PARAMETER = ['fields', 'Comma-separated keys to return, such as *,body:excerpt(200)'] as const;
const EXPAND_PARAMETER = ['expand', 'Relations to include, such as author,comments_via_post'] as const;

function exampleValue(field: FieldModel): unknown {
  const many = isMultiple(field);
  switch (field.type) {
    case 'number':
      return 123;
    case 'bool':
      return true;
    case 'email':
      return 'test@example.com';
    case 'url':
      return 'https://example.com';
    case 'date':
    case 'autodate':
      return '2026-01-01 10:00:00.123Z';
    case 'select': {
      const values = (field.values as string[] | null) ?? ['option'];
      return many ? values.slice(0, 2) : (values[0] ?? '');
    }
    case 'relation':
      return many ? ['RELATED_ID'] : 'RELATED_ID';
    case 'file':
      return many ? ['file.jpg'] : 'file.jpg';
    case 'json':
      return { key: 'value' };
    case 'geoPoint':
      return { lon: 12.34, lat: 56.78 };
    case 'editor':
      return '<p>text</p>';
    case 'password':
      return '12345678';
    default:
      return field.name === 'id' ? 'RECORD_ID' : 'text';
  }
}

function recordExample(collection: CollectionModel): Record<string, unknown> {
  const shown = collection.fields.filter((field) => !field.hidden && field.type !== 'password');
  return {
    collectionId: collection.id,
    collectionName: collection.name,
    ...Object.fromEntries(shown.map((field) => [field.name, exampleValue(field)])),
  };
}

function bodyExample(collection: CollectionModel, isNew: boolean): Record<string, unknown> {
  const writable = collection.fields.filter(
    (field) =>
      field.name !== 'id' &&
      field.type !== 'autodate' &&
      field.type !== 'file' &&
      !field.hidden &&
      !(collection.type === 'auth' && field.name === 'verified'),
  );
  const body = Object.fromEntries(writable.map((field) => [field.name, exampleValue(field)]));
  if (collection.type !== 'auth') return body;
  return isNew
    ? { ...body, password: '12345678', passwordConfirm: '12345678' }
    : { ...body, oldPassword: '12345678', password: '87654321', passwordConfirm: '87654321' };
}

function failure(status: number, message: string, data: object = {}): readonly [number, unknown] {
  return [status, { code: status, message, data }];
}

const NOT_FOUND = failure(404, 'The requested resource was not found.');
const FORBIDDEN = failure(403, 'This action is not allowed.');

function js(url: string, body: string): string {
  return `import PocketBase from 'pocketbase';\n\nconst client = new PocketBase('${url}');\n\n${body}`;
}

function dart(url: string, body: string): string {
  return `import 'package:pocketbase/pocketbase.dart';\n\nfinal client = PocketBase('${url}');\n\n${body}`;
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

function dartMap(value: unknown): string {
  return `<String, dynamic>${json(value)}`;
}

function ruleState(rule: string | null): string | undefined {
  return rule === null ? 'Superusers only' : undefined;
}

function recordSamples(collection: CollectionModel, url: string): ApiSample[] {
  const { name } = collection;
  const base = `/api/collections/${name}/records`;
  const record = recordExample(collection);
  const read: ApiSample[] = [
    {
      key: 'list',
      title: 'List and search',
      about: 'A page of records, filtered and sorted.',
      method: 'GET',
      path: base,
      disabled: ruleState(collection.listRule),
      parameters: [
        ['page', 'The page, from 1'],
        ['perPage', 'Records per page, max 1000 (30)'],
        ['sort', 'Fields in order; - for descending'],
        ['filter', 'An expression, such as created > "2026-01-01"'],
        EXPAND_PARAMETER,
        FIELDS_PARAMETER,
        ['skipTotal', 'true leaves the count out, which is faster'],
      ],
      query: '?page=1&perPage=30',
      js: js(
        url,
        `// one page\nconst page = await client.collection('${name}').getList(1, 50, {\n  filter: 'created >= "2026-01-01 00:00:00"',\n  sort: '-created',\n});\n\n// all of them\nconst records = await client.collection('${name}').getFullList({ sort: '-created' });\n\n// the first that fits\nconst record = await client.collection('${name}').getFirstListItem('id != ""');`,
      ),
      dart: dart(
        url,
        `final page = await client.collection('${name}').getList(\n  page: 1,\n  perPage: 50,\n  filter: 'created >= "2026-01-01 00:00:00"',\n  sort: '-created',\n);\n\nfinal records = await client.collection('${name}').getFullList(sort: '-created');`,
      ),
      responses: [
        [200, { page: 1, perPage: 30, totalItems: 1, totalPages: 1, items: [record] }],
        failure(400, 'The filter or sort is not valid.'),
        FORBIDDEN,
      ],
    },
    {
      key: 'view',
      title: 'View',
      about: 'One record by its id.',
      method: 'GET',
      path: `${base}/RECORD_ID`,
      disabled: ruleState(collection.viewRule),
      parameters: [EXPAND_PARAMETER, FIELDS_PARAMETER],
      js: js(url, `const record = await client.collection('${name}').getOne('RECORD_ID');`),
      dart: dart(url, `final record = await client.collection('${name}').getOne('RECORD_ID');`),
      responses: [[200, record], FORBIDDEN, NOT_FOUND],
    },
  ];
  if (collection.type === 'view') return read;
  const created = bodyExample(collection, true);
  const updated = bodyExample(collection, false);
  const invalid = failure(400, 'Something in the request is not valid.', {
    field: { code: 'validation_required', message: 'Cannot be blank.' },
  });
  return [
    ...read,
    {
      key: 'create',
      title: 'Create',
      about: 'Makes a record. Send files as multipart/form-data.',
      method: 'POST',
      path: base,
      disabled: ruleState(collection.createRule),
      parameters: [EXPAND_PARAMETER, FIELDS_PARAMETER],
      body: created,
      bodyParameters: recordParameters(collection, true),
      js: js(url, `const data = ${json(created)};\n\nconst record = await client.collection('${name}').create(data);`),
      dart: dart(
        url,
        `final body = ${dartMap(created)};\n\nfinal record = await client.collection('${name}').create(body: body);`,
      ),
      responses: [[200, record], invalid, FORBIDDEN],
    },
    {
      key: 'update',
      title: 'Update',
      about: 'Changes what is sent and leaves the rest.',
      method: 'PATCH',
      path: `${base}/RECORD_ID`,
      disabled: ruleState(collection.updateRule),
      parameters: [EXPAND_PARAMETER, FIELDS_PARAMETER],
      body: updated,
      bodyParameters: recordParameters(collection, false),
      js: js(
        url,
        `const data = ${json(updated)};\n\nconst record = await client.collection('${name}').update('RECORD_ID', data);`,
      ),
      dart: dart(
        url,
        `final body = ${dartMap(updated)};\n\nfinal record = await client.collection('${name}').update('RECORD_ID', body: body);`,
      ),
      responses: [[200, record], invalid, FORBIDDEN, NOT_FOUND],
    },
    {
      key: 'delete',
      title: 'Delete',
      about: 'Deletes a record and its files.',
      method: 'DELETE',
      path: `${base}/RECORD_ID`,
      disabled: ruleState(collection.deleteRule),
      parameters: [],
      js: js(url, `await client.collection('${name}').delete('RECORD_ID');`),
      dart: dart(url, `await client.collection('${name}').delete('RECORD_ID');`),
      responses: [[204, null], failure(400, 'The record is required by another one.'), FORBIDDEN, NOT_FOUND],
    },
    {
      key: 'realtime',
      title: 'Realtime',
      about:
        'Changes as they happen, by server-sent events. Events of one record follow the view rule, of all records the list rule.',
      method: 'GET',
      path: '/api/realtime',
      parameters: [['filter', 'Only records that fit'], EXPAND_PARAMETER, FIELDS_PARAMETER],
      js: js(
        url,
        `// all records\nawait client.collection('${name}').subscribe('*', (event) => {\n  console.log(event.action, event.record);\n});\n\n// one record\nawait client.collection('${name}').subscribe('RECORD_ID', (event) => console.log(event));\n\nawait client.collection('${name}').unsubscribe();`,
      ),
      dart: dart(
        url,
        `await client.collection('${name}').subscribe('*', (event) {\n  print(event.action);\n  print(event.record);\n});\n\nawait client.collection('${name}').unsubscribe();`,
      ),
      responses: [[200, { action: 'create', record }]],
    },
    {
      key: 'batch',
      title: 'Batch',
      about: 'Several writes in one transaction: all or none. It has to be enabled in the settings.',
      method: 'POST',
      path: '/api/batch',
      parameters: [],
      body: {
        requests: [
          { method: 'POST', url: base, body: created },
          { method: 'DELETE', url: `${base}/RECORD_ID` },
        ],
      },
      js: js(
        url,
        `const batch = client.createBatch();\n\nbatch.collection('${name}').create({ … });\nbatch.collection('${name}').update('RECORD_ID', { … });\nbatch.collection('${name}').delete('RECORD_ID');\n\nconst results = await batch.send();`,
      ),
      dart: dart(
        url,
        `final batch = client.createBatch();\n\nbatch.collection('${name}').create(body: { … });\nbatch.collection('${name}').delete('RECORD_ID');\n\nfinal results = await batch.send();`,
      ),
      responses: [
        [
          200,
          [
            { status: 200, body: record },
            { status: 204, body: null },
          ],
        ],
        failure(400, 'A request of the batch failed.'),
        failure(403, 'Batch requests are not enabled.'),
      ],
    },
  ];
}

function authSamples(collection: CollectionModel, url: string): ApiSample[] {
  const { name } = collection;
  const base = `/api/collections/${name}`;
  const auth = { token: 'TOKEN', record: recordExample(collection) };
  const refused = failure(400, 'The sign-in failed.');
  const off = (on: boolean | undefined) => (on ? undefined : 'Disabled');
  const service = `client.collection('${name}')`;
  const call = (
    key: string,
    title: string,
    about: string,
    path: string,
    body: object | undefined,
    code: string,
    rest: Partial<ApiSample> = {},
  ): ApiSample => ({
    key,
    title,
    about,
    method: 'POST',
    path: `${base}/${path}`,
    parameters: [],
    body,
    bodyParameters: body ? exampleParameters(body) : undefined,
    js: js(url, code),
    dart: dart(url, code.replaceAll('const ', 'final ').replaceAll('await client', 'await client')),
    responses: [[204, null], refused],
    ...rest,
  });
  const signedIn: ApiSample['responses'] = [[200, auth], refused, failure(403, 'This method is not enabled.')];
  return [
    {
      key: 'auth-methods',
      title: 'List auth methods',
      about: 'What the collection allows for signing in.',
      method: 'GET',
      path: `${base}/auth-methods`,
      parameters: [FIELDS_PARAMETER],
      js: js(url, `const methods = await ${service}.listAuthMethods();`),
      dart: dart(url, `final methods = await ${service}.listAuthMethods();`),
      responses: [
        [
          200,
          {
            password: {
              enabled: collection.passwordAuth?.enabled ?? false,
              identityFields: collection.passwordAuth?.identityFields ?? [],
            },
            oauth2: { enabled: collection.oauth2?.enabled ?? false, providers: [] },
            mfa: { enabled: collection.mfa?.enabled ?? false, duration: 0 },
            otp: { enabled: collection.otp?.enabled ?? false, duration: 0 },
          },
        ],
      ],
    },
    call(
      'auth-password',
      'Auth with password',
      'Signs in with an identity and a password.',
      'auth-with-password',
      { identity: 'test@example.com', password: '12345678' },
      `const auth = await ${service}.authWithPassword('test@example.com', '12345678');\n\n// signed in: client.authStore.isValid, .token, .record\nclient.authStore.clear();`,
      { responses: signedIn, disabled: off(collection.passwordAuth?.enabled) },
    ),
    call(
      'auth-oauth2',
      'Auth with OAuth2',
      'Signs in with an account of a provider, in a window of its own.',
      'auth-with-oauth2',
      { provider: 'google', code: 'CODE', codeVerifier: 'VERIFIER', redirectURL: `${url}/api/oauth2-redirect` },
      `const auth = await ${service}.authWithOAuth2({ provider: 'google' });`,
      { responses: signedIn, disabled: off(collection.oauth2?.enabled) },
    ),
    call(
      'auth-otp',
      'Auth with OTP',
      'Signs in with a code sent by mail: first ask for it, then send it.',
      'auth-with-otp',
      { otpId: 'OTP_ID', password: 'CODE' },
      `const { otpId } = await ${service}.requestOTP('test@example.com');\n\nconst auth = await ${service}.authWithOTP(otpId, 'CODE');`,
      { responses: signedIn, disabled: off(collection.otp?.enabled) },
    ),
    call(
      'auth-refresh',
      'Auth refresh',
      'A new token for the one that is sent.',
      'auth-refresh',
      undefined,
      `const auth = await ${service}.authRefresh();`,
      { responses: [[200, auth], failure(401, 'A valid token is needed.'), FORBIDDEN] },
    ),
    call(
      'verification',
      'Verification',
      'A mail with a link that proves the address; then the token of the link.',
      'request-verification',
      { email: 'test@example.com' },
      `await ${service}.requestVerification('test@example.com');\n\n// with the token of the mail\nawait ${service}.confirmVerification('TOKEN');`,
      { disabled: name === '_superusers' ? 'Not for superusers' : undefined },
    ),
    call(
      'password-reset',
      'Password reset',
      'A mail with a link for a new password; then the token of the link.',
      'request-password-reset',
      { email: 'test@example.com' },
      `await ${service}.requestPasswordReset('test@example.com');\n\n// with the token of the mail; ends all sessions of the account\nawait ${service}.confirmPasswordReset('TOKEN', 'newPassword', 'newPassword');`,
      { disabled: off(collection.passwordAuth?.enabled) },
    ),
    call(
      'email-change',
      'E-mail change',
      'A mail to the new address of the signed-in user; then the token of the link and the password.',
      'request-email-change',
      { newEmail: 'new@example.com' },
      `await ${service}.requestEmailChange('new@example.com');\n\n// with the token of the mail; ends all sessions of the account\nawait ${service}.confirmEmailChange('TOKEN', 'password');`,
      { disabled: name === '_superusers' ? 'Not for superusers' : undefined },
    ),
  ];
}

/** Everything a client can do with a collection, with its real names. */
export function apiSamples(collection: CollectionModel, url: string): ApiSample[] {
  return [...recordSamples(collection, url), ...(collection.type === 'auth' ? authSamples(collection, url) : [])];
}

/** The request as a command for a shell. */
export function curlOf(sample: ApiSample, url: string): string {
  const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const lines = [
    `curl -X ${sample.method} ${quote(`${url}${sample.path}${sample.query ?? ''}`)}`,
    `-H 'Authorization: TOKEN'`,
  ];
  if (sample.body !== undefined)
    lines.push(`-H 'Content-Type: application/json'`, `-d ${quote(JSON.stringify(sample.body))}`);
  return lines.join(' \\\n  ');
}
