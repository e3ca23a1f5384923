// Passwords, which are slow on purpose.
import { fill } from '../attack-collections.mjs';
import { id, records } from '../attack-target.mjs';

const account = (index) => ({
  email: `a${index}@example.com`,
  password: 'a-long-password',
  passwordConfirm: 'a-long-password',
});
const signUp = { id: 'bench_members_1', name: 'members', type: 'auth', createRule: '', fields: [] };
const signIn = '/api/collections/members/auth-with-password';
const wrong = { identity: 'a0@example.com', password: 'wrong' };

export const attacks = [
  {
    name: '150 wrong sign-ins in flight',
    collections: [signUp],
    prepare: (target) => target.create('members', account(0)),
    run: (target) => target.together(150, () => target.send('POST', signIn, wrong)),
  },
  {
    name: '150 wrong sign-ins in flight, of 50 accounts',
    collections: [signUp],
    prepare: (target) => target.create('members', account(0)),
    run: (target) => {
      void target.together(150, (index) =>
        target.send('POST', signIn, { ...wrong, identity: `b${index % 50}@example.com` }),
      );
      return target.waitOf('a right one', 'POST', signIn, { identity: 'a0@example.com', password: 'a-long-password' });
    },
  },
  {
    name: '100 sign-ups in flight',
    collections: [signUp],
    run: (target) => target.together(100, (index) => target.post('members', account(index))),
  },
  {
    name: 'ten sign-ups in a batch',
    collections: [signUp],
    settings: { batch: { enabled: true, maxRequests: 50, timeout: 30 } },
    run: (target) =>
      target.send('POST', '/api/batch', {
        requests: Array.from({ length: 10 }, (_, index) => ({
          method: 'POST',
          url: records('members'),
          body: account(index),
        })),
      }),
  },
  {
    name: '400 signed-in accounts of 2 MB, one after another',
    collections: [{ ...signUp, listRule: '', fields: [{ name: 'about', type: 'editor' }] }],
    rows: (db) =>
      fill(
        db,
        400,
        {
          email: (index) => `a${index}@example.com`,
          tokenKey: (index) => String(index).padStart(50, '0'),
          password: () => '',
          verified: () => 0,
          emailVisibility: () => 0,
          about: () => 'x'.repeat(2_000_000),
        },
        'members',
      ),
    prepare: async (target) => {
      const tokens = [];
      for (let index = 0; index < 400; index += 1) {
        const { token } = await target.call('POST', `/api/collections/members/impersonate/${id(index)}`, {});
        tokens.push(token);
      }
      // Forgets what was remembered of them.
      await target.call('PATCH', '/api/collections/members', { viewRule: '' });
      return tokens;
    },
    run: async (target, tokens) => {
      for (const token of tokens) await target.send('GET', '/api/health', undefined, { token });
    },
  },
];
