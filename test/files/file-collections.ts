import type { TestRoost } from '../../src/testing/index.js';

const file = (name: string, options: Record<string, unknown> = {}) => ({ name, type: 'file', ...options });

/** Collections with files under every kind of rule. */
export const FILE_COLLECTIONS: readonly Record<string, unknown>[] = [
  {
    name: 'open',
    type: 'base',
    viewRule: '',
    listRule: '',
    createRule: '',
    updateRule: '',
    deleteRule: '',
    fields: [
      { name: 'title', type: 'text' },
      file('cover', { thumbs: ['50x30', '50x30t', '50x30b', '60x60f', '0x40', '40x0', '300x300', '9000x10'] }),
      file('docs', { maxSelect: 5 }),
      file('secret', { protected: true }),
    ],
  },
  {
    name: 'own',
    type: 'base',
    viewRule: 'owner = @request.auth.id',
    createRule: '',
    fields: [{ name: 'owner', type: 'text' }, file('plain'), file('secret', { protected: true })],
  },
  {
    name: 'closed',
    type: 'base',
    viewRule: null,
    createRule: '',
    fields: [file('plain'), file('secret', { protected: true })],
  },
];

/** Sends a multipart create and returns the record. Values that are lists become repeated parts. */
export async function createWithFiles(
  roost: TestRoost,
  collection: string,
  values: Readonly<Record<string, string | File | readonly (string | File)[]>>,
  token?: string,
  // Tests look into answers of every shape.
  // oxlint-disable-next-line typescript/no-explicit-any
): Promise<any> {
  const response = await sendFiles(roost, 'POST', `/api/collections/${collection}/records`, values, token);
  if (response.status !== 200) throw new Error(`Not created: ${response.text}`);
  return response.body;
}

/** Sends any multipart request. */
export function sendFiles(
  roost: TestRoost,
  method: 'POST' | 'PATCH' | 'PUT',
  url: string,
  values: Readonly<Record<string, string | File | readonly (string | File)[]>>,
  token?: string,
): ReturnType<TestRoost['inject']> {
  const body = new FormData();
  for (const [key, value] of Object.entries(values))
    for (const part of [value].flat()) body.append(key, part as string);
  return roost.inject({ method, url, body, token });
}

export function textFile(name: string, content = `content of ${name}`): File {
  return new File([content], name);
}
