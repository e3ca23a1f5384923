import { fieldError } from '../errors/error-codes.js';
import type { FieldError, FieldErrors } from '../errors/field-error.js';
import { emailDomain, isEmailAddress } from '../validation/email-address.js';
import { allowsDomain, checkDomainLists, DOMAIN_LIST_OPTIONS, type DomainLists } from './option-checks.js';
import { TextValuedField } from './text-valued-field.js';

/** An email address, kept in the spelling in which it was given. */
export class EmailField extends TextValuedField {
  readonly type = 'email';
  readonly options = DOMAIN_LIST_OPTIONS;

  checkOptions(field: DomainLists): FieldErrors {
    return checkDomainLists(field);
  }

  validate(value: string, field: DomainLists): FieldError | undefined {
    if (value === '') return field.required ? fieldError('validation_required') : undefined;
    if (!isEmailAddress(value)) return fieldError('validation_is_email');
    return allowsDomain(field, emailDomain(value)) ? undefined : fieldError('validation_email_domain_not_allowed');
  }
}
