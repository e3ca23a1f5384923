const SHORT = 18;
const END = { least: 6, most: 14 };

/**
 * A name as what may be cut and what stays in sight: names that belong together differ at their ends, which begin with
 * a word of their own where one fits.
 */
export function nameParts(name: string): [start: string, end: string] {
  const letters = [...name];
  if (letters.length <= SHORT) return [name, ''];
  const last = letters.slice(-END.most);
  const word = last.findIndex((letter, at) => /[_\-. ]/.test(letter) && END.most - at >= END.least);
  const from = letters.length - END.most + Math.max(0, word);
  return [letters.slice(0, from).join(''), letters.slice(from).join('')];
}
