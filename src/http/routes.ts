import { type ExecutionContext, Injectable, type Type } from '@nestjs/common';

/** A method of a controller, as Nest hands it to guards. */
export type Handler = ReturnType<ExecutionContext['getHandler']>;

/** A route of a controller, with a slot for the mark of each MarksByRoute. */
export interface Route {
  readonly handler: Handler;
  readonly controller: Type;
  readonly marks: unknown[];
}

/**
 * The routes of an application, in one place for all guards: each of them asks for each request, and what the first has
 * looked up is at hand for those after it. Controllers that inherit a method from one class share it as their handler,
 * so they are told apart by both.
 */
@Injectable()
export class Routes {
  private readonly known = new WeakMap<Handler, Route[]>();
  private slots = 0;

  /** An index into the marks of every route that nobody else has. */
  reserveSlot(): number {
    return this.slots++;
  }

  of(context: ExecutionContext): Route {
    const controller = context.getClass();
    const handler = context.getHandler();
    const known = this.known.get(handler);
    // Almost every handler is that of one controller.
    if (known?.[0].controller === controller) return known[0];
    return known?.find((each) => each.controller === controller) ?? this.add({ handler, controller, marks: [] }, known);
  }

  private add(route: Route, known: Route[] | undefined): Route {
    if (known) known.push(route);
    else this.known.set(route.handler, [route]);
    return route;
  }
}
