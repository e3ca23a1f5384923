import type { SqlValue } from '../fields/field-type.js';
import type { Slot } from '../sql/sql-node.js';
import type { BindScope } from './expression-scope.js';

/** A place for a value of the request, the caller or the clock, read again at every binding. */
export class RequestSlot implements Slot {
  readonly slot = true;

  constructor(readonly read: (scope: BindScope) => SqlValue) {}
}
