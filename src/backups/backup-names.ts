import { fieldError } from '../kernel/errors/error-codes.js';
import { ValidationError } from '../kernel/errors/validation.error.js';

/** The names of backups that are made by themselves begin so; others are never deleted by themselves. */
export const AUTO_PREFIX = '@auto_roost_backup_';

const LONGEST = 150;
const FORM = /^[\w.()@+ -]+\.zip$/;
const LONGEST_APP_NAME = 50;

/** A name for a backup of this application, made at this moment. */
export function backupName(prefix: string, appName: string, now: number): string {
  const app = snakeCase(appName).slice(0, LONGEST_APP_NAME) || 'app';
  const stamp = new Date(now).toISOString().replace(/\D/g, '').slice(0, 14);
  return `${prefix}${app}_${stamp}.zip`;
}

/** Throws a ValidationError at `name` for one that no backup may be given (OPS-104a). */
export function requireBackupName(name: string): void {
  if (name.length > LONGEST) {
    const params = { min: 1, max: LONGEST };
    throw new ValidationError({ name: fieldError('validation_length_out_of_range', params, whatIsWrong(name)) });
  }
  // The prefix of automatic backups is reserved, because those are deleted automatically.
  if (!FORM.test(name) || !isPlainName(name) || name.startsWith(AUTO_PREFIX)) {
    throw new ValidationError({ name: fieldError('validation_match_invalid', undefined, whatIsWrong(name)) });
  }
}

/** Throws a ValidationError at `file` for a name under which no uploaded backup can be kept (OPS-104a). */
export function requireUploadName(name: string): void {
  if (name.length <= LONGEST && FORM.test(name) && isPlainName(name)) return;
  throw new ValidationError({ file: fieldError('validation_match_invalid', undefined, whatIsWrong(name)) });
}

function whatIsWrong(name: string): string {
  const shown = JSON.stringify(name.length > LONGEST ? `${name.slice(0, LONGEST)}…` : name);
  if (name.startsWith(AUTO_PREFIX)) return `The file name ${shown} is one of automatic backups.`;
  return (
    `The file name ${shown} is not one of a backup: it takes letters, digits, _ - . ( ) @ + and blanks, no two dots ` +
    `in a row and none at the beginning, ends in .zip and has at most ${LONGEST} characters.`
  );
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
