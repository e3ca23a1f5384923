import type { Collection } from '../collections/collection.js';
import { FilterError } from '../filter/filter.error.js';
import { AuthResolver } from './auth-resolver.js';
import type { BindScope } from './expression-scope.js';
import { BodyResolver } from './body-resolver.js';
import type { FieldResolver } from './field-resolver.js';
import type { Operand } from './operand.js';
import { dropSegments, type Path } from './path.js';
import type { RecordResolver } from './record-resolver.js';
import { RequestOperands } from './request-operands.js';
import type { ResolveContext } from './resolve-context.js';
import type { RowVariables } from './row-variables.js';

/** `@request.*`: the request and who makes it. What is missing there is null, not an error (REF-2). */
export class RequestResolver {
  private readonly operands: RequestOperands;
  private readonly body: BodyResolver;
  private readonly auth: AuthResolver;

  constructor(context: ResolveContext, records: RecordResolver, own: FieldResolver, collection?: Collection) {
    this.operands = new RequestOperands(context);
    this.body = new BodyResolver(this.operands, records, own, collection);
    this.auth = new AuthResolver(this.operands, records);
  }

  resolve(path: Path, rows: RowVariables): Operand {
    const [, part = '', ...names] = path.segments;
    if (part === 'context' || part === 'method') {
      if (names.length > 0) throw new FilterError(`@request.${part} has no fields`, path.span);
      return this.operands.value((scope) => scope.caller.request[part], path);
    }
    if (names.length === 0) throw new FilterError(`@request.${part} is no value by itself`, path.span);
    switch (part) {
      case 'query':
      case 'headers':
        return this.text(part, names.join('.'), path);
      case 'body':
        return this.body.resolve(dropSegments(path, 2), rows);
      case 'auth':
        return this.auth.resolve(dropSegments(path, 2), rows);
      default:
        throw new FilterError(`Unknown name @request.${part}`, path.span);
    }
  }

  private text(part: 'query' | 'headers', name: string, path: Path): Operand {
    const has = ({ caller }: BindScope) => Object.hasOwn(caller.request[part], name);
    if (path.modifier === 'isset') return this.operands.truth(has);
    return this.operands.value((scope) => (has(scope) ? scope.caller.request[part][name] : null), path);
  }
}
