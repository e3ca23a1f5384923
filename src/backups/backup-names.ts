import { fieldError } from '../kernel/errors/error-codes.js';
import { ValidationError } from '../kernel/errors/validation.error.js';
import { length, pattern } from '../kernel/validation/rules.js';
import { isFine, validateObject } from '../kernel/validation/validate-object.js';

/** The names of backups that are made by themselves begin so; others are never deleted by themselves. */
export const AUTO_PREFIX = '@auto_roost_backup_';

const LONGEST = 150;
const LONGEST_APP_NAME = 50;

/** A name for a backup of this application, made at this moment. */
export function backupName(prefix: string, appName: string, now: number): string {
  const app = snakeCase(appName).slice(0, LONGEST_APP_NAME) || 'app';
  const stamp = new Date(now).toISOString().replace(/\D/g, '').slice(0, 14);
  return `${prefix}${app}_${stamp}.zip`;
}

/** Throws a ValidationError at `name` for one that no backup may be given. */
export function requireBackupName(name: string): void {
  const errors = validateObject({ name }, { name: [length(1, LONGEST), pattern(/^[a-z0-9_-]+\.zip$/)] });
  if (!isFine(errors)) throw new ValidationError(errors);
}

/** Throws a ValidationError at `file` for a name under which no uploaded backup can be kept. */
export function requireUploadName(name: string): void {
  const fits = name.length <= LONGEST && /^[\w@.-]+\.zip$/.test(name) && isPlainName(name);
  if (!fits) throw new ValidationError({ file: fieldError('validation_match_invalid') });
}

/** Whether a key from a URL is the plain name of a file (OPS-104). */
export function isPlainName(key: string): boolean {
  return key !== '' && !/[/\\\0]/.test(key) && !key.includes('..') && !key.startsWith('.');
}

function snakeCase(text: string): string {
  const words =
    text
      .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? [];
  return words.join('_');
}
