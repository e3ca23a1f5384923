import { randomOf } from './rounds.js';

const RULES = { listRule: '', viewRule: '', createRule: '', updateRule: '', deleteRule: '' };

/** Rows of `wide`: so many that changing its table takes a while, and a process of its own. */
export const WIDE_ROWS = 12_000;

/** Collections that an import changes together. */
export const PAIR = ['pair_a', 'pair_b'] as const;

const file = { name: 'attachment', type: 'file', maxSelect: 1 };
const title = { name: 'title', type: 'text' };

export const FAULT_COLLECTIONS = [
  { id: 'faults_owners_1', name: 'owners', type: 'base', ...RULES, fields: [title, file] },
  {
    id: 'faults_posts_01',
    name: 'posts',
    type: 'base',
    ...RULES,
    fields: [
      title,
      file,
      { name: 'owner', type: 'relation', collectionId: 'faults_owners_1', maxSelect: 1, cascadeDelete: true },
    ],
  },
  { id: 'faults_heaps_01', name: 'heaps', type: 'base', ...RULES, fields: [title, file] },
  { id: 'faults_wide_001', name: 'wide', type: 'base', ...RULES, fields: [title, tagsField(false)] },
  ...PAIR.map((name) => ({ id: `faults_${name}_0`, name, type: 'base', ...RULES, fields: [title] })),
];

/** Those whose records clients write, and that have files. */
export const WITH_FILES = ['owners', 'posts', 'heaps'] as const;

/** A record as somebody was told it is: its title is also what its file says. */
export interface KnownRecord {
  readonly collection: string;
  readonly id: string;
  readonly title: string;
  readonly hasFile: boolean;
}

/** Records that come and go together, by their ids. */
export type Group = ReadonlyMap<string, KnownRecord>;

/** What one client was told, and what it has asked for without an answer yet. Each client has records of its own. */
interface ClientState {
  told: Group;
  asked: Group | undefined;
}

/** What has become of the definitions. */
export interface Shape {
  /** Does `wide` have one more field? */
  readonly field: boolean;
  readonly index: boolean;
  /** Do the tags of `wide` take several values? To change that converts every row. */
  readonly several: boolean;
  /** Is there a collection that comes and goes? */
  readonly passing: boolean;
  /** Do both of the pair have an index? */
  readonly paired: boolean;
}

export const FIRST_SHAPE: Shape = { field: false, index: false, several: false, passing: false, paired: false };

/** What must be stored at one moment: of each pair the first, or the second where that was being asked for. */
export interface Expected {
  readonly groups: readonly (readonly [Group, Group | undefined])[];
  readonly shape: readonly [Shape, Shape | undefined];
}

/** Clients that write all the time and remember what they were told. */
export class Workload {
  readonly failures: string[] = [];
  answered = 0;
  private readonly states: ClientState[] = [];
  private readonly running: Promise<void>[] = [];
  private shape = FIRST_SHAPE;
  private askedShape: Shape | undefined;
  private isOver = false;
  private ids = 0;

  constructor(
    private readonly origin: string,
    private readonly token: string,
    private readonly seed: number,
  ) {}

  start(): void {
    const clients = [this.single, this.single, this.batches, this.cascades, this.truncates];
    for (const [index, client] of clients.entries()) {
      const state: ClientState = { told: new Map(), asked: undefined };
      this.states.push(state);
      this.running.push(this.repeat(client, state, randomOf(this.seed + index)));
    }
    this.running.push(this.repeat((_, random) => this.schema(random), undefined, randomOf(this.seed - 1)));
  }

