import { Inject, Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { CLOCK, ROOST_CONFIG, type RoostConfig } from '../config/roost-config.js';
import { StartError } from '../config/start.error.js';
import type { Clock } from '../kernel/clock.js';
import { formatDateTime } from '../kernel/date-time.js';
import { decryptText, encryptText, isEncrypted } from '../kernel/text-cipher.js';
import { mergeSettings } from './settings-merge.js';
import { DEFAULT_SETTINGS, type Settings } from './settings.js';
import { ParamEntity } from './param.entity.js';

const ROW_ID = 'settings';

/** Reads and writes the one row the settings are kept in, encrypted when the process has a key. */
@Injectable()
export class SettingsStore {
  constructor(
    @InjectRepository(ParamEntity) private readonly params: Repository<ParamEntity>,
    @Inject(ROOST_CONFIG) private readonly config: RoostConfig,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** The stored settings with defaults for missing keys; the defaults when there is no row. */
  async read(): Promise<Settings> {
    const row = await this.params.findOneBy({ id: ROW_ID });
    return row ? mergeSettings(DEFAULT_SETTINGS, this.decode(row.value)) : DEFAULT_SETTINGS;
  }

  /** Whether anything is stored yet. */
  exists(): Promise<boolean> {
    return this.params.existsBy({ id: ROW_ID });
  }

  async write(settings: Settings): Promise<void> {
    const now = formatDateTime(this.clock.now());
    const stored = await this.params.findOneBy({ id: ROW_ID });
    await this.params.save({
      id: ROW_ID,
      value: this.encode(JSON.stringify(settings)),
      created: stored?.created ?? now,
      updated: now,
    });
  }

  /** Throws a StartError for a stored value that this process cannot read. */
  requireReadable(value: string): void {
    this.decode(value);
  }

  private encode(text: string): string {
    return this.config.encryptionKey === null ? text : encryptText(text, this.config.encryptionKey);
  }

  private decode(value: string): unknown {
    // A row written before a key was given is plain text; it is encrypted at the next save (OPS-11).
    if (value.startsWith('{')) return parse(value);
    if (!isEncrypted(value)) throw unreadable();
    if (this.config.encryptionKey === null) {
      throw new StartError('The settings are encrypted: start with --encryptionEnv and the key they were stored with.');
    }
    try {
      return JSON.parse(decryptText(value, this.config.encryptionKey));
    } catch (error) {
      throw new StartError('The settings cannot be decrypted: the key of --encryptionEnv is not the right one.', {
        cause: error,
      });
    }
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw unreadable(error);
  }
}

function unreadable(cause?: unknown): StartError {
  return new StartError('The stored settings cannot be read: they are damaged. Restore a backup.', { cause });
}
