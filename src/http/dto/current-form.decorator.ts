import { createParamDecorator, type ExecutionContext, type Type } from '@nestjs/common';
import { mediaType } from '../body/body-reader.js';
import { requestOf } from '../request/request-of.js';
import { untouchedParameter } from '../request/untouched-parameter.js';
import { ApiBody } from './api-decorators.js';
import { readDto, readValidDto, type SentValues } from './read-dto.js';

/**
 * The body as an instance of the class: its properties have the right JSON types and are what the decorators of the
 * class ask for. Else 400 (AUTH-102, AUTH-103). Like Nest's `@Body()` it describes the body for @nestjs/swagger.
 */
export const CurrentForm = describing(
  createParamDecorator((type: Type<object>, context: ExecutionContext) => readValidDto(type, sentTo(context))),
);

/** As `CurrentForm`, checked for JSON types only: `requireValid` follows where more is known of the values. */
export const TypedForm = describing(
  createParamDecorator((type: Type<object>, context: ExecutionContext) => readDto(type, sentTo(context))),
);

function sentTo(context: ExecutionContext): SentValues {
  const request = requestOf(context);
  const isForm = !mediaType(request).startsWith('application/json');
  return { values: request.requestBody?.values ?? {}, isForm };
}

/** `untouchedParameter`, because a global ValidationPipe would see the value only after it was read and checked. */
function describing(decorator: (type: Type<object>) => ParameterDecorator): (type: Type<object>) => ParameterDecorator {
  const untouched = untouchedParameter(decorator);
  return (type) => (target, key, index) => {
    untouched(type)(target, key, index);
    ApiBody({ type })(target, key!, Object.getOwnPropertyDescriptor(target, key!)!);
  };
}
