import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Database } from '../../src/database/database.js';
import { SqliteDialect, sqliteDriver } from '../../src/database/sqlite/sqlite-dialect.js';
import { Outbox } from '../../src/events/outbox.js';
import { StreamInterest } from '../../src/events/stream-interest.js';
import { hubOf, type TestWorker } from './hub-of-workers.js';
import { eventually } from '../support/eventually.js';

class Said {
  constructor(
    readonly by: string,
    readonly text: string,
  ) {}
}

const TABLE = `CREATE TABLE IF NOT EXISTS "_outbox" (
  "id" INTEGER PRIMARY KEY AUTOINCREMENT, "origin" TEXT NOT NULL, "name" TEXT NOT NULL, "data" TEXT NOT NULL)`;

/** What one worker writes to the outbox and hears from it. */
class Member {
  readonly heard: string[] = [];
  readonly missed = vi.fn<() => void>();
  /** Events it can make nothing of. */
  unknown: string | undefined;
  readonly reads;

  private constructor(
    readonly worker: TestWorker,
    readonly database: Database,
    readonly outbox: Outbox,
    readonly streams: StreamInterest,
  ) {
    const all = database.all.bind(database);
    this.reads = vi.spyOn(database, 'all').mockImplementation((statement) => all(statement));
    const decode = (data: unknown): Said | undefined => {
      const said = Object.assign(Object.create(Said.prototype as object) as Said, data);
      return said.text === this.unknown ? undefined : said;
    };
    outbox.register(Said, { name: 'said', encode: (said) => ({ ...said }), decode });
    outbox.onEvent((event) => this.heard.push((event as Said).text));
    outbox.onMissed(this.missed);
  }

  static async of(worker: TestWorker, file: string, listens = true): Promise<Member> {
    const { link } = worker;
    const dialect = new SqliteDialect({
      file,
      driver: sqliteDriver('better-sqlite3'),
      queryTimeout: 30,
      turns: link.turns,
    });
    const database = new Database(dialect, { hasPeers: true, allowsBegin: false });
    await database.run({ sql: TABLE, params: [], writes: [] });
    const streams = new StreamInterest(link, database);
    const member = new Member(worker, database, new Outbox(database, link, streams), streams);
    await member.outbox.begin();
    await streams.learn();
    await streams.listen(listens);
    return member;
  }

  readsSlowly(): void {
    const read = this.reads.getMockImplementation()!;
    this.reads.mockImplementation(async (statement) => {
      const rows = await read(statement);
      await new Promise((resolve) => setTimeout(resolve, 100));
      return rows;
    });
  }

  async end(): Promise<void> {
    this.outbox.onApplicationShutdown();
    await this.database.lifecycle.close();
  }

  /** Commits events of this worker, which are part of what it hears at that moment. */
  say(...texts: string[]): Promise<void> {
    return this.database.transaction(async () => {
      await this.outbox.store(texts.map((text) => new Said(this.worker.link.id, text)));
      this.database.onCommit(() => this.heard.push(...texts));
    });
  }
}

let folder: string;
let members: Member[];

async function start(count: number): Promise<Member[]> {
  folder = await mkdtemp(join(tmpdir(), 'roost-outbox-'));
  members = [];
  for (const worker of hubOf(count).workers) members.push(await Member.of(worker, join(folder, 'data.db')));
  // From now on nothing is looked for any more that is told.
  for (const [index, member] of [...members, ...members].entries()) {
    await member.say(`hello ${index}`);
    await allHear(`hello ${index}`);
  }
  for (const { heard, reads } of members) {
    heard.length = 0;
    reads.mockClear();
  }
  return members;
}

const allHear = (text: string) =>
  eventually(() => expect(members.map(({ heard }) => heard.includes(text))).toEqual(members.map(() => true)));

afterEach(async () => {
  for (const member of members) await member.end();
  await rm(folder, { recursive: true, force: true });
});

describe('the outbox of workers', () => {
  it('SCALE-21 SCALE-32 what one commits is told to the others in the order of the commits, and they read nothing', async () => {
    const [one, two, three] = await start(3);
    const texts = Array.from({ length: 60 }, (_, index) => `text ${index}`);
    await Promise.all(texts.map((text, index) => [one, two, three][index % 3]!.say(text)));
    await one!.say('last');
    await allHear('last');
    expect(one!.heard.toSorted()).toEqual([...texts, 'last'].toSorted());
    expect(two!.heard).toEqual(one!.heard);
    expect(three!.heard).toEqual(one!.heard);
    for (const { reads } of members) expect(reads).not.toHaveBeenCalled();
  });

  it('SCALE-21 what a worker has committed and did not live to tell is heard before anything that comes after it', async () => {
    const [one, two, three] = await start(3);
    two!.readsSlowly();
    await one!.database.transaction(async () => {
      one!.database.onCommit(() => one!.worker.die());
      await one!.outbox.store([new Said('1', 'last words')]);
    });
    await two!.say('after a death');
    await eventually(() => expect(three!.heard).toContain('after a death'));
    expect(two!.heard).toEqual(['last words', 'after a death']);
    expect(three!.heard).toEqual(['last words', 'after a death']);
  });

  it('SCALE-21 what is too much for a message is read, and nothing overtakes it', async () => {
    const [one, two] = await start(2);
    const large = Array.from({ length: 500 }, (_, index) => `${index} `.padEnd(2_000, 'x'));
    two!.readsSlowly();
    await one!.say(...large);
    await one!.say('meanwhile');
    await allHear('meanwhile');
    await two!.say('after it');
    await allHear('after it');
    expect(two!.heard).toEqual([...large, 'meanwhile', 'after it']);
    expect(one!.heard).toEqual(two!.heard);
  });

  it('SCALE-21 SCALE-23 an event that means nothing yet is looked at again with the definitions of now, and nobody waits for ever', async () => {
    const [one, two] = await start(2);
    two!.unknown = 'of a new collection';
    two!.database.changes.onForeignDefinitions(() => void (two!.unknown = undefined));
    await one!.say('known', 'of a new collection', 'known as well');
    await one!.say('later');
    await eventually(() => expect(two!.heard).toContain('later'));
    expect(two!.heard).toEqual(['known', 'of a new collection', 'known as well', 'later']);
  });

  it('SCALE-21 OPS-104 whoever restores a database hears what the others store in that', async () => {
    const [one, two] = await start(2);
    const file = join(folder, 'data.db');
    const kept = join(folder, 'kept.db');
    await one!.database.run({ sql: `VACUUM INTO '${kept}'`, params: [], writes: [] });
    await one!.say(...Array.from({ length: 20 }, (_, index) => `before ${index}`));
    await allHear('before 19');
    await two!.end();
    await one!.database.lifecycle.whileClosed(async () => {
      for (const end of ['-wal', '-shm']) await rm(file + end, { force: true });
      await rename(kept, file);
    });
    members = [one!, await Member.of(two!.worker, file)];
    await members[1]!.say('in what was restored');
    await allHear('in what was restored');
    expect(one!.missed).not.toHaveBeenCalled();
  });
});
