/** Control characters but for tabs and the ends of lines, and what turns the direction of writing. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/**
 * A text for a terminal. It may hold what a request said, which is not to move the cursor, rewrite the title or turn
 * the direction of writing: such characters are shown by their number.
 */
export function printableText(text: string): string {
  return text.replace(CONTROLS, numbered);
}

/** As `printableText`, in one line. */
export function printableLine(text: string): string {
  return printableText(text).replace(/[\t\n]/g, numbered);
}

function numbered(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
