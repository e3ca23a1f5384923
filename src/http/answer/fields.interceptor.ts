import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { map, type Observable } from 'rxjs';
import { parseFields, pickFields } from '../../kernel/query/fields.js';
import { queryValue } from '../request/query-value.js';
import { requestOf } from '../request/request-of.js';

/** Applies the `fields` query parameter to a route's answer (FLD-1). Parsed before the route runs (REC-12). */
@Injectable()
export class FieldsInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = requestOf(context);
    const text = queryValue(request.query, 'fields');
    if (!text) return next.handle();
    const picker = parseFields(text);
    return next.handle().pipe(map((answer: unknown) => pickFields(picker, answer)));
  }
}
