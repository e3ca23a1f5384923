import { SMTPServer } from 'smtp-server';

const PASSWORD = 'bench-password';
const ROUNDS = 80;
const WARM_UP = 20;
/** Every account is asked about once for each purpose, because what was asked for just now is not done again. */
const MEMBERS = 2 * (WARM_UP + ROUNDS);

/** What a signed-in request costs, what sign-ins do to everybody else, and whether time tells accounts apart. */
export async function run(bench) {
  const mailServer = await startMailServer();
  const roost = await bench.roost(await prepare(bench));
  const api = new Api(roost.origin);
  try {
    await fill(api, mailServer.port);
    await signedInRequests(bench, api);
    await besideSignIns(bench, api);
    await tellingAccountsApart(bench, api);
  } finally {
    await mailServer.close();
  }
}

async function prepare(bench) {
  const dir = bench.tempDir();
  bench.command(dir, 'superuser', 'create', 'root@example.com', PASSWORD);
  return dir;
}

/** Members whose addresses are `known<n>@x.io`; nobody has `unknown<n>@x.io`. */
async function fill(api, smtpPort) {
  const root = await api.signIn('_superusers', 'root@example.com');
  const smtp = { enabled: true, host: '127.0.0.1', port: smtpPort, tls: false };
  await api.send('PATCH', 'settings', { smtp, batch: { enabled: true, maxRequests: 200, timeout: 120 } }, root);
  const members = {
    name: 'members',
    type: 'auth',
    viewRule: '',
    authAlert: { enabled: false },
    otp: { enabled: true, duration: 600 },
  };
  await api.send('POST', 'collections', members, root);
  for (let first = 0; first < MEMBERS; first += 60) {
    const numbers = Array.from({ length: 60 }, (_, index) => first + index);
    const requests = numbers.map((number) => ({
      method: 'POST',
      url: '/api/collections/members/records',
      body: { email: `known${number}@x.io`, password: PASSWORD, passwordConfirm: PASSWORD, emailVisibility: true },
    }));
    await api.send('POST', 'batch', { requests }, root);
  }
}

async function signedInRequests(bench, api) {
  const { token, record } = await api.post('members/auth-with-password', {
    identity: 'known0@x.io',
    password: PASSWORD,
  });
  const url = `${api.origin}/api/collections/members/records/${record.id}`;
  const { guest, member } = await bench.compare({
    guest: () => bench.load(url),
    member: () => bench.load(url, { headers: { authorization: token } }),
  });
  bench.report('record view, signed in to guest', {
    ratio: member.rate / guest.rate,
    'req/s': member.rate,
    p99: member.p99,
  });
}

/** Fifty people sign in at a time, over and over, while others look at a record. */
async function besideSignIns(bench, api) {
  const { record } = await api.post('members/auth-with-password', { identity: 'known0@x.io', password: PASSWORD });
  const view = { url: `${api.origin}/api/collections/members/records/${record.id}`, connections: 4, seconds: 5 };
  const idle = await bench.load(view.url, view);
  const signIns = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ identity: 'known1@x.io', password: PASSWORD }),
    connections: 50,
    seconds: 8,
    timeout: 60,
  };
  const [busy, logins] = await Promise.all([
    bench.load(view.url, view),
    bench.load(`${api.origin}/api/collections/members/auth-with-password`, signIns),
  ]);
  bench.report('record view beside 50 sign-ins, p99 to idle', {
    ratio: busy.p99 / idle.p99,
    p99: busy.p99,
    idle: idle.p99,
  });
  bench.report('sign-ins with 50 waiting', { 'req/s': logins.rate, p99: logins.p99, errors: logins.errors });
  const [health] = await Promise.all([
    bench.load(`${api.origin}/api/health`, { connections: 1, seconds: 4 }),
    bench.load(`${api.origin}/api/collections/members/auth-with-password`, { ...signIns, connections: 30, seconds: 5 }),
  ]);
  bench.report('health beside 30 sign-ins (AUTH-503: under 250 ms)', { p99: health.p99 });
}

