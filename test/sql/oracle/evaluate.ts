import { compareSides, type Kind, type Operator, type Plain, type Side, type Truth } from './values.js';

type Row = Readonly<Record<string, unknown>>;

interface Field {
  readonly kind: Kind;
  /** Name of the table a relation leads to. */
  readonly target?: string;
}

/** Fields by name, by table. */
export type Schema = Readonly<Record<string, Readonly<Record<string, Field>>>>;

/** What an operand is, as a test knows it before it is written down. */
export type Operand =
  | { readonly kind: 'value'; readonly text: string; readonly value: Plain; readonly literal?: boolean }
  | { readonly kind: 'path'; readonly text: string };

export type Expression =
  | { readonly kind: 'and' | 'or'; readonly terms: readonly Expression[] }
  | {
      readonly kind: 'comparison';
      readonly operator: Operator;
      readonly any: boolean;
      readonly left: Operand;
      readonly right: Operand;
    };

export interface World {
  readonly schema: Schema;
  readonly tables: Readonly<Record<string, readonly Row[]>>;
  /** The rows of a table that are no choice, whatever leads to them (GRD-4). */
  readonly forbidden?: (table: string, row: Row) => boolean;
}

/** Where a variable stands in one choice: a row, or an item of a list with the row it leads to. */
interface Place {
  readonly row: Row | null;
  readonly item: unknown;
}

interface Variable {
  readonly key: string;
  readonly places: (choice: Choice) => readonly Place[];
}

type Choice = ReadonlyMap<string, Place>;

/** A path taken apart. */
interface Resolved {
  readonly kind: Kind;
  readonly multi: boolean;
  /** A whole list, whose items `?=` looks at. */
  readonly isList: boolean;
  readonly variables: readonly Variable[];
  readonly value: (choice: Choice) => Plain;
  readonly items: (choice: Choice) => readonly Plain[];
}

const NOWHERE: Place = { row: null, item: null };

/** Whether an expression is true of a record, by trying every choice of rows (§11). Naive on purpose. */
export function holds(expression: Expression, record: Row, table: string, world: World): boolean {
  const evaluation = new Evaluation(record, table, world);
  const variables = evaluation.variables(expression);
  return choices(variables).some((choice) => evaluation.truth(expression, choice) === true);
}

function choices(variables: readonly Variable[]): Choice[] {
  let all: Choice[] = [new Map()];
  for (const variable of variables) {
    all = all.flatMap((choice) => variable.places(choice).map((place) => new Map([...choice, [variable.key, place]])));
  }
  return all;
}

class Evaluation {
  constructor(
    private readonly record: Row,
    private readonly table: string,
    private readonly world: World,
  ) {}

  variables(expression: Expression): Variable[] {
    const found = new Map<string, Variable>();
    const visit = (node: Expression): void => {
      if (node.kind !== 'comparison') return node.terms.forEach(visit);
      for (const operand of [node.left, node.right]) {
        if (operand.kind === 'value') continue;
        for (const each of this.resolve(operand.text).variables) found.set(each.key, both(found.get(each.key), each));
      }
    };
    visit(expression);
    return [...found.values()];
  }

  truth(node: Expression, choice: Choice): Truth {
    if (node.kind === 'comparison') return this.comparison(node, choice);
    const truths = node.terms.map((term) => this.truth(term, choice));
    const decisive = node.kind === 'or';
    if (truths.includes(decisive)) return decisive;
    return truths.includes(null) ? null : !decisive;
  }

  private comparison(node: Extract<Expression, { kind: 'comparison' }>, choice: Choice): Truth {
    const { operator, any, left, right } = node;
    const chosen = (operand: Operand) => this.side(operand, choice);
    if (any && (operator === '=' || operator === '!=') && (this.isList(left) || this.isList(right))) {
      const lefts = this.itemsOrValue(left, choice);
      const rights = this.itemsOrValue(right, choice);
      return lefts.some((a) => rights.some((b) => compareSides(operator, a, b) === true));
    }
    const truth = compareSides(operator, chosen(left), chosen(right));
    if (any || !(this.isMulti(left) || this.isMulti(right))) return truth;
    const all = (operand: Operand) => (this.isMulti(operand) ? this.everySide(operand) : [chosen(operand)]);
    const broken = all(left).some((a) => all(right).some((b) => compareSides(operator, a, b) === false));
    return broken ? false : truth;
  }

