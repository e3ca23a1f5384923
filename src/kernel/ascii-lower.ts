/** Longer texts are gone through by their units: a function that is called for each letter takes half a second per MB. */
const LONG = 4_096;
const [A, Z] = [0x41, 0x5a];
const TO_LOWER = 0x20;

/** A text with its ASCII letters in lower case and everything else as it is, as SQL's LOWER has it in SQLite. */
export function asciiLower(text: string): string {
  if (text.length <= LONG) return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  if (!/[A-Z]/.test(text)) return text;
  const bytes = Buffer.from(text, 'utf16le');
  const units = new Uint16Array(bytes.buffer, bytes.byteOffset, text.length);
  for (let at = 0; at < units.length; at++) {
    const unit = units[at]!;
    if (unit >= A && unit <= Z) units[at] = unit + TO_LOWER;
  }
  return bytes.toString('utf16le');
}
