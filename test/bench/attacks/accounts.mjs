// Passwords, which are slow on purpose.
import { records } from '../attack-target.mjs';

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
];
