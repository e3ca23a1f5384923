import { isJsonObject } from '../json-object.js';

/** What the kinds of GeoJSON have besides their `type`. */
const GEO_MEMBERS: Readonly<Record<string, string>> = {
  Feature: 'geometry',
  FeatureCollection: 'features',
  GeometryCollection: 'geometries',
  Point: 'coordinates',
  MultiPoint: 'coordinates',
  LineString: 'coordinates',
  MultiLineString: 'coordinates',
  Polygon: 'coordinates',
  MultiPolygon: 'coordinates',
};

/**
 * The type of a JSON object or list, or of lines of them, as far as it is there; undefined when the text is neither.
 */
export function jsonType(text: string, isWhole: boolean): string | undefined {
  if (!text.startsWith('{') && !text.startsWith('[')) return undefined;
  const value = parse(isWhole ? text : closed(text));
  if (value === undefined) return isLines(text, isWhole) ? 'application/x-ndjson' : undefined;
  if (!isJsonObject(value)) return 'application/json';
  const { type, asset } = value;
  if (
    typeof type === 'string' &&
    Object.hasOwn(GEO_MEMBERS, type) &&
    (!isWhole || Object.hasOwn(value, GEO_MEMBERS[type]!))
  ) {
    return 'application/geo+json';
  }
  return isJsonObject(asset) && typeof asset['version'] === 'string' ? 'model/gltf+json' : 'application/json';
}

/** Two or more lines, each of them JSON. */
function isLines(text: string, isWhole: boolean): boolean {
  const lines = text.split('\n');
  if (!isWhole) lines.pop();
  const written = lines.filter((line) => line.trim() !== '');
  return written.length >= 2 && written.every((line) => parse(line) !== undefined);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * The beginning of a JSON text without its last, unfinished value, and with all its brackets closed. Takes linear time:
 * anybody may send a hundred files of brackets at once (OPS-39).
 */
function closed(text: string): string {
  const { end, isOver } = lastWhole(text);
  if (isOver) return text;
  const complete = text.slice(0, end);
  return complete + closersOf(complete);
}

/** Where the last value that is whole ends, a list or an object that has just begun included; whether the outermost is. */
function lastWhole(text: string): { readonly end: number; readonly isOver: boolean } {
  let end = 0;
  let depth = 0;
  for (const [index, character] of outsideTexts(text)) {
    if (character === '{' || character === '[') {
      depth++;
      end = index + 1;
    } else if (character === ',') {
      end = index;
    } else if (character === '}' || character === ']') {
      depth--;
      if (depth <= 0) return { end, isOver: true };
    }
  }
  return { end, isOver: false };
}

/** The brackets that close what is open at the end of a text. */
function closersOf(text: string): string {
  const closers: string[] = [];
  for (const [, character] of outsideTexts(text)) {
    if (character === '{') closers.push('}');
    else if (character === '[') closers.push(']');
    else if (character === '}' || character === ']') closers.pop();
  }
  return closers.reverse().join('');
}

/** The characters of JSON that stand in none of its texts, with their places. */
function* outsideTexts(text: string): Generator<readonly [index: number, character: string]> {
  let isQuoted = false;
  for (let index = 0; index < text.length; index++) {
    const character = text[index]!;
    if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted) yield [index, character];
    else if (character === '\\') index++;
  }
}
