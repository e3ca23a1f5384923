import { applyDecorators } from '@nestjs/common';
import { ApiExpand } from '../http/dto/api-answers.js';
import { ApiOkResponse } from '../http/dto/api-decorators.js';
import { FREE_OBJECT, object, RECORD, TEXT } from '../http/dto/schema.js';

/** The answer is an AuthResult, with a record of the collection in the path when no other is named. */
export function ApiAuthResult(record = RECORD): MethodDecorator {
  const schema = object({ token: TEXT, record, meta: FREE_OBJECT }, ['meta']);
  return applyDecorators(ApiExpand(), ApiOkResponse({ schema }));
}