  private side(operand: Operand, choice: Choice): Side {
    if (operand.kind === 'value') return { kind: 'V', value: operand.value, literal: operand.literal };
    const { kind, value } = this.resolve(operand.text);
    return { kind, value: value(choice) };
  }

  private everySide(operand: Operand): Side[] {
    const variables = operand.kind === 'path' ? this.resolve(operand.text).variables : [];
    return choices(variables).map((choice) => this.side(operand, choice));
  }

  private itemsOrValue(operand: Operand, choice: Choice): Side[] {
    if (operand.kind === 'value' || !this.isList(operand)) return [this.side(operand, choice)];
    return this.resolve(operand.text)
      .items(choice)
      .map((value) => ({ kind: 'T', value }));
  }

  private isMulti(operand: Operand): boolean {
    return operand.kind === 'path' && this.resolve(operand.text).multi;
  }

  private isList(operand: Operand): boolean {
    return operand.kind === 'path' && this.resolve(operand.text).isList;
  }

  private resolve(text: string): Resolved {
    const [path, modifier = ''] = splitModifier(text);
    let segments = path.split('.');
    let table = this.table;
    let key = '';
    let row: (choice: Choice) => Row | null = () => this.record;
    let multi = false;
    const variables: Variable[] = [];
    const step = (name: string, places: (from: Row | null) => readonly Place[]) => {
      const from = row;
      key = `${key}.${name}`;
      const own = key;
      const forbids = this.forbids(table);
      variables.push({ key: own, places: (choice) => orNowhere(places(from(choice)), forbids) });
      row = (choice) => choice.get(own)!.row;
    };
    if (segments[0] === '@collection') {
      const [name] = segments[1]!.split(':');
      table = name!;
      const rows = this.rows(table);
      step(segments[1]!, () => rows.map(toPlace));
      multi = true;
      segments = segments.slice(2);
    }
    for (; segments.length > 1; segments = segments.slice(1)) {
      const name = segments[0]!;
      const field = this.world.schema[table]![name];
      const back = /^(.+)_via_(.+)$/.exec(name);
      if (back && !field) {
        const [, source, via] = back as unknown as [string, string, string];
        table = source;
        step(name, (from) =>
          this.rows(source)
            .filter((each) => from && each[via] === from['id'])
            .map(toPlace),
        );
        multi = true;
      } else if (field?.target) {
        if (field.kind === 'T' && segments[1] === 'id' && segments.length === 2) {
          segments = [name];
          break;
        }
        table = field.target;
        const { target } = field;
        step(name, (from) => this.related(from?.[name], target));
        multi ||= field.kind === 'M';
      } else break;
    }
    const [name, ...inside] = segments as [string, ...string[]];
    const field = this.world.schema[table]![name]!;
    const raw = (choice: Choice) => inside.reduce<unknown>((value, each) => at(value, each), row(choice)?.[name]);
    const finished = { multi, isList: false, variables, items: () => [] };
    if (field.kind === 'J') return this.json(finished, raw, `${key}.${segments.join('.')}:each`, modifier);
    switch (modifier) {
      case 'lower':
        return { ...finished, kind: 'C', value: (choice) => lower(plain(raw(choice))) };
      case 'length':
        return { ...finished, kind: 'C', value: (choice) => lengthOf(raw(choice)) };
      case 'each': {
        const own = `${key}.${name}${field.target ? '' : ':each'}`;
        const places = (choice: Choice) => {
          const list = (raw(choice) ?? []) as string[];
          const rows = field.target ? this.rows(field.target) : [];
          return orNowhere(
            list.map((item) => ({ item, row: rows.find(({ id }) => id === item) ?? null })),
            () => false,
          );
        };
        const each = { key: own, places };
        return {
          ...finished,
          kind: 'T',
          multi: true,
          variables: [...variables, each],
          value: (choice) => choice.get(own)!.item as Plain,
        };
      }
      default: {
        const isList = field.kind === 'M';
        const items = (choice: Choice) => (raw(choice) ?? []) as string[];
        return { ...finished, kind: field.kind, isList, items, value: (choice) => plain(raw(choice)) };
      }
    }
  }

