import { type ExecutionContext, Injectable, type Type } from '@nestjs/common';

/** A method of a controller, as Nest hands it to guards. */
export type Handler = ReturnType<ExecutionContext['getHandler']>;

/** A route of a controller, with a slot for the value of each RouteMetadata. */
export interface Route {
  readonly handler: Handler;
  readonly controller: Type;
  readonly metadata: unknown[];
}

/**
 * The routes of an application, in one place for all guards: each of them asks for each request, and what the first has
 * looked up is at hand for those after it. Controllers that inherit a method from one class share it as their handler,
 * so they are told apart by both.
 */
@Injectable()
export class Routes {
  private readonly known = new WeakMap<Handler, Route[]>();
  /** What was asked for last: the guards of a request ask one after the other. */
  private last: Route | undefined;
  private slots = 0;

  /** An index into the metadata of every route that nobody else has. */
  reserveSlot(): number {
    return this.slots++;
  }

  of(context: ExecutionContext): Route {
    const controller = context.getClass();
    const handler = context.getHandler();
    const { last } = this;
    if (last !== undefined && last.handler === handler && last.controller === controller) return last;
    return (this.last = this.find(handler, controller));
  }

  private find(handler: Handler, controller: Type): Route {
    const known = this.known.get(handler);
    const route = known?.find((each) => each.controller === controller);
    return route ?? this.add({ handler, controller, metadata: [] }, known);
  }

  private add(route: Route, known: Route[] | undefined): Route {
    if (known) known.push(route);
    else this.known.set(route.handler, [route]);
    return route;
  }
}
