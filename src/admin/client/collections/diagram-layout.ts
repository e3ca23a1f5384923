import type { ELK, ElkNode } from 'elkjs/lib/elk-api.js';
import { isMultiple, type CollectionModel, type FieldModel } from '../api/collection-model.js';

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A collection in the diagram, with the fields that are shown. */
export interface Card {
  readonly collection: CollectionModel;
  readonly fields: readonly FieldModel[];
  /** How many fields are not shown. */
  readonly more: number;
  readonly width: number;
  readonly height: number;
}

export interface Line {
  readonly id: string;
  readonly source: string;
  readonly target: string;
  readonly field: FieldModel;
  /** The line bends at all but the first and the last. */
  readonly points: readonly Point[];
}

export interface Layout {
  readonly cards: readonly (Card & Point)[];
  readonly lines: readonly Line[];
  readonly width: number;
  readonly height: number;
}

export const HEAD = 34;
export const ROW = 24;

/** From so many collections on, cards show what they are about: their relations. */
const MANY = 24;

const isRelation = (field: FieldModel) => field.type === 'relation';

/** Room for a text of the size of cards, without asking the page: no letter but W and M is wider. */
const widthOf = (text: string, letter: number) => Math.ceil([...text].length * letter);

function cardOf(collection: CollectionModel, all: boolean): Card {
  const fields = all ? collection.fields : collection.fields.filter(isRelation);
  const more = collection.fields.length - fields.length;
  // Names are not cut: the card is as wide as what stands in it.
  const width = Math.max(
    180,
    46 + widthOf(collection.name, 7.6),
    ...fields.map(({ name, type }) => 56 + widthOf(name, 6.9) + widthOf(type, 6.2)),
  );
  return { collection, fields, more, width, height: HEAD + (fields.length + (more ? 1 : 0)) * ROW + 1 };
}

/** The cards of a diagram. All fields are shown where there are few collections, or if it is wished. */
export function cardsOf(collections: readonly CollectionModel[], all = collections.length <= MANY): Card[] {
  return collections.map((collection) => cardOf(collection, all));
}

const OPTIONS = {
  'elk.algorithm': 'layered',
  'elk.direction': 'RIGHT',
  'elk.edgeRouting': 'ORTHOGONAL',
  'elk.spacing.nodeNode': '28',
  'elk.spacing.edgeNode': '14',
  'elk.spacing.edgeEdge': '8',
  'elk.spacing.componentComponent': '36',
  'elk.layered.spacing.nodeNodeBetweenLayers': '48',
  'elk.layered.spacing.edgeNodeBetweenLayers': '18',
  'elk.layered.spacing.edgeEdgeBetweenLayers': '8',
  'elk.layered.nodePlacement.strategy': 'NETWORK_SIMPLEX',
  'elk.layered.unnecessaryBendpoints': 'true',
  'elk.aspectRatio': '1.8',
};

const isKnown = (cards: readonly Card[], field: FieldModel) =>
  cards.some(({ collection }) => collection.id === field.collectionId);

/**
 * What the library is asked: lines leave a card beside the field of the relation and arrive at the name of the other.
 */
function graphOf(cards: readonly Card[]): ElkNode {
  const port = (id: string, x: number, y: number, side: 'WEST' | 'EAST') => ({
    id,
    x,
    y,
    width: 0,
    height: 0,
    layoutOptions: { 'elk.port.side': side },
  });
  return {
    id: 'root',
    layoutOptions: OPTIONS,
    children: cards.map(({ collection, fields, width, height }) => ({
      id: collection.id,
      width,
      height,
      layoutOptions: { 'elk.portConstraints': 'FIXED_POS' },
      ports: [
        port(`${collection.id}:in`, 0, HEAD / 2, 'WEST'),
        ...fields.flatMap((field, at) =>
          isRelation(field) && isKnown(cards, field)
            ? [port(`${collection.id}:${field.id}`, width, HEAD + (at + 0.5) * ROW, 'EAST')]
            : [],
        ),
      ],
    })),
    edges: cards.flatMap(({ collection, fields }) =>
      fields
        .filter((field) => isRelation(field) && isKnown(cards, field))
        .map((field) => ({
          id: `${collection.id}:${field.id}`,
          sources: [`${collection.id}:${field.id}`],
          targets: [`${field.collectionId as string}:in`],
        })),
    ),
  };
}

/**
 * Where cards and the lines between them lie, so that related ones are near each other and nothing lies over another.
 */
export async function layoutCards(elk: ELK, cards: readonly Card[]): Promise<Layout> {
  const placed = await elk.layout(graphOf(cards));
  const places = new Map(placed.children!.map((each) => [each.id, each]));
  const routes = new Map(placed.edges!.map((each) => [each.id, each.sections?.[0]]));
  return {
    cards: cards.map((card) => {
      const { x = 0, y = 0 } = places.get(card.collection.id)!;
      return { ...card, x, y };
    }),
    lines: cards.flatMap(({ collection, fields }) =>
      fields.flatMap((field): Line[] => {
        const id = `${collection.id}:${field.id}`;
        const route = routes.get(id);
        if (!route) return [];
        const points = [route.startPoint, ...(route.bendPoints ?? []), route.endPoint];
        return [{ id, source: collection.id, target: field.collectionId as string, field, points }];
      }),
    ),
    width: placed.width ?? 0,
    height: placed.height ?? 0,
  };
}

/** A line through points, with corners a little round. */
export function pathOf(points: readonly Point[], radius = 6): string {
  const [first, ...rest] = points;
  if (!first) return '';
  let path = `M ${first.x} ${first.y}`;
  let before = first;
  rest.forEach((point, at) => {
    const next = rest[at + 1];
    if (!next) {
      path += ` L ${point.x} ${point.y}`;
      return;
    }
    const near = towards(point, before, radius);
    const far = towards(point, next, radius);
    path += ` L ${near.x} ${near.y} Q ${point.x} ${point.y} ${far.x} ${far.y}`;
    before = point;
  });
  return path;
}

function towards(from: Point, to: Point, distance: number): Point {
  const [x, y] = [to.x - from.x, to.y - from.y];
  const length = Math.hypot(x, y) || 1;
  const part = Math.min(distance, length / 2) / length;
  return { x: from.x + x * part, y: from.y + y * part };
}

/** How many there are at the other end of a relation, as people say it. */
export function manyText(field: FieldModel): string {
  return isMultiple(field) ? 'many' : 'one';
}
