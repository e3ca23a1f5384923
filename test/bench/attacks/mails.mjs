// Mails that guests have sent, beside a mail server that takes connections and never says a word.
import { createServer } from 'node:net';
import { fill } from '../attack-collections.mjs';

const members = {
  id: 'bench_members_1',
  name: 'members',
  type: 'auth',
  otp: { enabled: true, duration: 180, length: 8 },
  fields: [{ name: 'about', type: 'editor' }],
};

/** Accounts, whose text has this many characters. */
const accounts = (count, width) => (db) =>
  fill(
    db,
    count,
    {
      email: (index) => `a${index}@example.com`,
      tokenKey: (index) => String(index).padStart(50, '0'),
      password: () => '',
      verified: () => 0,
      emailVisibility: () => 0,
      about: () => 'x'.repeat(width),
    },
    'members',
  );

/** Has the server send its mails to one that hangs. */
async function hang(target) {
  const server = createServer((socket) => socket.unref().on('error', () => {})).unref();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const smtp = { enabled: true, host: '127.0.0.1', port: server.address().port };
  await target.call('PATCH', '/api/settings', { smtp });
}

/** A mail to each account, of so many at once. */
const requests = (name, action, { count = 3000, width = 0, atOnce = 50 } = {}) => ({
  name,
  collections: [members],
  rows: accounts(count, width),
  prepare: hang,
  run: async (target) => {
    for (let first = 0; first < count; first += atOnce) {
      await target.together(Math.min(atOnce, count - first), (index) =>
        target.send('POST', `/api/collections/members/${action}`, { email: `a${first + index}@example.com` }),
      );
    }
  },
});

export const attacks = [
  requests('3,000 passwords to be reset', 'request-password-reset'),
  requests('3,000 addresses to be verified', 'request-verification'),
  requests('1,000 one-time passwords', 'request-otp', { count: 1000 }),
  requests('200 passwords of accounts of 2 MB to be reset', 'request-password-reset', {
    count: 200,
    width: 2_000_000,
    atOnce: 200,
  }),
];
