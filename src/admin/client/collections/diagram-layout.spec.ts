import ELK from 'elkjs/lib/elk.bundled.js';
import { describe, expect, it } from 'vitest';
import type { CollectionModel } from '../api/collection-model.js';
import { cardsOf, HEAD, layoutCards, pathOf, type Layout, type Point } from './diagram-layout.js';

const collection = (id: string, targets: readonly string[] = []): CollectionModel =>
  ({
    id,
    name: `${id}_with_quite_a_long_name`,
    type: 'base',
    fields: [
      { id: 'title', name: 'title', type: 'text' },
      ...targets.map((target, at) => ({
        id: `r${at}`,
        name: `relation_${at}`,
        type: 'relation',
        collectionId: target,
        maxSelect: 1,
      })),
    ],
  }) as unknown as CollectionModel;

/** Sixty collections: ten chains of six, all of whose first and third also point to accounts, one to itself. */
const SIXTY = [
  ...Array.from({ length: 59 }, (_, at) =>
    collection(`c${at}`, [
      ...(at % 6 ? [`c${at - 1}`] : []),
      ...(at % 3 === 0 ? ['accounts'] : []),
      ...(at === 7 ? ['c7', 'elsewhere'] : []),
    ]),
  ),
  collection('accounts'),
];

type Placed = Layout['cards'][number];
const overlap = (a: Placed, b: Placed) =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
/** Whether a straight part of a line passes through the inside of a card. */
const crosses = (card: Placed, from: Point, to: Point) =>
  Math.min(from.x, to.x) < card.x + card.width - 1 &&
  Math.max(from.x, to.x) > card.x + 1 &&
  Math.min(from.y, to.y) < card.y + card.height - 1 &&
  Math.max(from.y, to.y) > card.y + 1;

describe('the layout of the diagram', () => {
  it('UI-16 places sixty collections side by side, and leads no line behind a card', async () => {
    const { cards, lines } = await layoutCards(new ELK(), cardsOf(SIXTY));
    expect(cards).toHaveLength(60);
    const pairs = cards.flatMap((a, at) => cards.slice(at + 1).map((b) => [a, b] as const));
    expect(pairs.filter(([a, b]) => overlap(a, b))).toEqual([]);
    // One relation is not drawn: nobody knows where it leads.
    expect(lines).toHaveLength(49 + 20 + 1);
    const behind = lines.flatMap(({ id, points }) =>
      points
        .slice(1)
        .flatMap((to, at) =>
          cards.filter((card) => crosses(card, points[at]!, to)).map((card) => `${id} behind ${card.collection.name}`),
        ),
    );
    expect(behind).toEqual([]);
  });

  it('UI-16 begins lines at the field of the relation and ends them at the name of the other', async () => {
    const { cards, lines } = await layoutCards(new ELK(), cardsOf([collection('a', ['b']), collection('b')]));
    const [a, b] = cards as [Placed, Placed];
    expect(lines[0]!.points[0]).toEqual({ x: a.x + a.width, y: a.y + HEAD + 36 });
    expect(lines[0]!.points.at(-1)).toEqual({ x: b.x, y: b.y + HEAD / 2 });
    expect(a.x + a.width).toBeLessThan(b.x);
  });

  it('UI-16 shows the relations of many collections only, unless all fields are wanted', () => {
    expect(cardsOf(SIXTY)[1]).toMatchObject({ more: 1, fields: [{ name: 'relation_0' }] });
    expect(cardsOf(SIXTY, true)[1]).toMatchObject({ more: 0, fields: [{ name: 'title' }, { name: 'relation_0' }] });
    expect(cardsOf(SIXTY.slice(0, 3))[1]!.more).toBe(0);
  });

  it('rounds the corners of a line', () => {
    expect(pathOf([])).toBe('');
    const path = pathOf(
      [
        { x: 0, y: 0 },
        { x: 20, y: 0 },
        { x: 20, y: 30 },
      ],
      5,
    );
    expect(path).toBe('M 0 0 L 15 0 Q 20 0 20 5 L 20 30');
  });
});
