import { SetMetadata } from '@nestjs/common';
import type { Settings } from './settings.js';

/** Metadata key of what `@SettingsCron` was given. */
export const SETTINGS_CRON = 'roost:settings-cron';

/** A job whose schedule is what the settings of the moment say, in the form of OPS-140; `''` is never. */
export interface SettingsCronMetadata {
  readonly name: string;
  readonly schedule: (settings: Settings) => string;
}

/** Runs the method when the settings say so; it is listed among the crons only while they say anything. */
export function SettingsCron(name: string, schedule: SettingsCronMetadata['schedule']): MethodDecorator {
  return SetMetadata(SETTINGS_CRON, { name, schedule } satisfies SettingsCronMetadata);
}
