import type { ExecutionContext, Type } from '@nestjs/common';
import type { Handler, Route, Routes } from '../adapter/routes.js';

/** What decorators say about the routes of an application, read once for each. A mark may be null, not undefined. */
export class RouteMetadata<Mark extends NonNullable<unknown> | null> {
  /** Where its mark of a route is among those of others. */
  private readonly slot: number;

  /** `find` reads the decorators: the handler's own win over those of the controller. */
  constructor(
    private readonly routes: Routes,
    private readonly find: (targets: [Handler, Type]) => Mark,
  ) {
    this.slot = routes.reserveSlot();
  }

  of(context: ExecutionContext): Mark {
    const route = this.routes.of(context);
    const known = route.metadata[this.slot] as Mark | undefined;
    return known === undefined ? this.learn(route) : known;
  }

  private learn({ handler, controller, metadata }: Route): Mark {
    const mark = this.find([handler, controller]);
    metadata[this.slot] = mark;
    return mark;
  }
}
