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

/** The beginning of a JSON text without its last, unfinished value, and with all its brackets closed. */
function closed(text: string): string {
  const closers: string[] = [];
  let complete = '';
  let isQuoted = false;
  for (let index = 0; index < text.length; index++) {
    const character = text[index]!;
    if (isQuoted) {
      if (character === '\\') index++;
      else if (character === '"') isQuoted = false;
    } else if (character === '"') {
      isQuoted = true;
    } else if (character === '{' || character === '[') {
      closers.unshift(character === '{' ? '}' : ']');
      complete = text.slice(0, index + 1) + closers.join('');
    } else if (character === ',') {
      complete = text.slice(0, index) + closers.join('');
    } else if (character === '}' || character === ']') {
      closers.shift();
      if (closers.length === 0) return text;
    }
  }
  return complete;
}
