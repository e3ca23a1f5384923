/** Content as text, and the encoding that made it one, as a Content-Type names it. */
export interface DecodedText {
  readonly text: string;
  readonly charset: string;
}

/** What no text contains: control characters, except for tab, line ends, form feed and escape. */
// oxlint-disable-next-line no-control-regex -- these characters are what is looked for
const BINARY = /[\0-\x08\x0b\x0e-\x1a\x1c-\x1f]/;

/** Byte order marks of encodings with more than one byte for each letter. That of UTF-16 begins that of UTF-32. */
const MARKS: readonly (readonly [charset: string, mark: readonly number[]])[] = [
  ['utf-32le', [0xff, 0xfe, 0, 0]],
  ['utf-32be', [0, 0, 0xfe, 0xff]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

/**
 * Where declarations of an encoding are looked for, as browsers do, and how much is used for guessing, which is slow.
 */
const BEGINNING_BYTES = 1024;

/** With fewer non-ASCII bytes, or a less certain guess, a text is taken as a western one. */
const COUNTABLE_BYTES = 8;
const SURE_ENOUGH = 15;

/** The encoding whose mark the content begins with; UTF-8 has one too, but needs none to be known. */
export function markedEncoding(sample: Uint8Array): string | undefined {
  return MARKS.find(([, mark]) => mark.every((byte, index) => sample[index] === byte))?.[0];
}

/**
 * A sample of content as text, without byte order mark (FS-13); undefined when it has control characters in what its
 * mark or declaration says it is, in UTF-8, and in what it looks like. A character that is cut off at the end is no
 * fault unless the sample is the whole content.
 */
export async function decodeText(sample: Uint8Array, isWhole: boolean): Promise<DecodedText | undefined> {
  const read = (charset: string, label = charset) => {
    const text = charset.startsWith('utf-32') ? fromUtf32(sample, charset) : decode(sample, label, isWhole);
    return text === undefined || BINARY.test(text) ? undefined : { text, charset };
  };
  const marked = markedEncoding(sample);
  if (marked) return read(marked);
  const beginning = new TextDecoder('latin1').decode(sample.subarray(0, BEGINNING_BYTES));
  const declared = declaredEncoding(beginning);
  const text = (declared && read(declared)) || read('utf-8');
  if (text || BINARY.test(new TextDecoder('latin1').decode(sample))) return text;
  return (
    (isShiftJis(sample, isWhole) && read('shift_jis')) ||
    (await guessed(sample, read)) ||
    read(westernEncoding(sample), 'latin1')
  );
}

/** The encoding that XML or HTML declares. UTF-16 or UTF-32 is ignored: then the declaration could not be read here. */
function declaredEncoding(beginning: string): string | undefined {
  const text = beginning.replace(/^\xef\xbb\xbf/, '').trimStart();
  if (!text.startsWith('<')) return undefined;
  const declaration = text.startsWith('<?xml')
    ? /^[^>]*?\sencoding\s*=\s*["']([\w.:-]+)["']/.exec(text)
    : /<meta\s[^>]*?charset\s*=\s*["']?([\w.:-]+)/i.exec(text);
  const charset = declaration?.[1]!.toLowerCase();
  return charset?.startsWith('utf-16') || charset?.startsWith('utf-32') ? undefined : charset;
}

/** The likeliest encoding in which the sample can be read, when one is likely; those of Unicode are known without. */
async function guessed<T>(sample: Uint8Array, read: (charset: string) => T | undefined): Promise<T | undefined> {
  const beginning = sample.subarray(0, BEGINNING_BYTES);
  if (beginning.filter((byte) => byte >= 0x80).length < COUNTABLE_BYTES) return undefined;
  // Large tables of many languages, which are needed for such texts only.
  const { analyse } = await import('chardet');
  for (const { name, confidence } of analyse(beginning)) {
    const text = confidence < SURE_ENOUGH || name.startsWith('UTF') ? undefined : read(name.toLowerCase());
    if (text) return text;
  }
  return undefined;
}

/**
 * Japanese as spreadsheets of that country write it, recognized in texts too short for their letters to be counted:
 * nothing else can be read as this encoding and then has two full-width characters side by side but no half-width one.
 */
function isShiftJis(sample: Uint8Array, isWhole: boolean): boolean {
  const text = decode(sample, 'shift_jis', isWhole) ?? '';
  return /[\u3040-\u30ff\u4e00-\u9fff]{2}/.test(text) && !/[\uff61-\uff9f\ue000-\uf8ff]/.test(text);
}

/** Windows has printable characters where the standard it extends has control characters. */
function westernEncoding(sample: Uint8Array): string {
  return sample.some((byte) => byte >= 0x80 && byte < 0xa0) ? 'windows-1252' : 'iso-8859-1';
}

/** Undefined when the sample is not of that encoding, or nothing is known of it. */
function decode(sample: Uint8Array, label: string, isWhole: boolean): string | undefined {
  try {
    return new TextDecoder(label, { fatal: true }).decode(sample, { stream: !isWhole });
  } catch {
    return undefined;
  }
}

/** The platform does not read UTF-32. */
function fromUtf32(sample: Uint8Array, charset: string): string | undefined {
  const view = new DataView(sample.buffer, sample.byteOffset, sample.byteLength);
  const letters: number[] = [];
  for (let offset = 4; offset + 4 <= sample.length; offset += 4)
    letters.push(view.getUint32(offset, charset === 'utf-32le'));
  return letters.every((letter) => letter <= 0x10ffff) ? String.fromCodePoint(...letters) : undefined;
}
