import { Controller, Post } from '@nestjs/common';
import { CurrentBody } from '../../http/current-body.decorator.js';
import { CurrentCaller } from '../../http/current-caller.decorator.js';
import { CurrentCollection } from '../../http/current-collection.decorator.js';
import { SmallBodyLimit } from '../../http/fixed-body-limits.js';
import { ReadsBody } from '../../http/reads-body.decorator.js';
import type { RequestBody } from '../../http/request-body.js';
import { Collection } from '../../kernel/collections/collection.js';
import { fieldError } from '../../kernel/errors/error-codes.js';
import type { FieldDefinition } from '../../kernel/fields/field-definition.js';
import { allowsDomain, type DomainLists } from '../../kernel/fields/option-checks.js';
import { Caller } from '../../kernel/records/caller.js';
import { emailDomain } from '../../kernel/validation/email-address.js';
import { email, noneOf } from '../../kernel/validation/rules.js';
import type { Check } from '../../kernel/validation/validate-object.js';
import { readForm, requiredText, requireShape } from '../auth-form.js';
import { AuthRoute } from '../auth-route.decorator.js';
import { notForSuperusers } from '../superusers/not-for-superusers.js';
import { type EmailChange, EmailChangeService } from './email-change.service.js';

@Controller('api/collections/:collection')
export class EmailChangeController {
  constructor(private readonly emailChange: EmailChangeService) {}

  @Post('request-email-change')
  @AuthRoute({ tags: ['requestEmailChange'], status: 204, signedIn: true, refuses: notForSuperusers })
  @ReadsBody(SmallBodyLimit)
  request(@CurrentBody() body: RequestBody, @CurrentCaller() caller: Caller): Promise<void> {
    return this.emailChange.request(caller.auth!, readNewEmail(body, caller), caller);
  }

  @Post('confirm-email-change')
  @AuthRoute({ tags: ['confirmEmailChange'], status: 204, refuses: notForSuperusers })
  @ReadsBody(SmallBodyLimit)
  confirm(
    @CurrentCollection() collection: Collection,
    @CurrentBody() body: RequestBody,
    @CurrentCaller() caller: Caller,
  ): Promise<void> {
    return this.emailChange.confirm(collection, readChange(body, caller), caller);
  }
}

function readNewEmail(body: RequestBody, caller: Caller): string {
  const form = readForm(body, caller, { newEmail: 'text' });
  const { collection } = caller.auth!;
  requireShape(form, {
    newEmail: [...requiredText(255), email, noneOf(caller.auth!.get('email')), fitting(collection.field('email')!)],
  });
  return form.newEmail;
}

/** Told before a mail goes out rather than by the link in it. */
function fitting(field: FieldDefinition): Check {
  return (value) =>
    allowsDomain(field as DomainLists, emailDomain(String(value)))
      ? undefined
      : fieldError('validation_email_domain_not_allowed');
}

function readChange(body: RequestBody, caller: Caller): EmailChange {
  return readForm(body, caller, { token: 'text', password: 'text' });
}
