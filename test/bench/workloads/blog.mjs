import { randomBytes } from 'node:crypto';

const ORGANISATIONS = 50;
const PERMISSIONS = 20;
const PASSWORD = 'bench-password';
const MIB = 1024 * 1024;

/** The size of the thumbnails of files. */
export const THUMBNAIL = '100x100';

const WORDS = ['nightingale', 'roost', 'feather', 'perch', 'dusk', 'branch', 'warbler', 'thicket'];

/**
 * The data everything is measured on: organisations, permissions, accounts that belong to one and have several, and
 * posts of them. Its collections have names nothing else has, so that any server can be measured with what it holds.
 */
export class Blog {
  /** Posts there are. */
  size = 0;
  #isClosed = false;
  #opening;
  #suffix = randomBytes(4).toString('hex');

  constructor(load, token, users) {
    this.load = load;
    this.token = token;
    this.userCount = users;
  }

  name(collection) {
    return `bench_${collection}_${this.#suffix}`;
  }

  records(collection) {
    return `/api/collections/${this.name(collection)}/records`;
  }

  /** Makes the collections; their rules let everybody read and nobody write. */
  open() {
    this.#opening = this.#open();
    return this.#opening;
  }

  /** Takes the collections away again, as many as there are, also while they are being made. */
  async close() {
    this.#isClosed = true;
    await this.#opening?.catch(() => undefined);
    for (const collection of ['files', 'posts', 'users', 'permissions', 'organisations']) {
      await this.load
        .call('DELETE', `/api/collections/${this.name(collection)}`, { token: this.token })
        .catch((error) => {
          if (!error.message.includes(' 404 ')) throw error;
        });
    }
  }

  /** Makes another collection, of files that everybody may store. */
  openFiles() {
    const field = { name: 'file', type: 'file', maxSelect: 1, maxSize: 20 * MIB, thumbs: [THUMBNAIL] };
    return this.#create('files', { createRule: '', fields: [field] });
  }

  setListRule(listRule) {
    const path = `/api/collections/${this.name('posts')}`;
    return this.load.call('PATCH', path, { token: this.token, body: { listRule } });
  }

  /** Signs the first account in; its token. */
  signIn() {
    const { identity, password } = this.identity(0);
    return this.load.signIn(this.name('users'), identity, password);
  }

  get signInPath() {
    return `/api/collections/${this.name('users')}/auth-with-password`;
  }

  identity(index) {
    return { identity: `user${index}@example.com`, password: PASSWORD };
  }

  /** The body that makes the record with this number. */
  values(collection, index) {
    const id = number(collection, index);
    const from = (name, at) => number(name, at % this.countOf(name));
    switch (collection) {
      case 'organisations':
        return { id, name: `Organisation ${index}` };
      case 'permissions':
        return { id, name: `Permission ${index}`, active: index % 5 !== 0 };
      case 'users':
        return {
          id,
          name: `User ${index}`,
          email: `user${index}@example.com`,
          password: PASSWORD,
          passwordConfirm: PASSWORD,
          organisation: from('organisations', index),
          permissions: [...new Set([from('permissions', index), from('permissions', index * 7 + 1)])],
        };
      default:
        return {
          id,
          title: `Post ${index} on the ${WORDS[index % WORDS.length]}`,
          body: `<p>${WORDS[(index * 3) % WORDS.length]}, a long text.</p>`.repeat(12),
          views: index % 100,
          published: index % 2 === 0,
          tags: [['a'], ['a', 'b'], ['b', 'c', 'd'], []][index % 4],
          author: from('users', index),
        };
    }
  }

  /** How many there are to be of what does not grow. */
  countOf(collection) {
    return { organisations: ORGANISATIONS, permissions: PERMISSIONS, users: this.userCount }[collection];
  }

  async #open() {
    const text = { name: 'name', type: 'text' };
    const organisations = await this.#create('organisations', { fields: [text] });
    const permissions = await this.#create('permissions', { fields: [text, { name: 'active', type: 'bool' }] });
    const users = await this.#create('users', {
      type: 'auth',
      authAlert: { enabled: false },
      fields: [
        text,
        { name: 'organisation', type: 'relation', collectionId: organisations, maxSelect: 1 },
        { name: 'permissions', type: 'relation', collectionId: permissions, maxSelect: 10 },
      ],
    });
    const posts = this.name('posts');
    await this.#create('posts', {
      fields: [
        { name: 'title', type: 'text' },
        { name: 'body', type: 'editor' },
        { name: 'views', type: 'number' },
        { name: 'published', type: 'bool' },
        { name: 'tags', type: 'select', values: ['a', 'b', 'c', 'd'], maxSelect: 4 },
        { name: 'author', type: 'relation', collectionId: users, maxSelect: 1, cascadeDelete: true },
        { name: 'created', type: 'autodate', onCreate: true },
        { name: 'updated', type: 'autodate', onCreate: true, onUpdate: true },
      ],
      indexes: [
        `CREATE INDEX idx_${posts}_author ON ${posts} (author)`,
        `CREATE INDEX idx_${posts}_views ON ${posts} (views)`,
      ],
    });
  }

  async #create(collection, definition) {
    if (this.#isClosed) throw new Error('The blog was closed.');
    const body = { name: this.name(collection), type: 'base', listRule: '', viewRule: '', ...definition };
    return (await this.load.call('POST', '/api/collections', { token: this.token, body })).id;
  }
}

/** The id of the record with this number. */
export function number(collection, index) {
  return collection.slice(0, 4) + String(index).padStart(11, '0');
}
