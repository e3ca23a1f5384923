import { fieldError } from '../errors/error-codes.js';
import type { FieldError } from '../errors/field-error.js';
import { andThen, type MaybePromise } from '../maybe-promise.js';
import type { FieldChecks } from './field-checks.js';
import type { FieldDefinition } from './field-definition.js';

/** What an `id` field accepts when its pattern is left empty. Ids in this form need no further care. */
export const DEFAULT_ID_PATTERN = '^[a-z0-9]+$';

/** What has a meaning in paths, URLs or SQL, or cannot be seen. */
const FORBIDDEN = /[./\\|"'`<>:?*%$\0\t\n\r ]/;
/** Names of devices, which no file or folder can have on some systems. */
const RESERVED = /^(?:CON|PRN|AUX|NUL|COM[1-9]|LPT[1-9])$/i;

/** An error when the id of a stored record would become another one. The stored id itself is not judged again. */
export function checkSameId(value: string, original: string): FieldError | undefined {
  return value === original ? undefined : fieldError('validation_pk_change');
}

/** The id of a record that is not stored yet (COL-62): its form first, then whether somebody has it. */
export function checkNewId(
  value: string,
  context: {
    readonly field: FieldDefinition & { readonly pattern: string };
    readonly checks: FieldChecks;
    /** The checks of an ordinary text. */
    readonly checkText: () => FieldError | undefined;
  },
): MaybePromise<FieldError | undefined> {
  if (value === '') return fieldError('validation_required');
  const { checks } = context;
  const custom = context.field.pattern !== DEFAULT_ID_PATTERN;
  const malformed = (custom ? checkCustomId(value) : undefined) ?? context.checkText();
  if (malformed) return malformed;
  // A custom pattern may allow both letter cases, but folders are named after ids, and some file systems ignore case.
  return andThen(checks.idTaken(value, custom), (taken) => {
    if (taken) return fieldError(custom ? 'validation_pk_invalid' : 'validation_not_unique');
    return andThen(checks.authIdTaken(value), (foreign) =>
      foreign ? fieldError('validation_invalid_auth_id') : undefined,
    );
  });
}

function checkCustomId(value: string): FieldError | undefined {
  const character = FORBIDDEN.exec(value)?.[0];
  if (character !== undefined) {
    return fieldError('validation_forbidden_pk_character', { character: JSON.stringify(character) });
  }
  return RESERVED.test(value) ? fieldError('validation_reserved_pk') : undefined;
}
