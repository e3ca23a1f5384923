import { HttpException, Injectable, Logger } from '@nestjs/common';
import { ApiError } from '../kernel/errors/api-error.js';
import { BadRequestError } from '../kernel/errors/bad-request.error.js';
import type { Hook } from './create-hook.js';

/** What a handler is registered for: a collection is matched by its id or its name. */
export interface HookTarget {
  readonly id: string;
  readonly name: string;
}

/** A registered handler; `label` says whose it is in log lines. */
export interface HookHandler {
  readonly run: (event: never) => unknown;
  readonly collections: readonly string[];
  readonly order: number;
  readonly label: string;
}

/** All handlers of all hooks. Filled once at start-up; running a hook nobody handles costs one map access. */
@Injectable()
export class HookRegistry {
  private readonly logger = new Logger('Hooks');
  private readonly handlers = new Map<unknown, HookHandler[]>();

  add(hook: Hook<never>, handler: HookHandler): void {
    const present = this.handlers.get(hook) ?? [];
    // A stable sort keeps the order of module imports among equals.
    this.handlers.set(
      hook,
      [...present, handler].sort((a, b) => a.order - b.order),
    );
  }

  /** True when some handler would run for this collection; skip building an event when none would. */
  has<Event>(hook: Hook<Event>, target?: HookTarget): boolean {
    return this.handlers.get(hook)?.some((handler) => fits(handler, target)) ?? false;
  }

  /**
   * Runs the handlers one after another, each awaited. A throw stops the work: an ApiError or HttpException reaches
   * the client as it is, anything else becomes a 400 without details and its cause goes to the log (EXT-32).
   */
  async run<Event>(hook: Hook<Event>, event: Event, target?: HookTarget): Promise<void> {
    const handlers = this.handlers.get(hook);
    if (!handlers) return;
    for (const handler of handlers) {
      if (!fits(handler, target)) continue;
      try {
        await handler.run(event as never);
      } catch (error) {
        throw this.refusal(error, hook, handler);
      }
    }
  }

  /** Runs handlers that may only observe: a throw is logged and the next handler runs. */
  async runAfter<Event>(hook: Hook<Event>, event: Event, target?: HookTarget): Promise<void> {
    const handlers = this.handlers.get(hook);
    if (!handlers) return;
    for (const handler of handlers) {
      if (!fits(handler, target)) continue;
      try {
        await handler.run(event as never);
      } catch (error) {
        this.logger.error(`${handler.label} failed in ${hook.hookName}: ${String(error)}`, (error as Error)?.stack);
      }
    }
  }

  private refusal<Event>(error: unknown, hook: Hook<Event>, handler: HookHandler): unknown {
    if (error instanceof ApiError || error instanceof HttpException) return error;
    this.logger.error(`${handler.label} failed in ${hook.hookName}: ${String(error)}`, (error as Error)?.stack);
    return new BadRequestError('The request was refused.', {}, { cause: error });
  }
}

function fits(handler: HookHandler, target: HookTarget | undefined): boolean {
  if (handler.collections.length === 0) return true;
  return target !== undefined && (handler.collections.includes(target.name) || handler.collections.includes(target.id));
}
