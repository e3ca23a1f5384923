import { Inject, Injectable } from '@nestjs/common';
import { ROOST_CONFIG, type RoostConfig } from '../config/roost-config.js';
import { ApiError } from '../kernel/errors/api-error.js';
import { decryptText } from '../kernel/text-cipher.js';
import { mergeSettings } from '../settings/settings-merge.js';
import { checkSettings } from '../settings/settings-validator.js';
import { SettingsService } from '../settings/settings.service.js';
import { DEFAULT_SETTINGS } from '../settings/settings.js';

type Json = Readonly<Record<string, unknown>>;

/** In PocketBase, unprotected files are open to everybody who has their URL, and such links are in use (FS-62). */
const AS_BEFORE = { files: { openUnprotected: true } };

/** Imports the settings section by section, so that an invalid one does not affect the others. */
@Injectable()
export class ImportedSettings {
  constructor(
    private readonly settings: SettingsService,
    @Inject(ROOST_CONFIG) private readonly config: RoostConfig,
  ) {}

  /** Gives a line for everything that could not be carried over. */
  async carryOver(stored: string | undefined): Promise<string[]> {
    const { fine, refused } = this.sort(stored);
    await this.settings.patch({ ...fine, ...AS_BEFORE });
    return refused;
  }

  private sort(stored: string | undefined): { readonly fine: Json; readonly refused: string[] } {
    const source = stored === undefined ? {} : this.decode(stored);
    if (!source) {
      const how = this.config.encryptionKey === null ? 'give its key with --encryptionEnv' : 'the key does not fit';
      return { fine: {}, refused: [`settings: they are encrypted, ${how}`] };
    }
    const refused: string[] = [];
    const fine: Record<string, unknown> = {};
    for (const [name, section] of Object.entries(source)) {
      const reason = reasonAgainst(name, section);
      if (reason === undefined) fine[name] = section;
      else refused.push(`settings.${name}: ${reason}`);
    }
    return { fine, refused };
  }

  private decode(stored: string): Json | undefined {
    const text = stored.startsWith('"') ? (JSON.parse(stored) as string) : stored;
    if (text.startsWith('{')) return JSON.parse(text) as Json;
    if (this.config.encryptionKey === null) return undefined;
    try {
      return JSON.parse(decryptText(text, this.config.encryptionKey)) as Json;
    } catch {
      return undefined;
    }
  }
}

function reasonAgainst(name: string, section: unknown): string | undefined {
  if (!Object.hasOwn(DEFAULT_SETTINGS, name)) return 'there is no such setting';
  try {
    checkSettings(mergeSettings(DEFAULT_SETTINGS, { [name]: section }));
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return `${error.message} ${refusedPaths(error.data).join(', ')}`.trim();
  }
}

/** Where the refused values are; never the values, some are secret. */
function refusedPaths(errors: unknown, path = ''): string[] {
  if (typeof errors !== 'object' || errors === null) return [];
  if (typeof (errors as Json)['code'] === 'string') return [path];
  return Object.entries(errors).flatMap(([key, inner]) => refusedPaths(inner, path ? `${path}.${key}` : key));
}
