import { randomBytes } from 'node:crypto';

const RECORDS = 1000;
const WRITERS = 16;
const OWN = { email: 'root@example.com', password: 'bench-password' };

/**
 * The same load on a server that runs already and on the built Roost, ratios to the latter. The other server only has
 * to speak the protocol; it gets a collection of its own, which is deleted again. Nothing else of it is touched.
 */
export async function run(bench) {
  const { BENCH_EMAIL: email, BENCH_PASSWORD: password } = process.env;
  if (!email || !password) throw new Error('Name a superuser of the target in BENCH_EMAIL and BENCH_PASSWORD.');
  const dir = bench.tempDir();
  bench.command(dir, 'superuser', 'upsert', OWN.email, OWN.password);
  const roost = await bench.roost(dir);
  const name = `bench_${randomBytes(4).toString('hex')}`;
  const target = await Subject.open(bench.target, { email, password }, name);
  try {
    const baseline = await Subject.open(roost.origin, OWN, name);
    await compareReads(bench, target, baseline);
    await compareWrites(bench, target, baseline);
  } finally {
    await target.close();
  }
}

async function compareReads(bench, target, baseline) {
  const id = 'note00000000005';
  const filter = encodeURIComponent('views > 10 && views < 90');
  for (const [what, path] of [
    ['view one record, public rule', `/${id}`],
    ['list 30, skipTotal', '?skipTotal=1'],
    ['list 30 with total', ''],
    ['list 30 with an indexed filter, skipTotal', `?skipTotal=1&filter=${filter}`],
    ['list 30 sorted, skipTotal', '?skipTotal=1&sort=-views,title'],
  ]) {
    const result = await bench.compare({
      target: () => bench.load(target.records + path),
      baseline: () => bench.load(baseline.records + path),
    });
    bench.report(`${what}, to Roost`, ratio(result));
  }
}

async function compareWrites(bench, target, baseline) {
  const post = (subject) => ({
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: subject.token },
    body: JSON.stringify({ title: 'New', body: '<p>Text</p>'.repeat(20), views: 1 }),
  });
  const result = await bench.compare({
    target: () => bench.load(target.records, post(target)),
    baseline: () => bench.load(baseline.records, post(baseline)),
  });
  bench.report('create, to Roost', ratio(result));
}

function ratio({ target, baseline }) {
  return {
    ratio: target.rate / baseline.rate,
    'req/s': target.rate,
    p50: target.p50,
    p99: target.p99,
    errors: target.errors,
  };
}

/** A server with a collection to measure on. */
class Subject {
  constructor(origin, name) {
    this.origin = origin;
    this.name = name;
    this.records = `${origin}/api/collections/${name}/records`;
  }

  /** Signs in, makes the collection and fills it through the API. The collection is gone again if that fails. */
  static async open(origin, { email, password }, name) {
    const subject = new Subject(origin, name);
    const signedIn = await subject.#call('POST', '/api/collections/_superusers/auth-with-password', {
      identity: email,
      password,
    });
    subject.token = signedIn.token;
    await subject.#call('POST', '/api/collections', {
      name,
      type: 'base',
      listRule: '',
      viewRule: '',
      fields: [
        { name: 'title', type: 'text' },
        { name: 'body', type: 'editor' },
        { name: 'views', type: 'number' },
      ],
      indexes: [`CREATE INDEX idx_${name}_views ON ${name} (views)`],
    });
    try {
      await subject.#fill();
    } catch (error) {
      await subject.close();
      throw error;
    }
    return subject;
  }

  async close() {
    await this.#call('DELETE', `/api/collections/${this.name}`);
  }

  async #fill() {
    let next = 0;
    const write = async () => {
      while (next < RECORDS) {
        const index = next++;
        await this.#call('POST', `/api/collections/${this.name}/records`, {
          id: `note${String(index).padStart(11, '0')}`,
          title: `Note ${index}`,
          body: '<p>A long text.</p>'.repeat(25),
          views: index % 100,
        });
      }
    };
    await Promise.all(Array.from({ length: WRITERS }, write));
  }

  async #call(method, path, body) {
    const headers = { 'content-type': 'application/json', ...(this.token && { authorization: this.token }) };
    const response = await fetch(this.origin + path, { method, headers, body: body && JSON.stringify(body) });
    if (!response.ok)
      throw new Error(`${method} ${path} of ${this.origin}: ${response.status} ${await response.text()}`);
    return response.status === 204 ? undefined : response.json();
  }
}
