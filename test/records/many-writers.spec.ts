import { AsyncLocalStorage } from 'node:async_hooks';
import { EventEmitter, once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Injectable, type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { OnEvent } from '../../src/events/on-event.decorator.js';
import { newRecordId } from '../../src/kernel/ids.js';
import { RecordChanged } from '../../src/records/record-changed.event.js';
import { BeforeRecordCreate } from '../../src/records/record.hooks.js';
import { RecordsService } from '../../src/records/records.service.js';
import type { TestRoost } from '../../src/testing/index.js';
import { Listener } from '../realtime/listener.js';
import { RecordApi } from '../support/api.js';
import { startRoost } from '../support/roost.js';
import { RoostProcess } from '../support/roost-process.js';
import { Sqlite } from '../support/sqlite.js';

const OPEN = { listRule: '', viewRule: '', updateRule: '', deleteRule: '' };
const ITEMS = {
  ...OPEN,
  name: 'items',
  type: 'base',
  createRule: 'views < 1000',
  fields: [
    { name: 'slug', type: 'text', max: 20 },
    { name: 'views', type: 'number' },
  ],
  indexes: ['CREATE UNIQUE INDEX idx_items_slug ON items (slug)'],
};

/** Which request an event is told in, as modules for tracing or tenants know it. */
const requests = new AsyncLocalStorage<string>();

@Injectable()
class Witness {
  readonly seen: [slug: unknown, request: string | undefined][] = [];

  @OnEvent(RecordChanged)
  note({ record }: RecordChanged): void {
    this.seen.push([record.get('slug'), requests.getStore()]);
  }
}

/** Holds up each create of `held` inside its transaction until it is let go. */
@Injectable()
class Gate {
  private readonly events = new EventEmitter();
  readonly reached = once(this.events, 'reached');
  private readonly opened = once(this.events, 'opened');

  isOpen = false;

  open(): void {
    this.isOpen = true;
    this.events.emit('opened');
  }

  @BeforeRecordCreate('held')
  async hold(): Promise<void> {
    this.events.emit('reached');
    await this.opened;
  }
}

@Module({ providers: [Witness, Gate] })
class WitnessModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer
      .apply((request: { headers: Record<string, string> }, _response: unknown, next: () => void) =>
        requests.run(request.headers['x-request-id'] ?? '', next),
      )
      .forRoutes('*path');
  }
}