  private json(
    finished: Omit<Resolved, 'kind' | 'value'>,
    raw: (choice: Choice) => unknown,
    own: string,
    modifier: string,
  ): Resolved {
    const { variables } = finished;
    if (modifier === 'lower') return { ...finished, kind: 'C', value: (choice) => lower(plain(raw(choice))) };
    if (modifier === 'length') {
      const value = (choice: Choice) => (Array.isArray(raw(choice)) ? (raw(choice) as unknown[]).length : 0);
      return { ...finished, kind: 'C', value };
    }
    if (modifier === '') return { ...finished, kind: 'J', value: (choice) => plain(raw(choice)) };
    const places = (choice: Choice) => {
      const value = raw(choice);
      return orNowhere(
        (Array.isArray(value) ? value : [value]).map((item: unknown) => ({ item, row: null })),
        () => false,
      );
    };
    const each = { key: own, places };
    const value = (choice: Choice) => plain(choice.get(own)!.item);
    return { ...finished, kind: 'J', multi: true, variables: [...variables, each], value };
  }

  private rows(table: string): readonly Row[] {
    return this.world.tables[table]!;
  }

  private forbids(table: string): (row: Row) => boolean {
    return (row) => this.world.forbidden?.(table, row) ?? false;
  }

  private related(value: unknown, target: string): Place[] {
    const ids = Array.isArray(value) ? (value as string[]) : [value];
    return ids.flatMap((item) => {
      const row = this.rows(target).find(({ id }) => id === item);
      return row ? [{ item, row }] : [];
    });
  }
}

/** `f.x` may allow fewer choices than `f:each`, and they are about the same one. */
function both(known: Variable | undefined, variable: Variable): Variable {
  if (!known) return variable;
  const isIn = (places: readonly Place[]) => (place: Place) =>
    places.some(({ row, item }) => row === place.row && (item === place.item || row !== null));
  return { key: variable.key, places: (choice) => variable.places(choice).filter(isIn(known.places(choice))) };
}

function toPlace(row: Row): Place {
  return { row, item: null };
}

/** A path without rows offers one row of nothing; rows that are no choice are not replaced by it (GRD-4). */
function orNowhere(places: readonly Place[], forbidden: (row: Row) => boolean): readonly Place[] {
  if (places.length === 0) return [NOWHERE];
  return places.filter(({ row }) => row === null || !forbidden(row));
}

function splitModifier(text: string): string[] {
  const start = text.startsWith('@collection.') ? text.indexOf('.', '@collection.'.length) : 0;
  const colon = text.indexOf(':', start);
  return colon === -1 ? [text] : [text.slice(0, colon), text.slice(colon + 1)];
}

function at(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return /^\d+$/.test(name) ? value[Number(name)] : undefined;
  if (typeof value !== 'object' || value === null || /^\d+$/.test(name)) return undefined;
  return (value as Record<string, unknown>)[name];
}

function plain(value: unknown): Plain {
  if (value === undefined || value === null) return null;
  if (typeof value === 'boolean') return value ? 1 : 0;
  return typeof value === 'object' ? JSON.stringify(value) : (value as Plain);
}

function lower(value: Plain): Plain {
  return value === null ? null : String(value).replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

function lengthOf(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  return value === undefined || value === null || value === '' ? 0 : 1;
}
