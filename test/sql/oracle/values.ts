/** A value of the language as §10 describes it, and how it is compared. Written from the specification alone. */
export type Plain = string | number | null;

/** The kinds of §10; C is something computed, S is compared null-safely like JSON. */
export type Kind = 'T' | 'D' | 'N' | 'B' | 'J' | 'M' | 'V' | 'C' | 'S';

export interface Side {
  readonly kind: Kind;
  readonly value: Plain;
  /** `true`, `false` or `null` as written. */
  readonly literal?: boolean;
}

export type Truth = boolean | null;

export type Operator = '=' | '!=' | '>' | '>=' | '<' | '<=' | '~' | '!~';

const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** §10 for one pair of values. */
export function compareSides(operator: Operator, left: Side, right: Side): Truth {
  if (operator === '~' || operator === '!~') return contains(left, right, operator === '!~');
  const [a, b] = convert(operator, left, right);
  if (operator === '=' || operator === '!=')
    return equal(operator === '!=', { ...left, value: a }, { ...right, value: b });
  if (a === null || b === null) return null;
  const order = compareOrder(a, b);
  return { '>': order > 0, '>=': order >= 0, '<': order < 0, '<=': order <= 0 }[operator];
}

/** CMP-1. */
function convert(operator: Operator, left: Side, right: Side): [Plain, Plain] {
  const one = (side: Side, other: Side): Plain => {
    const fromOutside = side.kind === 'V' || side.kind === 'J';
    const textual = ['T', 'D', 'M'].includes(other.kind);
    const numeric = ['N', 'B'].includes(other.kind);
    if (side.kind === 'V' && other.kind === 'D' && typeof side.value === 'string') return toMoment(side.value);
    if (fromOutside && textual && typeof side.value === 'number') return String(side.value);
    const isOrder = operator !== '=' && operator !== '!=';
    const isColumnOfNumbers = numeric || (other.kind === 'C' && typeof other.value === 'number');
    if (numeric && fromOutside) return toNumber(side.value);
    if (isOrder && !fromOutside && isColumnOfNumbers) return toNumber(side.value);
    return side.value;
  };
  return [one(left, right), one(right, left)];
}

/** CMP-4, for the one form that is generated. */
function toMoment(value: string): Plain {
  const isComplete = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/.test(value);
  return isComplete ? new Date(value).toISOString().replace('T', ' ') : value;
}

function toNumber(value: Plain): Plain {
  return typeof value === 'string' && DECIMAL.test(value) ? Number(value) : value;
}

/** The table of CMP-5. */
function equal(negated: boolean, left: Side, right: Side): Truth {
  const answer = (truth: boolean) => truth !== negated;
  const strict = ['J', 'S'].includes(left.kind) || ['J', 'S'].includes(right.kind);
  if (strict) return answer(left.value === right.value);
  const isEmptyValue = (side: Side) => side.kind === 'V' && (side.value === null || side.value === '');
  const isEmpty = (value: Plain) => value === '' || value === null;
  if (isEmptyValue(left)) return answer(isEmpty(right.value));
  if (isEmptyValue(right)) return answer(isEmpty(left.value));
  if (left.kind === 'V' || right.kind === 'V') {
    if (left.value === null || right.value === null) return negated ? true : null;
    return answer(left.value === right.value);
  }
  return answer((left.value ?? '') === (right.value ?? ''));
}

/** CMP-2 and CMP-3. */
export function compareOrder(a: string | number, b: string | number): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return typeof a === 'number' ? -1 : 1;
}

/** CMP-8 and CMP-9. */
function contains(left: Side, right: Side, negated: boolean): Truth {
  if (left.value === null || right.value === null) return null;
  const text = String(left.value);
  const wanted = String(right.value);
  const pattern = right.kind === 'V' && !right.literal ? asPattern(wanted) : `%${wanted}%`;
  return like(text, pattern) !== negated;
}

function asPattern(text: string): string {
  let free = false;
  let escaped = '';
  for (let i = 0; i < text.length; i++) {
    const pair = text.slice(i, i + 2);
    if (pair === '\\%' || pair === '\\_' || pair === '\\\\') {
      escaped += pair;
      i++;
    } else if (text[i] === '%') {
      free = true;
      escaped += '\\%';
    } else {
      escaped += text[i] === '_' || text[i] === '\\' ? `\\${text[i]}` : text[i];
    }
  }
  if (!free) return `%${escaped}%`;
  return /(^|[^\\])(\\\\)*\\$/.test(text) ? `${text}\\` : text;
}

function like(text: string, pattern: string): boolean {
  let source = '';
  for (let i = 0; i < pattern.length; i++) {
    const char = pattern[i]!;
    if (char === '\\' && i + 1 < pattern.length) source += quote(pattern[++i]!);
    else source += char === '%' ? '[^]*' : char === '_' ? '[^]' : quote(char);
  }
  const lower = (value: string) => value.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  return new RegExp(`^${lower(source)}$`, 'u').test(lower(text));
}

function quote(char: string): string {
  return /[\\^$.*+?()[\]{}|/]/.test(char) ? `\\${char}` : char;
}
