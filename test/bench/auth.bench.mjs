import { setTimeout as sleep } from 'node:timers/promises';
import { SMTPServer } from 'smtp-server';
import { Measurement } from './measurement.mjs';

const PASSWORD = 'bench-password';
const ROUNDS = 80;
const WARM_UP = 20;
/** Every account is asked about once for each purpose, because what was asked for just now is not done again. */
const MEMBERS = 2 * (WARM_UP + ROUNDS);

/** What a signed-in request costs, what sign-ins do to everybody else, and whether time tells accounts apart. */
export async function run(bench) {
  const mailServer = await startMailServer();
  bench.defer(mailServer.close);
  const roost = await bench.roost();
  const { load } = roost;
  await fill(roost, mailServer.port);
  const identity = { identity: 'known0@x.io', password: PASSWORD };
  const { token, record } = await load.call('POST', members('auth-with-password'), { body: identity });
  const view = { path: members(`records/${record.id}`) };
  await bench.compare('record view, signed in', {
    own: () => load.run({ ...view, token }),
    to: 'the same as a guest',
    baseline: () => load.run(view),
  });
  await besideSignIns(bench, load, view);
  await tellingAccountsApart(bench, roost);
  await tellingCodesApart(bench, roost);
}

function members(path) {
  return `/api/collections/members/${path}`;
}

/** Members whose addresses are `known<n>@x.io`; nobody has `unknown<n>@x.io`. */
async function fill(roost, smtpPort) {
  const { load } = roost;
  const token = await roost.setUp();
  const smtp = { enabled: true, host: '127.0.0.1', port: smtpPort, tls: false };
  const settings = { smtp, batch: { enabled: true, maxRequests: 200, timeout: 120 } };
  await load.call('PATCH', '/api/settings', { token, body: settings });
  const collection = {
    name: 'members',
    type: 'auth',
    viewRule: '',
    authAlert: { enabled: false },
    otp: { enabled: true, duration: 600 },
  };
  await load.call('POST', '/api/collections', { token, body: collection });
  for (let first = 0; first < MEMBERS; first += 60) {
    const numbers = Array.from({ length: 60 }, (_, index) => first + index);
    const requests = numbers.map((number) => ({
      method: 'POST',
      url: members('records'),
      body: { email: `known${number}@x.io`, password: PASSWORD, passwordConfirm: PASSWORD, emailVisibility: true },
    }));
    await load.call('POST', '/api/batch', { token, body: { requests } });
  }
}

/** People sign in at the same time, over and over, while others look at something. */
async function besideSignIns(bench, load, view) {
  const body = JSON.stringify({ identity: 'known1@x.io', password: PASSWORD });
  const signIn = { method: 'POST', path: members('auth-with-password'), body };
  // People wait for seconds: the others are watched long enough to meet many of them.
  const seconds = 2 * load.seconds;
  const watching = (request, connections, isAlone) => load.run(request, { connections, seconds, isAlone });
  const beside = async (request, connections, people) => {
    let isOver = false;
    const endless = { seconds: Infinity, connections: people, warmUp: false, isAlone: false };
    const signIns = load.run(() => (isOver ? undefined : signIn), endless);
    const watched = await watching(request, connections, false);
    isOver = true;
    return { watched, signIns: await signIns };
  };
  const idle = await watching(view, 4, true);
  const busy = await beside(view, 4, 50);
  bench.report.add('record view beside 50 sign-ins', busy.watched, {
    baseline: idle,
    to: 'nobody signing in, by p99',
    ratio: busy.watched.quantile(0.99) / idle.quantile(0.99),
  });
  bench.report.add('sign-ins with 50 waiting', busy.signIns);
  const { watched } = await beside({ path: '/api/health' }, 1, 30);
  bench.report.add('health beside 30 sign-ins', watched, { figures: { goal: 'p99 < 250' } });
}

/** Takes requests about accounts that exist and about ones that do not in turns. */
async function tellingAccountsApart(bench, { load }) {
  const requests = {
    'auth-with-password': (email) => ({ identity: email, password: 'a wrong password' }),
    'request-otp': (email) => ({ email }),
    'request-verification': (email) => ({ email }),
    'request-password-reset': (email) => ({ email }),
  };
  for (const [name, toBody] of Object.entries(requests)) {
    const times = { known: new Measurement(), unknown: new Measurement() };
    for (let round = -WARM_UP; round < ROUNDS; round++) {
      const kinds = round % 2 === 0 ? ['known', 'unknown'] : ['unknown', 'known'];
      for (const kind of kinds) {
        const body = toBody(`${kind}${round + WARM_UP}@x.io`);
        await timed(load, name, body, round < 0 ? new Measurement() : times[kind]);
        // What goes on behind an answer's back must not fall into the next measurement.
        await sleep(100);
      }
    }
    apart(bench, `${name}, known account`, times.known, 'an unknown one', times.unknown);
  }
}

/** Guesses at the codes of one-time passwords that exist, that only look so, and that nobody has heard of. */
async function tellingCodesApart(bench, { load }) {
  const times = { known: new Measurement(), unknown: new Measurement(), made: new Measurement() };
  const guess = (otpId, into) => timed(load, 'auth-with-otp', { otpId, password: '00000000' }, into);
  for (let round = 0; round < ROUNDS; round++) {
    for (const kind of ['known', 'unknown']) {
      const body = { email: `${kind}${round + WARM_UP + ROUNDS}@x.io` };
      const { otpId } = await load.call('POST', members('request-otp'), { body });
      await guess(otpId, times[kind]);
    }
    await guess(`made${String(round).padStart(11, '0')}`, times.made);
  }
  apart(bench, 'auth-with-otp, known account', times.known, 'a decoy', times.unknown);
  apart(bench, 'auth-with-otp, known account', times.known, 'an id nobody has heard of', times.made);
}

/** Refusals are answers here. */
function timed(load, action, body, measurement) {
  return measurement.time(() => load.call('POST', members(action), { body }).catch(() => undefined));
}

/** `chance` is how often the slower one of a pair is the first: 0.5 is a coin, 1 or 0 tells them apart every time. */
function apart(bench, what, some, to, others) {
  const slower = some.latencies.map((time) => others.latencies.filter((other) => time > other).length);
  const chance = slower.reduce((sum, count) => sum + count, 0) / (some.requests * others.requests);
  const ratio = some.quantile(0.5) / others.quantile(0.5);
  bench.report.add(what, some, { baseline: others, to: `${to}, by p50`, ratio, figures: { chance } });
}

async function startMailServer() {
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onData: (stream, _session, done) => stream.on('end', done).resume(),
  });
  // Whoever ends a connection early does not want its mail.
  server.on('error', () => undefined);
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: server.server.address().port, close: () => new Promise((resolve) => server.close(resolve)) };
}
