import type { TestingModuleBuilder } from '@nestjs/testing';
import { RESTORE_DELAY } from '../../../src/backups/backups.service.js';

/** Has restores begin with their answer, where a test makes one after another. */
export function restoresAtOnce(builder: TestingModuleBuilder): TestingModuleBuilder {
  return builder.overrideProvider(RESTORE_DELAY).useValue(0);
}
