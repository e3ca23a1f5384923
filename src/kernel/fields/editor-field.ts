import { fieldError } from '../errors/error-codes.js';
import type { FieldError, FieldErrors } from '../errors/field-error.js';
import { byteLength } from '../validation/text-length.js';
import type { FieldDefinition } from './field-definition.js';
import type { FieldOption } from './field-type.js';
import { checkIntegers } from './option-checks.js';
import { TextValuedField } from './text-valued-field.js';

/** Options of an editor field; `maxSize` 0 stands for 5 MiB. */
export interface EditorDefinition extends FieldDefinition {
  readonly maxSize: number;
  readonly convertURLs: boolean;
}

const DEFAULT_MAX_SIZE = 5 * 1024 * 1024;

/** HTML, stored as it is given: who shows it has to clean it. */
export class EditorField extends TextValuedField {
  readonly type = 'editor';
  readonly options: Readonly<Record<string, FieldOption>> = {
    maxSize: { kind: 'integer', default: 0 },
    convertURLs: { kind: 'boolean', default: false },
  };

  checkOptions(field: EditorDefinition): FieldErrors {
    return checkIntegers(field, this.options);
  }

  validate(value: string, field: EditorDefinition): FieldError | undefined {
    if (value === '') return field.required ? fieldError('validation_required') : undefined;
    const maxSize = this.bodyAllowance(field);
    return byteLength(value) > maxSize ? fieldError('validation_content_size_limit', { maxSize }) : undefined;
  }

  bodyAllowance(field: EditorDefinition): number {
    return field.maxSize || DEFAULT_MAX_SIZE;
  }
}
