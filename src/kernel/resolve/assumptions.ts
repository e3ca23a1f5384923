import type { BindScope } from './bind-scope.js';

interface Assumption {
  readonly look: (scope: BindScope) => unknown;
  readonly found: unknown;
}

/**
 * What the text of a compiled expression depends on besides its schema: that a request value is there, that it is
 * empty, that it is a number. The text may serve every scope for which all of it holds, with values filled in anew.
 */
export class Assumptions {
  private readonly list: Assumption[] = [];

  constructor(private readonly scope: BindScope) {}

  /** What `look` finds in the scope at hand, remembered as an assumption. It must return a primitive or an identity. */
  about<Found>(look: (scope: BindScope) => Found): Found {
    const found = look(this.scope);
    this.list.push({ look, found });
    return found;
  }

  /** Whether SQL compiled under these assumptions is right for the scope. */
  hold(scope: BindScope): boolean {
    for (const { look, found } of this.list) {
      if (look(scope) !== found) return false;
    }
    return true;
  }
}
