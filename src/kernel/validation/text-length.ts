/** How many Unicode code points a text has: what a person counts as characters, more or less. */
export function codePointLength(text: string): number {
  let length = text.length;
  for (let index = 0; index < text.length - 1; index++) {
    if (isSurrogatePair(text.charCodeAt(index), text.charCodeAt(index + 1))) {
      length--;
      index++;
    }
  }
  return length;
}

/** How many bytes a text takes in UTF-8. */
export function byteLength(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}

function isSurrogatePair(high: number, low: number): boolean {
  return high >= 0xd800 && high <= 0xdbff && low >= 0xdc00 && low <= 0xdfff;
}
