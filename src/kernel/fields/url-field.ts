import { fieldError } from '../errors/error-codes.js';
import type { FieldError, FieldErrors } from '../errors/field-error.js';
import { isUrl, urlHost } from '../validation/web-address.js';
import { allowsDomain, checkDomainLists, DOMAIN_LIST_OPTIONS, type DomainLists } from './option-checks.js';
import { TextValuedField } from './text-valued-field.js';

/** A URL. The domain lists compare with its host and port; without a scheme it has neither. */
export class UrlField extends TextValuedField {
  readonly type = 'url';
  readonly options = DOMAIN_LIST_OPTIONS;

  checkOptions(field: DomainLists): FieldErrors {
    return checkDomainLists(field);
  }

  validate(value: string, field: DomainLists): FieldError | undefined {
    if (value === '') return field.required ? fieldError('validation_required') : undefined;
    if (!isUrl(value)) return fieldError('validation_invalid_url');
    return allowsDomain(field, urlHost(value)) ? undefined : fieldError('validation_url_domain_not_allowed');
  }
}