/**
 * Takes requests about accounts that exist and about ones that do not in turns. `chance` is how often the slower one of
 * a pair is the existing account: 0.5 is a coin, 1 or 0 tells them apart every time.
 */
async function tellingAccountsApart(bench, api) {
  const requests = {
    'auth-with-password': (email) => ['auth-with-password', { identity: email, password: 'a wrong password' }],
    'request-otp': (email) => ['request-otp', { email }],
    'request-verification': (email) => ['request-verification', { email }],
    'request-password-reset': (email) => ['request-password-reset', { email }],
  };
  for (const [name, toRequest] of Object.entries(requests)) {
    const times = { known: [], unknown: [] };
    for (let round = -WARM_UP; round < ROUNDS; round++) {
      const kinds = round % 2 === 0 ? ['known', 'unknown'] : ['unknown', 'known'];
      for (const kind of kinds) {
        const [path, body] = toRequest(`${kind}${round + WARM_UP}@x.io`);
        const started = performance.now();
        await api.raw('POST', `collections/members/${path}`, body);
        if (round >= 0) times[kind].push(performance.now() - started);
        // What goes on behind an answer's back must not fall into the next measurement.
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
    bench.report(`${name}, known to unknown`, {
      chance: chanceOfSlower(times.known, times.unknown),
      known: median(times.known),
      unknown: median(times.unknown),
      'p90 known': quantile(times.known, 0.9),
      'p90 unknown': quantile(times.unknown, 0.9),
    });
  }
  await tellingCodesApart(bench, api);
}

/** Guesses at the codes of one-time passwords that exist, that only look so, and that nobody has heard of. */
async function tellingCodesApart(bench, api) {
  const times = { known: [], unknown: [], made: [] };
  for (let round = 0; round < ROUNDS; round++) {
    for (const kind of ['known', 'unknown']) {
      const { otpId } = await api.post('members/request-otp', { email: `${kind}${round + WARM_UP + ROUNDS}@x.io` });
      times[kind].push(await guess(api, otpId));
    }
    times.made.push(await guess(api, `made${String(round).padStart(11, '0')}`));
  }
  bench.report('auth-with-otp, known to decoy', {
    chance: chanceOfSlower(times.known, times.unknown),
    known: median(times.known),
    decoy: median(times.unknown),
    'made up': median(times.made),
  });
}

async function guess(api, otpId) {
  const started = performance.now();
  await api.raw('POST', 'collections/members/auth-with-otp', { otpId, password: '00000000' });
  return performance.now() - started;
}

function median(times) {
  return quantile(times, 0.5);
}

function quantile(times, share) {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * share)];
}

function chanceOfSlower(some, others) {
  const slower = some.map((time) => others.filter((other) => time > other).length);
  return slower.reduce((sum, count) => sum + count, 0) / (some.length * others.length);
}

/** The HTTP API of a server under test. */
class Api {
  constructor(origin) {
    this.origin = origin;
  }

  raw(method, path, body, token) {
    const headers = { 'content-type': 'application/json', ...(token ? { authorization: token } : {}) };
    return fetch(`${this.origin}/api/${path}`, { method, headers, body: JSON.stringify(body) }).then(
      async (response) => {
        await response.arrayBuffer().then((bytes) => (response.bytesRead = bytes));
        return response;
      },
    );
  }

  async send(method, path, body, token) {
    const response = await this.raw(method, path, body, token);
    const text = Buffer.from(response.bytesRead).toString();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }

  post(path, body) {
    return this.send('POST', `collections/${path}`, body);
  }

  async signIn(collection, identity) {
    return (await this.post(`${collection}/auth-with-password`, { identity, password: PASSWORD })).token;
  }
}

async function startMailServer() {
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onData: (stream, _session, done) => stream.on('end', done).resume(),
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: server.server.address().port, close: () => new Promise((resolve) => server.close(resolve)) };
}
