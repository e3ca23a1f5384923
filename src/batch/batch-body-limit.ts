import { Injectable } from '@nestjs/common';
import { type BodyLimit, type BodyLimits, DATA_JSON_LIMITS } from '../http/body/body-limit.js';
import { SettingsService } from '../settings/settings.service.js';
import { parseFileKey } from './batch-files.js';

/** What a maximum of 0 stands for (BAT-1). */
const DEFAULT_MAX_BODY_SIZE = 134_217_728;

/** The bodies of items stand three levels deeper than that of a request of its own: `{requests: [{body}]}`. */
const JSON_LIMITS = { ...DATA_JSON_LIMITS, maxLevels: DATA_JSON_LIMITS.maxLevels + 3 };

/** What a batch's body may hold: as many bytes as the settings say, files of its items among them. */
@Injectable()
export class BatchBodyLimit implements BodyLimit {
  constructor(private readonly settings: SettingsService) {}

  limits(): BodyLimits {
    const maxBytes = this.settings.get().batch.maxBodySize || DEFAULT_MAX_BODY_SIZE;
    // The collection of an item may come after its files in the form, so its fields cannot limit them.
    const part = { maxBytes, maxFiles: Infinity };
    return { maxBytes, json: JSON_LIMITS, part: (key) => (parseFileKey(key) ? part : null) };
  }
}
