/** What stands around a value in JSON, roughly. */
const PUNCTUATION = 4;

/**
 * About how many characters a value has as JSON; once there are more than enough, counting ends. Without a stack that a
 * deep document could exhaust.
 */
export function charactersOf(value: unknown, enough = Infinity): number {
  let characters = 0;
  const left = [value];
  while (left.length > 0 && characters <= enough) {
    const next = left.pop();
    characters += PUNCTUATION;
    if (typeof next === 'string') characters += next.length;
    else if (Array.isArray(next)) for (const each of next) left.push(each);
    else if (typeof next === 'object' && next !== null) {
      for (const [name, each] of Object.entries(next)) {
        characters += name.length;
        left.push(each);
      }
    }
  }
  return characters;
}
