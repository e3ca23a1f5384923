import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EVENT_BUS, type EventBus } from '../../src/events/event-bus.js';
import { RecordChanged } from '../../src/records/record-changed.event.js';
import { RecordsService } from '../../src/records/records.service.js';
import type { TestRoost } from '../../src/testing/index.js';
import { startRoost } from '../support/roost.js';

/** Relation fields of the nodes, in the order of their definitions; each may point at either kind of node. */
const FIELDS = [
  { name: 'one', many: false, cascadeDelete: false },
  { name: 'oneCascading', many: false, cascadeDelete: true },
  { name: 'many', many: true, cascadeDelete: false },
  { name: 'manyCascading', many: true, cascadeDelete: true },
] as const;
const NODES = ['left', 'right'] as const;
const SIZE = 4;

/** A relation field: where it stands, where it points, and what becomes of its record. */
interface Column {
  readonly collection: string;
  readonly name: string;
  readonly target: string;
  readonly many: boolean;
  readonly cascadeDelete: boolean;
  readonly required: boolean;
}

/** Ids a record refers to, by `<field>To<collection>`. */
type Links = Record<string, string[]>;
/** What is stored, by collection and id, in the order of insertion. */
type State = Record<string, Map<string, Links>>;

const idOf = (collection: string, index: number) => `${collection}${index}`.padEnd(15, '0');
const ofNodes = (collection: string): Column[] =>
  FIELDS.flatMap((field) =>
    NODES.map((target) => ({ ...field, collection, target, name: `${field.name}To${target}`, required: false })),
  );
const needed = { collection: 'needers', name: 'needed', target: 'left', many: true, cascadeDelete: false };
/** In the order in which REL-2 comes to them. */
const COLUMNS: readonly Column[] = [...ofNodes('left'), { ...needed, required: true }, ...ofNodes('right')];
const COLLECTIONS = [...new Set(COLUMNS.map(({ collection }) => collection))];
const columnsOf = (collection: string) => COLUMNS.filter((column) => column.collection === collection);

/** REL-2 word by word; throws when something is still required. */
function removed(state: State, collection: string, id: string, events: string[]): void {
  if (!state[collection]!.delete(id)) return;
  events.push(`delete ${id}`);
  for (const column of COLUMNS.filter(({ target }) => target === collection)) {
    const holders = state[column.collection]!;
    for (const holderId of holders.keys()) {
      const holder = holders.get(holderId);
      if (!holder?.[column.name]!.includes(id)) continue;
      const left = holder[column.name]!.filter((entry) => entry !== id);
      if (left.length === 0 && column.cascadeDelete) {
        removed(state, column.collection, holderId, events);
        continue;
      }
      if (left.length === 0 && column.required) throw new Error(`${holderId} needs ${id}`);
      holder[column.name] = left;
      events.push(`update ${holderId}`);
    }
  }
}

const indexes = Array.from({ length: SIZE }, (_, index) => index);
// Cascades through lists are where one deletion changes what another has yet to come to: most links are such.
const column = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...ofNodes('').filter(({ many, cascadeDelete }) => many && cascadeDelete)) },
  { weight: 1, arbitrary: fc.constantFrom(...ofNodes('')) },
);
const links = fc.array(fc.tuple(column, fc.subarray(indexes, { minLength: 1, maxLength: 3 })), { maxLength: 3 });
const nodes = fc.array(links, { minLength: SIZE, maxLength: SIZE });
const graphs = fc.record({
  nodes: fc.record({ left: nodes, right: nodes }),
  needs: fc.array(fc.subarray(indexes, { minLength: 1 }), { maxLength: 2 }),
});

describe.each([
  { isHeard: true, numRuns: 150 },
  { isHeard: false, numRuns: 75 },
])('deleting in graphs of records, somebody hears of it: $isHeard', ({ isHeard, numRuns }) => {
  let roost: TestRoost;
  let records: RecordsService;
  const events: string[] = [];

  beforeAll(async () => {
    roost = await startRoost();
    records = roost.app.get(RecordsService, { strict: false });
    const fieldsOf = (collection: string) =>
      columnsOf(collection).map(({ name, target, many, cascadeDelete, required }) => {
        const options = { collectionId: `graph_${target}`, maxSelect: many ? SIZE : 1, cascadeDelete, required };
        return { name, type: 'relation', ...options };
      });
    await roost.createCollections(
      ...COLLECTIONS.map((name) => {
        // Records that an index leads to need not be read where nobody hears of it.
        const indexed = columnsOf(name).filter((column) => column.name === 'oneCascadingToleft');
        const indexes = indexed.map((column) => `CREATE INDEX idx_${name} ON ${name} (${column.name})`);
        return { id: `graph_${name}`, name, type: 'base', fields: fieldsOf(name), indexes };
      }),
    );
    if (!isHeard) return;
    roost.app
      .get<EventBus>(EVENT_BUS, { strict: false })
      .subscribe(RecordChanged, ({ action, record }) => void events.push(`${action} ${record.id}`));
  });
  afterAll(() => roost.close());

  /** What is stored now. */
  async function stored(): Promise<State> {
    const state: State = {};
    for (const collection of COLLECTIONS) {
      const { items } = await records.find(collection, { perPage: 1000 });
      const linksOf = (item: (typeof items)[number]) =>
        columnsOf(collection).map(({ name }) => [name, [item.get(name)].flat().filter(Boolean) as string[]]);
      state[collection] = new Map(items.map((item) => [item.id, Object.fromEntries(linksOf(item)) as Links]));
    }
    return state;
  }

  /** Replaces whatever is stored. */
  function store({ nodes: links, needs }: typeof graphs extends fc.Arbitrary<infer Graph> ? Graph : never) {
    return records.transaction(async () => {
      for (const name of ['needers', ...NODES]) {
        for (let first; (first = (await records.find(name, { perPage: 1 })).items[0]);) {
          await records.delete(name, first.id);
        }
      }
      for (const name of NODES) for (const place of indexes) await records.create(name, { id: idOf(name, place) });
      for (const name of NODES) {
        for (const [place, pairs] of links[name].entries()) {
          const values = pairs.map(([column, to]) => [column.name, to.map((item) => idOf(column.target, item))]);
          await records.update(name, idOf(name, place), Object.fromEntries(values));
        }
      }
      for (const to of needs) await records.create('needers', { needed: to.map((item) => idOf('left', item)) });
    });
  }

  it('REL-2 REL-3 REL-4 leaves and tells exactly what the definition says, whatever refers to what', async () => {
    await fc.assert(
      fc.asyncProperty(graphs, fc.constantFrom(...NODES), fc.nat(SIZE - 1), async (graph, collection, index) => {
        await store(graph);
        const before = await stored();
        const expected = structuredClone(before);
        const told: string[] = [];
        let refused = false;
        try {
          removed(expected, collection, idOf(collection, index), told);
        } catch {
          refused = true;
        }
        events.length = 0;
        const failure = await records.delete(collection, idOf(collection, index)).then(
          () => undefined,
          (error: unknown) => error,
        );
        expect(failure === undefined).toBe(!refused);
        expect(await stored()).toEqual(refused ? before : expected);
        expect(events).toEqual(refused || !isHeard ? [] : told);
      }),
      { numRuns },
    );
  }, 60_000);
});
