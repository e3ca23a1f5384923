import type { ExecutionContext, Type } from '@nestjs/common';

/** A method of a controller, as Nest hands it to guards. */
type Handler = ReturnType<ExecutionContext['getHandler']>;

/**
 * What decorators say about the routes of an application, read once for each. Controllers that inherit a method from
 * one class share it as their handler, so what was read for one of them says nothing about another.
 */
export class MarksByRoute<Mark> {
  private readonly read = new WeakMap<Handler, { readonly controller: Type; readonly mark: Mark }[]>();

  /** `find` reads the decorators: the handler's own win over those of the controller. */
  constructor(private readonly find: (targets: [Handler, Type]) => Mark) {}

  of(context: ExecutionContext): Mark {
    const controller = context.getClass();
    const handler = context.getHandler();
    const known = this.read.get(handler);
    // Guards ask for each request, and almost every handler is that of one controller.
    if (known?.[0].controller === controller) return known[0].mark;
    const other = known?.find((each) => each.controller === controller);
    return other ? other.mark : this.learn(handler, controller);
  }

  private learn(handler: Handler, controller: Type): Mark {
    const mark = this.find([handler, controller]);
    const known = this.read.get(handler);
    if (known) known.push({ controller, mark });
    else this.read.set(handler, [{ controller, mark }]);
    return mark;
  }
}
