import { closeSync, mkdirSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { Inject, Injectable } from '@nestjs/common';
import { newTempPath, tempDirOf } from '../../config/temp-files.js';
import { ROOST_CONFIG, type RoostConfig } from '../../config/roost-config.js';
import { Database } from '../../database/database.js';
import type { SqlValue } from '../../kernel/fields/field-type.js';
import type { RecordModel, RecordRow } from '../../kernel/records/record-model.js';

/** Characters from which on a value is long. */
const LONG = 4_096;

/** A value and what reads it from its file. */
interface Filed {
  readonly text: string;
  readonly get: () => string;
}

/**
 * Records as they are told about after the commit. One transaction may change many times what fits in memory, and none
 * of it can be read again later: the long values of what is too much lie in a file until somebody asks for them.
 */
@Injectable()
export class RecordsToTell {
  /** Characters of records with long values that one transaction keeps in memory. Tests lower it. */
  charactersInMemory = 16 * 1024 * 1024;

  private readonly transactions = new WeakMap<object, { characters: number; file?: ValuesFile }>();

  constructor(
    private readonly database: Database,
    @Inject(ROOST_CONFIG) private readonly config: RoostConfig,
  ) {}

  /** Snapshots of stored records; a value that several of them have is kept once. */
  keep<Records extends readonly RecordModel[]>(...records: Records): { [Index in keyof Records]: RecordModel } {
    const file = this.fileFor(records);
    if (!file) return records.map((record) => record.snapshot()) as never;
    const known: Filed[] = [];
    return records.map((record) => record.snapshot((row) => toFile(row, file, known))) as never;
  }

  /** The file to keep them in; undefined as long as they have room in memory. */
  private fileFor(records: readonly RecordModel[]): ValuesFile | undefined {
    const key = this.database.transactions.key;
    const characters = records.reduce((sum, { stored }) => sum + stored.characters, 0);
    if (characters < LONG || !key) return undefined;
    let kept = this.transactions.get(key);
    if (!kept) this.transactions.set(key, (kept = { characters: 0 }));
    if (kept.characters + characters <= this.charactersInMemory) {
      kept.characters += characters;
      return undefined;
    }
    if (!kept.file) {
      mkdirSync(tempDirOf(this.config), { recursive: true, mode: 0o700 });
      kept.file = new ValuesFile(newTempPath(this.config, 'values'));
    }
    return kept.file;
  }
}

/** The same row, with its long values in the file. */
function toFile(row: RecordRow, file: ValuesFile, known: Filed[]): RecordRow {
  const kept: Record<string, SqlValue> = {};
  for (const [name, value] of Object.entries(row)) {
    if (typeof value !== 'string' || value.length < LONG) {
      kept[name] = value;
      continue;
    }
    let filed = known.find(({ text }) => text === value);
    if (!filed) known.push((filed = { text: value, get: file.write(value) }));
    Object.defineProperty(kept, name, { enumerable: true, get: filed.get });
  }
  return kept;
}

/** Closes files that nobody can read any more. */
const unused = new FinalizationRegistry<number>((descriptor) => closeSync(descriptor));

/** A file without a name, which is gone when nobody holds a value of it. */
class ValuesFile {
  private readonly descriptor: number;
  private end = 0;
  /** For what is written or read at the moment. */
  private bytes = Buffer.alloc(0);

  constructor(path: string) {
    this.descriptor = openSync(path, 'wx+', 0o600);
    rmSync(path, { force: true });
    unused.register(this, this.descriptor);
  }

  /** Gives what reads the text again. */
  write(text: string): () => string {
    const length = Buffer.byteLength(text);
    const bytes = this.room(length);
    bytes.write(text);
    const at = this.end;
    for (let done = 0; done < length;) done += writeSync(this.descriptor, bytes, done, length - done, at + done);
    this.end += length;
    return this.reader(at, length);
  }

  /** Not made where the text is at hand: a function keeps alive what those beside it use. */
  private reader(at: number, length: number): () => string {
    return () => {
      const bytes = this.room(length);
      for (let done = 0; done < length;) {
        const read = readSync(this.descriptor, bytes, done, length - done, at + done);
        if (read === 0) throw new Error('What a transaction has kept in a file is gone.');
        done += read;
      }
      return bytes.toString('utf8', 0, length);
    };
  }

  private room(length: number): Buffer {
    if (this.bytes.length < length) this.bytes = Buffer.allocUnsafe(length);
    return this.bytes;
  }
}
