import type { ExecutionContext, Type } from '@nestjs/common';
import type { Handler, Route, Routes } from '../adapter/routes.js';

/** What decorators say about the routes of an application, read once for each. A value may be null, not undefined. */
export class RouteMetadata<Value extends NonNullable<unknown> | null> {
  /** Where its value of a route is among those of others. */
  private readonly slot: number;

  /** `find` reads the decorators: the handler's own win over those of the controller. */
  constructor(
    private readonly routes: Routes,
    private readonly find: (targets: [Handler, Type]) => Value,
  ) {
    this.slot = routes.reserveSlot();
  }

  of(context: ExecutionContext): Value {
    const route = this.routes.of(context);
    const known = route.metadata[this.slot] as Value | undefined;
    return known === undefined ? this.learn(route) : known;
  }

  private learn({ handler, controller, metadata }: Route): Value {
    const value = this.find([handler, controller]);
    metadata[this.slot] = value;
    return value;
  }
}
