import type { Entry, ZipFile } from 'yauzl';
import { ATTRIBUTES_EXTENSION } from '../storage/file-attributes.js';
import { METADATA_ENTRY } from './archive.js';

/** Files of records an archive may hold, not counting the sidecar that each of them may have. */
export const MOST_FILES = 1_000_000;

/** Entries that are no file of a record: the two databases, `roost.json`. */
const OTHER_ENTRIES = 3;

/** The least an entry takes in the directory of an archive. */
const ENTRY_BYTES = 46;

const FILE_TYPE = 0o170000;
const PLAIN_FILE = 0o100000;
const DIRECTORY = 0o040000;

/** Looks at entries before anything of them is written. */
export class EntryCheck {
  private files = 0;

  constructor({ entryCount, fileSize, readEntryCursor }: ZipFile) {
    if (entryCount * ENTRY_BYTES > fileSize - Number(readEntryCursor)) {
      throw new Error(`The archive is damaged: it says that it has ${entryCount} entries.`);
    }
    if (entryCount > 2 * MOST_FILES + OTHER_ENTRIES) throw new Error(`The archive has ${entryCount} entries.`);
  }

  /** yauzl itself refuses absolute paths, `..` and backslashes. */
  require({ fileName, externalFileAttributes, uncompressedSize }: Entry): void {
    const type = (externalFileAttributes >>> 16) & FILE_TYPE;
    if (type !== 0 && type !== PLAIN_FILE && type !== DIRECTORY) throw new Error(`${fileName} is not a plain file.`);
    if (fileName.includes('\0')) throw new Error('The archive has a name that no file can have.');
    if (fileName === METADATA_ENTRY && uncompressedSize > 1024 * 1024) throw new Error(`${fileName} is too large.`);
    if (!fileName.endsWith(ATTRIBUTES_EXTENSION)) this.files++;
    if (this.files > MOST_FILES + OTHER_ENTRIES) throw new Error(`The archive has more than ${MOST_FILES} files.`);
  }
}