describe('many who write at once', () => {
  let roost: TestRoost;
  let api: RecordApi;

  beforeAll(async () => {
    roost = await startRoost({ imports: [WitnessModule] });
    await roost.createSuperuser();
    await roost.createCollections(ITEMS, { ...OPEN, name: 'held', type: 'base', createRule: '', fields: [] });
    api = new RecordApi(roost);
  });

  beforeEach(() => (roost.app.get(Witness).seen.length = 0));

  afterAll(() => roost.close());

  const slugs = async (): Promise<unknown[]> => api.column('items', 'slug', { perPage: '1000', sort: 'slug' });

  it('TX-1 are answered as each would be alone', async () => {
    const bodies = Array.from({ length: 400 }, (_, index) => {
      const slug = `s${String(index >> 1).padStart(3, '0')}`;
      if (index % 20 === 6) return { slug: 'x'.repeat(21) };
      if (index % 20 === 9) return { slug, views: 1000 };
      return { slug, views: index };
    });
    const answers = await Promise.all(bodies.map((body) => api.create('items', body)));
    const stored = new Set<string>();
    for (const [index, { status, body }] of answers.entries()) {
      const { slug } = bodies[index]!;
      if (index % 20 === 6) expect(body.data.slug.code).toBe('validation_max_text_constraint');
      else if (index % 20 === 9) expect([status, body.data]).toEqual([400, {}]);
      else if (stored.has(slug)) expect(body.data.slug.code).toBe('validation_not_unique');
      else {
        expect([status, body.slug, body.views]).toEqual([200, slug, index]);
        stored.add(slug);
      }
    }
    expect(await slugs()).toEqual([...stored].sort());
  });

  it('TX-3 add up what each of them adds', async () => {
    const { id } = await api.make('items', { slug: 'counter', views: 0 });
    const answers = await Promise.all(Array.from({ length: 200 }, () => api.update('items', id, { 'views+': 1 })));
    expect(answers.map(({ body }) => body.views)).toEqual(Array.from({ length: 200 }, (_, index) => index + 1));
    expect((await api.view('items', id)).body.views).toBe(200);
  });

  it('SCALE-1 are not held up by a hook of one who comes after them', async () => {
    const gate = roost.app.get(Gate);
    const first = api.create('items', { slug: 'first' });
    const second = api.create('items', { slug: 'second' });
    const held = api.create('held', {});
    const later = setTimeout(() => gate.open(), 3_000);
    expect([(await first).status, (await second).status]).toEqual([200, 200]);
    expect(gate.isOpen).toBe(false);
    clearTimeout(later);
    await gate.reached;
    gate.open();
    expect((await held).status).toBe(200);
  });

  it('SCALE-1 are not held up by further work in the transaction of one who comes after them', async () => {
    const records = roost.app.get(RecordsService);
    const events = new EventEmitter();
    const isOver = once(events, 'over');
    let isHeld = true;
    const later = setTimeout(() => events.emit('over', (isHeld = false)), 3_000);
    const first = records.create('items', { slug: 'before' });
    const held = records.create('items', { slug: 'held' }, { also: async () => void (await isOver) });
    await first;
    expect(isHeld).toBe(true);
    clearTimeout(later);
    events.emit('over');
    await held;
  });

  it('RT-80 are told of in the order in which they were answered, each once', async () => {
    const listener = await Listener.to(roost, ['items/*']);
    const names = Array.from({ length: 100 }, (_, index) => `told${String(index).padStart(3, '0')}`);
    const bodies = names.flatMap((slug) => [{ slug }, { slug }]);
    await Promise.all(bodies.map((body) => api.create('items', body)));
    expect((await listener.settle()).map(({ record }) => record.slug)).toEqual(names);
  });

  it('leave each event in the context of its request', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `context${index}`);
    await Promise.all(
      names.map((slug) =>
        roost.inject({
          method: 'POST',
          url: '/api/collections/items/records',
          headers: { 'x-request-id': `request of ${slug}` },
          body: { slug },
        }),
      ),
    );
    expect(roost.app.get(Witness).seen).toEqual(names.map((slug) => [slug, `request of ${slug}`]));
  });
});

describe('a kill while many write', () => {
  let dir: string;
  let running: RoostProcess;

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'roost-killed-'));
    const roost = await startRoost({ dir });
    await roost.createCollections(ITEMS);
    await roost.close();
  });

  afterAll(async () => {
    await running.stop('SIGKILL');
    await rm(dir, { recursive: true, force: true });
  });

  it('TX-1 loses nothing that was answered', { timeout: 120_000 }, async () => {
    running = new RoostProcess(['serve', '--http=127.0.0.1:0', `--dir=${dir}`], { cwd: dir });
    const url = `${await running.address()}/api/collections/items/records`;
    const answered: string[] = [];
    const write = async (): Promise<void> => {
      for (;;) {
        const body = JSON.stringify({ id: newRecordId(), slug: newRecordId() });
        const response = await fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
        answered.push(((await response.json()) as { id: string }).id);
      }
    };
    const writers = Array.from({ length: 16 }, () => write().catch(() => undefined));
    await expect.poll(() => answered.length, { timeout: 60_000 }).toBeGreaterThan(500);
    running.child.kill('SIGKILL');
    await Promise.all([once(running.child, 'exit'), ...writers]);
    const database = new Sqlite(join(dir, 'data.db'));
    const stored = new Set(database.prepare('SELECT id FROM items').pluck().all());
    expect(answered.filter((id) => !stored.has(id))).toEqual([]);
    expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
    database.close();
  });
});
