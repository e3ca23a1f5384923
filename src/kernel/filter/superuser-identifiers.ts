import { FilterError } from './filter.error.js';
import { Lexer } from './lexer.js';

const SUPERUSER_ONLY = /^@(?:request|collection)\./;

/**
 * Whether a client's filter or sort names something only superusers may (GRD-1). Looks at identifiers, not at the
 * content of strings, and answers for malformed texts too, because this is refused before they are (REC-9).
 */
export function hasSuperuserIdentifier(text: string): boolean {
  if (!text.includes('@request.') && !text.includes('@collection.')) return false;
  const lexer = new Lexer(text);
  for (;;) {
    try {
      const token = lexer.next();
      if (token.kind === 'end') return false;
      if (token.kind === 'identifier' && SUPERUSER_ONLY.test(token.name)) return true;
    } catch (error) {
      if (!(error instanceof FilterError)) throw error;
    }
  }
}
