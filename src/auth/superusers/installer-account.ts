import { SUPERUSERS_ID } from '../../kernel/records/caller.js';
import type { RecordModel } from '../../kernel/records/record-model.js';

/** The account behind the link that a fresh installation prints. */
export const INSTALLER_EMAIL = '__installer@example.com';

/** True for that account (AUTH-1205). */
export function isInstaller(record: RecordModel): boolean {
  return record.collection.id === SUPERUSERS_ID && record.get('email') === INSTALLER_EMAIL;
}
