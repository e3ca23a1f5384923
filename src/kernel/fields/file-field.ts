import { fieldError } from '../errors/error-codes.js';
import type { FieldError, FieldErrors } from '../errors/field-error.js';
import { isAllowedMimeType } from '../files/mime-type.js';
import { isThumbSizeText, isZeroThumbSize } from '../files/thumb-size.js';
import type { Upload } from '../files/upload.js';
import type { FieldChecks } from './field-checks.js';
import type { FieldOption } from './field-type.js';
import { itemsOf, ListValuedField, mostValues, type ListDefinition, type ListValue } from './list-valued-field.js';
import { checkIntegers, checkItems, type OptionErrors } from './option-checks.js';

/** Which files are taken and how they are shown; `maxSize` 0 stands for 5 MiB, no `mimeTypes` for all types. */
export interface FileDefinition extends ListDefinition {
  readonly maxSize: number;
  readonly mimeTypes: readonly string[] | null;
  readonly thumbs: readonly string[] | null;
  readonly protected: boolean;
}

/** How many bytes a file may have where a field does not say it. */
export const DEFAULT_MAX_SIZE = 5 * 1024 * 1024;

/** The names of one or several stored files. New names come only from uploads. */
export class FileField extends ListValuedField {
  readonly type = 'file';
  readonly options: Readonly<Record<string, FieldOption>> = {
    maxSize: { kind: 'integer', default: 0 },
    maxSelect: { kind: 'integer', default: 0 },
    mimeTypes: { kind: 'strings?', default: null },
    thumbs: { kind: 'strings?', default: null },
    protected: { kind: 'boolean', default: false },
  };
  readonly holdsFiles = true;

  checkOptions(field: FileDefinition): FieldErrors {
    const errors: OptionErrors = checkIntegers(field, this.options);
    const thumbs = checkItems(field.thumbs, checkThumb);
    if (thumbs) errors['thumbs'] = thumbs;
    return errors;
  }

  validate(value: ListValue, field: FileDefinition, checks: FieldChecks): FieldError | undefined {
    const names = itemsOf(value);
    if (names.length === 0) return field.required ? fieldError('validation_required') : undefined;
    const uploads = checks.uploads(field);
    const known = new Set([...this.storedNames(field, checks), ...uploads.map((upload) => upload.name)]);
    if (names.some((name) => !known.has(name))) return fieldError('validation_invalid_file');
    const maxSelect = mostValues(field);
    if (names.length > maxSelect) return fieldError('validation_too_many_files', { maxSelect });
    for (const upload of uploads) {
      const error = this.checkUpload(upload, field);
      if (error) return error;
    }
    return undefined;
  }

  bodyAllowance(field: FileDefinition): number {
    return this.maxSizeOf(field) * mostValues(field);
  }

  /** The most bytes one file of this field may have. */
  maxSizeOf(field: FileDefinition): number {
    return field.maxSize || DEFAULT_MAX_SIZE;
  }

  private checkUpload(upload: Upload, field: FileDefinition): FieldError | undefined {
    const maxSize = this.maxSizeOf(field);
    if (upload.truncated || upload.size > maxSize) return fieldError('validation_file_size_limit', { maxSize });
    const { mimeTypes } = field;
    if (mimeTypes && mimeTypes.length > 0 && !isAllowedMimeType(upload.mimeType, mimeTypes)) {
      return fieldError('validation_invalid_mime_type', { mimeTypes });
    }
    return undefined;
  }

  private storedNames(field: FileDefinition, checks: FieldChecks): readonly string[] {
    const original = checks.original(field);
    return original === undefined ? [] : itemsOf(original as ListValue);
  }
}

function checkThumb(size: string): FieldError | undefined {
  if (!isThumbSizeText(size)) return fieldError('validation_match_invalid');
  return isZeroThumbSize(size) ? fieldError('validation_not_in_invalid') : undefined;
}
