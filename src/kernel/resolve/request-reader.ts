import type { SqlValue } from '../fields/field-type.js';
import type { SqlNode, SqlType } from '../sql/sql-node.js';
import { param } from '../sql/sql.js';
import type { BindScope } from './expression-scope.js';
import { RequestSlot } from './request-slot.js';

interface Assumption {
  readonly look: (scope: BindScope) => unknown;
  readonly found: unknown;
}

/**
 * Reads the request for a compiled expression, and records what its SQL text depends on: that a value exists, that it
 * is empty, that it is a number. The text can be used for every scope for which the same holds, with its own values.
 */
export class RequestReader {
  private readonly assumptions: Assumption[] = [];

  constructor(
    private scope: BindScope | undefined,
    private readonly place: (slot: RequestSlot, type: SqlType) => SqlNode = param,
  ) {}

  /** The result of `look` for this scope, recorded as an assumption. It must be a primitive or an identity. */
  about<Found>(look: (scope: BindScope) => Found): Found {
    if (!this.scope) throw new Error('Nothing more can be assumed about a request that is gone.');
    const found = look(this.scope);
    this.assumptions.push({ look, found });
    return found;
  }

  /** A value that is read at every binding, wherever this compilation puts such values. */
  node(read: (scope: BindScope) => SqlValue, type: SqlType): SqlNode {
    return this.place(new RequestSlot(read), type);
  }

  /** Drops the scope, so that the cache keeps no request alive. */
  seal(): void {
    this.scope = undefined;
  }

  /** Whether SQL compiled under these assumptions is right for the scope. */
  fits(scope: BindScope): boolean {
    for (const { look, found } of this.assumptions) {
      if (look(scope) !== found) return false;
    }
    return true;
  }
}
