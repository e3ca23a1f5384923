import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiQuery } from './api-decorators.js';
import { pageOf, RECORD, ref, type Schema } from './schema.js';

/** The answer obeys `?fields=` (FLD-1). */
export const ApiFields = () => ApiQuery({ name: 'fields', required: false, type: String });

/** The answer shows records, to which others can be added. */
export const ApiExpand = () => ApiQuery({ name: 'expand', required: false, type: String });

/** The answer is a page of a list. */
export function ApiPage(item: Type | Schema): MethodDecorator {
  const isClass = typeof item === 'function';
  const answer = ApiOkResponse({ schema: pageOf(isClass ? ref(item.name) : item) });
  return applyDecorators(
    ApiQuery({ name: 'page', required: false, type: 'integer' }),
    ApiQuery({ name: 'perPage', required: false, type: 'integer' }),
    ApiQuery({ name: 'sort', required: false, type: String }),
    ApiQuery({ name: 'filter', required: false, type: String }),
    ApiQuery({ name: 'skipTotal', required: false, type: Boolean }),
    ...(isClass ? [answer, ApiExtraModels(item)] : [answer]),
  );
}

/** The answer is a record of the collection, which picks the fields itself. */
export function ApiRecord(): MethodDecorator {
  return applyDecorators(ApiExpand(), ApiFields(), ApiOkResponse({ schema: RECORD }));
}
