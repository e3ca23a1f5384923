import { applyDecorators, UseInterceptors } from '@nestjs/common';
import { ApiFields } from '../dto/api-answers.js';
import { FieldsInterceptor } from './fields.interceptor.js';

/** The route's answer obeys `?fields=`. For routes off the hot path; record routes do it where the answer is built. */
export function PicksFields(): MethodDecorator & ClassDecorator {
  return applyDecorators(ApiFields(), UseInterceptors(FieldsInterceptor));
}