  async stop(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.running);
  }

  expected(): Expected {
    return {
      groups: this.states.map(({ told, asked }) => [new Map(told), asked && new Map(asked)] as const),
      shape: [this.shape, this.askedShape],
    };
  }

  private async repeat(
    work: (state: ClientState, random: () => number) => Promise<void>,
    state: ClientState | undefined,
    random: () => number,
  ): Promise<void> {
    try {
      while (!this.isOver) await work.call(this, state!, random);
    } catch (error) {
      // The server may have been killed in the end.
      if (!this.isOver) this.failures.push(String(error));
    }
  }

  /** One record after another: created, changed, its file replaced or removed, deleted. */
  private async single(state: ClientState, random: () => number): Promise<void> {
    const present = [...state.told.values()];
    const chosen = present[Math.trunc(random() * present.length)];
    if (chosen === undefined || present.length < 4) {
      const record = this.newRecord('posts', random() < 0.7);
      return this.ask(state, with_(state.told, record), () => this.send('POST', 'posts', record));
    }
    const { collection, id } = chosen;
    if (random() < 0.3) {
      return this.ask(state, without(state.told, chosen), () => this.send('DELETE', `${collection}/${id}`));
    }
    const changed = { ...this.newRecord(collection, random() < 0.6), id };
    return this.ask(state, with_(state.told, changed), () => this.send('PATCH', `${collection}/${id}`, changed));
  }

  /** Some records at once, and all of them away again. */
  private async batches(state: ClientState, random: () => number): Promise<void> {
    const records = Array.from({ length: 2 + Math.trunc(random() * 6) }, () => this.newRecord('posts', random() < 0.5));
    const creates = records.map((record) => ({ method: 'POST', record }));
    await this.ask(state, new Map(records.map((record) => [record.id, record])), () => this.batch(creates));
    await this.ask(state, new Map(), () => this.batch(records.map((record) => ({ method: 'DELETE', record }))));
  }

  /** An owner with many posts, which go with it. */
  private async cascades(state: ClientState, random: () => number): Promise<void> {
    const owner = this.newRecord('owners', true);
    await this.ask(state, with_(state.told, owner), () => this.send('POST', 'owners', owner));
    const posts = Array.from({ length: 5 + Math.trunc(random() * 20) }, () => this.newRecord('posts', random() < 0.5));
    const all = new Map([owner, ...posts].map((record) => [record.id, record]));
    const creates = posts.map((record) => ({ method: 'POST', record, more: { owner: owner.id } }));
    await this.ask(state, all, () => this.batch(creates));
    await this.ask(state, new Map(), () => this.send('DELETE', `owners/${owner.id}`));
  }

  private async truncates(state: ClientState, random: () => number): Promise<void> {
    const records = Array.from({ length: 5 + Math.trunc(random() * 30) }, () =>
      this.newRecord('heaps', random() < 0.3),
    );
    const creates = records.map((record) => ({ method: 'POST', record }));
    await this.ask(state, new Map(records.map((record) => [record.id, record])), () => this.batch(creates));
    await this.ask(state, new Map(), () => this.call('DELETE', '/api/collections/heaps/truncate'));
  }

  /** Changes a large table, imports definitions, or makes a collection with a file in it or takes that away. */
  private async schema(random: () => number): Promise<void> {
    const names = Object.keys(this.shape) as (keyof Shape)[];
    const name = names[Math.trunc(random() * names.length)]!;
    const shape = { ...this.shape, [name]: !this.shape[name] };
    this.askedShape = shape;
    if (name === 'passing') await this.changePassing(shape.passing);
    else if (name === 'paired') await this.call('PUT', '/api/collections/import', JSON.stringify(pairBody(shape)));
    else await this.call('PATCH', '/api/collections/wide', JSON.stringify(wideBody(shape)));
    this.shape = shape;
    this.askedShape = undefined;
  }

  private async changePassing(isThere: boolean): Promise<void> {
    if (!isThere) return this.call('DELETE', '/api/collections/passing');
    const body = { id: 'faults_passing_', name: 'passing', type: 'base', ...RULES, fields: [title, file] };
    await this.call('POST', '/api/collections', JSON.stringify(body));
    await this.send('POST', 'passing', this.newRecord('passing', true));
  }

  private newRecord(collection: string, hasFile: boolean): KnownRecord {
    const number = String(++this.ids);
    return { collection, id: number.padStart(15, '0'), title: `${collection} ${number}`, hasFile };
  }

  private async ask(state: ClientState, after: Group, work: () => Promise<void>): Promise<void> {
    state.asked = after;
    await work();
    state.told = after;
    state.asked = undefined;
  }

  private send(method: string, path: string, record?: KnownRecord): Promise<void> {
    const [collection, id] = path.split('/');
    const url = `/api/collections/${collection}/records${id ? `/${id}` : ''}`;
    return this.call(method, url, record && formOf(record));
  }

  private batch(items: readonly { method: string; record: KnownRecord; more?: object }[]): Promise<void> {
    const form = new FormData();
    const requests = items.map(({ method, record, more }, index) => {
      const url = `/api/collections/${record.collection}/records`;
      if (method === 'DELETE') return { method, url: `${url}/${record.id}` };
      if (record.hasFile) form.set(`requests.${index}.attachment`, attachmentOf(record));
      return { method, url, body: { id: record.id, title: record.title, ...more } };
    });
    form.set('@jsonPayload', JSON.stringify({ requests }));
    return this.call('POST', '/api/batch', form);
  }

  private async call(method: string, path: string, body?: string | FormData): Promise<void> {
    const headers = {
      authorization: this.token,
      ...(typeof body === 'string' && { 'content-type': 'application/json' }),
    };
    const response = await fetch(this.origin + path, { method, headers, body });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    this.answered++;
  }
}

/** What `wide` looks like with a shape. */
function wideBody({ field, index, several }: Shape): object {
  return {
    fields: [
      {
        name: 'id',
        type: 'text',
        primaryKey: true,
        system: true,
        required: true,
        pattern: '^[a-z0-9]+$',
        min: 1,
        max: 15,
      },
      title,
      tagsField(several),
      ...(field ? [{ id: 'faults_extra', name: 'extra', type: 'number' }] : []),
    ],
    indexes: index ? ['CREATE INDEX `idx_wide_title` ON `wide` (`title`)'] : [],
  };
}

/** An import of both of the pair. */
function pairBody({ paired }: Shape): object {
  const indexes = (name: string) => (paired ? [`CREATE INDEX \`idx_${name}\` ON \`${name}\` (\`title\`)`] : []);
  return { collections: PAIR.map((name) => ({ name, type: 'base', fields: [title], indexes: indexes(name) })) };
}

function tagsField(several: boolean): object {
  return { id: 'faults_tags', name: 'tags', type: 'select', values: ['a', 'b'], maxSelect: several ? 2 : 1 };
}

export function formOf(record: KnownRecord): FormData {
  const form = new FormData();
  form.set('id', record.id);
  form.set('title', record.title);
  form.set('attachment', record.hasFile ? attachmentOf(record) : '');
  return form;
}

export const attachmentOf = (record: KnownRecord) => new File([record.title], 'attachment.txt');

function with_(group: Group, record: KnownRecord): Group {
  return new Map(group).set(record.id, record);
}

function without(group: Group, { id }: KnownRecord): Group {
  const rest = new Map(group);
  rest.delete(id);
  return rest;
}
