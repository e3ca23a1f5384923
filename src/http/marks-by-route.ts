import type { ExecutionContext, Type } from '@nestjs/common';

/** A method of a controller, as Nest hands it to guards. */
type Handler = ReturnType<ExecutionContext['getHandler']>;

/**
 * What decorators say about the routes of an application, read once for each. Controllers that inherit a method from
 * one class share it as their handler, so what was read for one of them says nothing about another.
 */
export class MarksByRoute<Mark> {
  private readonly read = new WeakMap<Type, WeakMap<Handler, { readonly mark: Mark }>>();

  /** `find` reads the decorators: the handler's own win over those of the controller. */
  constructor(private readonly find: (targets: [Handler, Type]) => Mark) {}

  of(context: ExecutionContext): Mark {
    const controller = context.getClass();
    const handler = context.getHandler();
    let marks = this.read.get(controller);
    if (!marks) this.read.set(controller, (marks = new WeakMap()));
    let known = marks.get(handler);
    if (!known) marks.set(handler, (known = { mark: this.find([handler, controller]) }));
    return known.mark;
  }
}
