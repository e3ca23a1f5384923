import type { ExecutionContext, Type } from '@nestjs/common';

/** A method of a controller, as Nest hands it to guards. */
type Handler = ReturnType<ExecutionContext['getHandler']>;

/** What decorators say about the routes of an application, read once for each. A value may be null, not undefined. */
export class RouteMetadata<Value extends NonNullable<unknown> | null> {
  /** By both, because controllers that inherit a method from one class share it as their handler. */
  private readonly known = new WeakMap<Handler, Map<Type, Value>>();

  /** `find` reads the decorators: the handler's own win over those of the controller. */
  constructor(private readonly find: (targets: [Handler, Type]) => Value) {}

  of(context: ExecutionContext): Value {
    const handler = context.getHandler();
    const controller = context.getClass();
    let ofHandler = this.known.get(handler);
    if (!ofHandler) this.known.set(handler, (ofHandler = new Map()));
    let value = ofHandler.get(controller);
    if (value === undefined) ofHandler.set(controller, (value = this.find([handler, controller])));
    return value;
  }
}
