import { bytesSource, type ByteSource } from './byte-source.js';
import { legacyOfficeType } from './compound-file.js';
import { type DecodedText, decodeText, markedEncoding } from './text-encoding.js';
import { textTypeOf } from './text-type.js';

/** What is known about content that is nothing in particular. */
const UNKNOWN_TYPE = 'application/octet-stream';

/** How much of the content decides between texts. */
const SAMPLE_BYTES = 4096;

/** Our names for types that the detector names differently. '' means that the text is examined instead. */
const NAMES: Readonly<Record<string, string>> = {
  'application/ogg': 'audio/ogg',
  'application/rtf': 'text/rtf',
  'application/vnd.ms-asf': 'video/x-ms-wmv',
  'application/x-msdownload': 'application/vnd.microsoft.portable-executable',
  'application/xml': '',
  'audio/ogg; codecs=opus': 'audio/ogg',
  'image/apng': 'image/vnd.mozilla.apng',
  'video/MP1S': 'video/mpeg',
  'video/MP2P': 'video/mpeg',
  'video/matroska': 'video/x-matroska',
  'video/vnd.avi': 'video/x-msvideo',
  'video/x-ms-asf': 'video/x-ms-wmv',
};

/** The detector knows these binary types by two or three letters with which a text may begin too: "BMW", "GIFT". */
const TEXT_BASED: ReadonlySet<string> = new Set([
  'application/eps',
  'application/pdf',
  'application/pgp-encrypted',
  'application/postscript',
  'application/rtf',
]);

/** Beginnings that no text has. The detector does not recognise some of them when the rest is damaged or missing. */
const SIGNATURES: readonly (readonly [beginning: string, type: string])[] = [
  ['\x89PNG\r\n\x1a\n', 'image/png'],
  ['GIF87a', 'image/gif'],
  ['GIF89a', 'image/gif'],
  ['II*\0', 'image/tiff'],
  ['MM\0*', 'image/tiff'],
  ['ID3\x02', 'audio/mpeg'],
  ['ID3\x03', 'audio/mpeg'],
  ['ID3\x04', 'audio/mpeg'],
  ['\x7fELF', 'application/x-elf'],
];

/**
 * The type of a file, from its content alone (FS-12, FS-13). Reads the beginning, and more where a container wants
 * it. Damaged content is never an error, only less telling; a source that cannot be read is one.
 */
export async function detectMimeType(content: Uint8Array | ByteSource): Promise<string> {
  const source = content instanceof Uint8Array ? bytesSource(content) : content;
  const sample = await source.read(0, SAMPLE_BYTES);
  const isWhole = source.size <= sample.length;
  const text = await decodeText(sample, isWhole);
  // The detector would report music, because a byte order mark looks like the frame of an unused MPEG format.
  if (markedEncoding(sample)) return text ? textTypeOf(text, isWhole) : UNKNOWN_TYPE;
  const sniffed = isGzip(sample) ? 'application/gzip' : await sniff(source);
  if (sniffed === 'application/x-cfb') return (await legacyOfficeType(source)) ?? sniffed;
  const signed = signedType(sample);
  const isText = text && signed === undefined && !TEXT_BASED.has(sniffed) && !(sniffed && isNoLetter(sample, text));
  if (isText) return textTypeOf(text, isWhole);
  return (Object.hasOwn(NAMES, sniffed) ? NAMES[sniffed]! : sniffed) || signed || UNKNOWN_TYPE;
}

const ALIASES: Readonly<Record<string, string>> = {
  'application/x-gzip': 'application/gzip',
  'application/x-rar': 'application/x-rar-compressed',
  'application/x-zip-compressed': 'application/zip',
  'application/xml': 'text/xml',
  'audio/x-wav': 'audio/wav',
  'image/jpg': 'image/jpeg',
};

/** True when the type is one of those allowed: equal but for case, parameters and the aliases of FS-12. */
export function isAllowedMimeType(mimeType: string, allowed: readonly string[]): boolean {
  const type = canonicalType(mimeType);
  return allowed.some((each) => canonicalType(each) === type);
}

function canonicalType(mimeType: string): string {
  const type = mimeType.split(';', 1)[0]!.trim().toLowerCase();
  return Object.hasOwn(ALIASES, type) ? ALIASES[type]! : type;
}

function signedType(sample: Uint8Array): string | undefined {
  const beginning = String.fromCharCode(...sample.subarray(0, 8));
  return SIGNATURES.find(([signature]) => beginning.startsWith(signature))?.[1];
}

// The detector would decompress the stream to look for an archive inside, which does not matter here.
function isGzip(sample: Uint8Array): boolean {
  return sample[0] === 0x1f && sample[1] === 0x8b && sample[2] === 0x08;
}

/** Encodings other than UTF-8 make a text of nearly anything, also of the bytes by which the sniffer knows a type. */
function isNoLetter(sample: Uint8Array, { charset }: DecodedText): boolean {
  return charset !== 'utf-8' && sample.subarray(0, 2).some((byte) => byte >= 0x80);
}

/** The detector's result, or ''. Throws only when the source cannot be read. */
async function sniff(source: ByteSource): Promise<string> {
  const failures: unknown[] = [];
  const read = (start: number, end: number) =>
    source.read(start, end - start).catch((error: unknown) => {
      failures.push(error);
      throw error;
    });
  // Of a Blob the parser uses only size and slices: this one reads from wherever the content is.
  const blob = {
    size: source.size,
    type: '',
    slice: (start: number, end: number) => ({ arrayBuffer: () => read(start, end) }),
  };
  // Some thirty files, which are needed only for uploads.
  const { FileTypeParser } = await import('file-type/core');
  const result = await new FileTypeParser().fromBlob(blob as unknown as Blob).catch(() => undefined);
  if (failures.length > 0) throw failures[0];
  return result?.mime ?? '';
}
