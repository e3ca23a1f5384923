import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CollectionStore } from '../../src/collections/collection-store.js';
import { collectionToJson } from '../../src/kernel/collections/collection-json.js';
import type { TestRoost } from '../../src/testing/index.js';
import { UserMigrationsService } from '../../src/user-migrations/user-migrations.service.js';
import { startRoost } from '../support/roost.js';

/** A few with every run of the suite; `AUTOMIGRATE_RUNS=200` for a thorough one. */
const RUNS = Number(process.env['AUTOMIGRATE_RUNS'] ?? 5);

type Json = Record<string, unknown>;
type Field = Json & { id: string; name: string };

/** One change somebody makes, with numbers that choose what it is about. */
interface Step {
  readonly kind: (typeof KINDS)[number];
  readonly a: number;
  readonly b: number;
}

const KINDS = [
  'create',
  'createView',
  'addField',
  'addRelation',
  'removeField',
  'renameField',
  'changeField',
  'moveField',
  'rename',
  'rule',
  'index',
  'auth',
  'delete',
] as const;
const TYPES = ['text', 'number', 'bool', 'json', 'date', 'editor', 'email', 'url', 'geoPoint', 'autodate'];

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(...KINDS),
  a: fc.nat({ max: 1000 }),
  b: fc.nat({ max: 1000 }),
});

/** Somebody who changes collections through the API; what is refused changes nothing. */
class Editor {
  accepted = 0;

  constructor(
    private readonly roost: TestRoost,
    private readonly token: string,
  ) {}

  async perform({ kind, a, b }: Step): Promise<void> {
    const present = collections(this.roost).filter(({ system }) => !system);
    const target = present[a % present.length] ?? { id: 'none', fields: [] as Field[], name: 'none', indexes: [] };
    const fields = target.fields as Field[];
    const own = fields.filter(({ system }) => !system);
    const field = own[b % Math.max(own.length, 1)];
    const patch = (body: Json) => this.call('PATCH', `/${target.id as string}`, body);
    const withField = (change: (field: Field) => Json) =>
      patch({ fields: fields.map((each) => (each === field ? change(each) : each)) });
    switch (kind) {
      case 'create':
        return this.call('POST', '', {
          name: `c${a}`,
          type: b % 3 === 0 ? 'auth' : 'base',
          listRule: b % 2 ? '' : null,
        });
      case 'createView':
        return this.call('POST', '', {
          name: `v${b}`,
          type: 'view',
          viewQuery: `SELECT id${field ? `, ${field.name}` : ''} FROM ${target.name as string}`,
        });
      case 'addField':
        return patch({ fields: inserted(fields, b, { name: `f${b}`, type: TYPES[a % TYPES.length] }) });
      case 'addRelation': {
        const other = present[b % present.length];
        const relation = { name: `r${b}`, type: 'relation', collectionId: other?.id, maxSelect: 1 + (b % 3) };
        return patch({ fields: inserted(fields, a, relation) });
      }
      case 'removeField':
        return patch({ fields: fields.filter((each) => each !== field) });
      case 'renameField':
        return withField((each) => ({ ...each, name: `n${a}` }));
      case 'changeField':
        return withField((each) => ({ ...each, required: !each['required'], hidden: b % 2 === 0, help: `help ${a}` }));
      case 'moveField':
        return patch({ fields: [...fields.slice(b % fields.length), ...fields.slice(0, b % fields.length)] });
      case 'rename':
        return patch({ name: `m${b}` });
      case 'rule':
        return patch({
          viewRule: [null, `id != "x${a}"`, `@collection.${present[b % present.length]?.name as string}.id != ""`][
            a % 3
          ],
          updateRule: field ? `${field.name} != ""` : '',
        });
      case 'index':
        return patch({
          indexes:
            b % 4 === 0 || !field
              ? []
              : [
                  ...(target.indexes as string[]),
                  `CREATE INDEX idx_${a}_${b} ON ${target.name as string} (${field.name})`,
                ],
        });
      case 'auth':
        return patch({
          mfa: { enabled: false, duration: 10 + a },
          otp: { length: 4 + (b % 5) },
          authToken: { duration: 60 + a },
        });
      case 'delete':
        return this.call('DELETE', `/${target.id as string}`);
    }
  }

  private async call(method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: Json): Promise<void> {
    const { status } = await this.roost.inject({ method, url: `/api/collections${path}`, token: this.token, body });
    expect([200, 204, 400, 404]).toContain(status);
    if (status < 300) this.accepted++;
  }
}

function inserted(fields: readonly Field[], at: number, field: Json): Json[] {
  return fields.toSpliced(at % (fields.length + 1), 0, field as Field);
}

/** Everything a migration is to bring back; the order of fields is not part of it. */
function collections(roost: TestRoost): (Json & { fields: unknown; indexes: unknown })[] {
  const { catalog } = roost.app.get(CollectionStore, { strict: false });
  return catalog.all().map((collection) => {
    const { created: _created, updated: _updated, ...json } = collectionToJson(collection);
    return json as Json & { fields: unknown; indexes: unknown };
  });
}

function comparable(roost: TestRoost): Json[] {
  return collections(roost)
    .map((collection) => ({
      ...collection,
      fields: (collection.fields as Field[]).toSorted((one, other) => (one.id < other.id ? -1 : 1)),
    }))
    .toSorted((one, other) => (String((one as Json)['id']) < String((other as Json)['id']) ? -1 : 1));
}

const migrations = (roost: TestRoost) => roost.app.get(UserMigrationsService, { strict: false });

it(
  'OPS-189 OPS-186 the files of automigrate rebuild the same collections from nothing and take them back, a snapshot rebuilds them too',
  { timeout: 240_000 + RUNS * 20_000 },
  async () => {
    let accepted = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 45 }), async (steps) => {
        const dirs = [0, 1, 2].map(() => mkdtempSync(join(tmpdir(), 'roost-automigrate-')));
        const [dir, empty, blank] = dirs as [string, string, string];
        const config = { ROOST_MIGRATIONS_DIR: join(dir, 'migrations') };
        const original = await startRoost({ dir, config: { ...config, ROOST_AUTOMIGRATE: true } });
        const untouched = comparable(original);
        let rebuilt: TestRoost | undefined;
        let imported: TestRoost | undefined;
        try {
          const editor = new Editor(original, await original.createSuperuser());
          for (const each of steps) await editor.perform(each);
          accepted += editor.accepted;
          rebuilt = await startRoost({ dir: empty, config });
          expect(comparable(rebuilt)).toEqual(comparable(original));
          await migrations(rebuilt).down(1000);
          expect(comparable(rebuilt)).toEqual(untouched);
          const { path } = await migrations(original).createSnapshot();
          mkdirSync(join(blank, 'migrations'));
          copyFileSync(path, join(blank, 'migrations', '100_snapshot.js'));
          imported = await startRoost({ dir: blank, config: { ROOST_MIGRATIONS_DIR: join(blank, 'migrations') } });
          // An import deletes nothing, so a collection every installation begins with is still there.
          const kept = new Set(comparable(original).map(({ id }) => id));
          expect(comparable(imported).filter(({ id }) => kept.has(id))).toEqual(comparable(original));
        } finally {
          await imported?.close();
          await rebuilt?.close();
          await original.close();
          for (const each of dirs) rmSync(each, { recursive: true, force: true });
        }
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
    expect(accepted).toBeGreaterThan(40);
  },
);
