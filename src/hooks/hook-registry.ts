import { HttpException, Injectable, Logger } from '@nestjs/common';
import { ApiError } from '../kernel/errors/api-error.js';
import { BadRequestError } from '../kernel/errors/bad-request.error.js';
import { thrownText } from '../kernel/errors/message-of.js';
import type { MaybePromise } from '../kernel/maybe-promise.js';
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
  readonly observes?: boolean | 'streams';
  readonly label: string;
}

/** The handlers of one hook by whom they are for, each list in the order in which it runs. */
interface HookHandlers {
  readonly all: readonly HookHandler[];
  /** Those that name no collection. */
  readonly general: readonly HookHandler[];
  /** By name or id: the general ones and those that name it. */
  readonly named: ReadonlyMap<string, readonly HookHandler[]>;
}

const NONE: readonly HookHandler[] = [];

/** All handlers of all hooks. Filled once at start-up; running a hook nobody handles costs one map access. */
@Injectable()
export class HookRegistry {
  private readonly logger = new Logger('Hooks');
  private readonly added = new Map<unknown, HookHandler[]>();
  /** Arranged when a hook first runs, from what was added. */
  private readonly arranged = new Map<unknown, HookHandlers>();

  /** Adds a handler behind those of the same order. What was added first has its turn first. */
  add(hook: Hook<never>, handler: HookHandler): void {
    const present = this.added.get(hook);
    if (present) present.push(handler);
    else this.added.set(hook, [handler]);
    this.arranged.delete(hook);
  }

  /** True when some handler would run for this collection; skip building an event when none would. */
  has<Event>(hook: Hook<Event>, target?: HookTarget): boolean {
    return this.find(hook, target).length > 0;
  }

  /** True when some handler that would run for this collection does more than observe. */
  mayInterfere<Event>(hook: Hook<Event>, target?: HookTarget): boolean {
    return this.find(hook, target).some(({ observes }) => !observes);
  }

  /** True when some handler would run for this collection even without streams of clients. */
  hasWithoutStreams<Event>(hook: Hook<Event>, target?: HookTarget): boolean {
    return this.find(hook, target).some(({ observes }) => observes !== 'streams');
  }

  /** True when there is a handler at all, for whatever collection. */
  isHandled<Event>(hook: Hook<Event>): boolean {
    return this.added.has(hook);
  }

  /** What handlers name as their collections, for whoever knows whether there are such collections. */
  *named(): Generator<{ readonly hook: string; readonly label: string; readonly collection: string }> {
    for (const [hook, handlers] of this.added) {
      for (const { label, collections } of handlers) {
        for (const collection of collections) yield { hook: (hook as Hook<never>).hookName, label, collection };
      }
    }
  }

  /**
   * Runs the handlers one after another, each awaited. A throw stops the work: an ApiError or HttpException reaches
   * the client as it is, anything else becomes a 400 without details and its cause goes to the log (EXT-32).
   */
  run<Event>(hook: Hook<Event>, event: Event, target?: HookTarget): MaybePromise<void> {
    const handlers = this.find(hook, target);
    if (handlers.length > 0) return this.runAll(hook, event, handlers);
  }

  /** Runs handlers that may only observe: a throw is logged and the next handler runs. */
  async runAfter<Event>(hook: Hook<Event>, event: Event, target?: HookTarget): Promise<void> {
    for (const handler of this.find(hook, target)) {
      try {
        await handler.run(event as never);
      } catch (error) {
        this.logger.error(`${handler.label} failed in ${hook.hookName}: ${thrownText(error)}`, (error as Error)?.stack);
      }
    }
  }

  private async runAll<Event>(hook: Hook<Event>, event: Event, handlers: readonly HookHandler[]): Promise<void> {
    for (const handler of handlers) {
      try {
        await handler.run(event as never);
      } catch (error) {
        throw this.refusal(error, hook, handler);
      }
    }
  }

  /** Handlers of other collections are never looked at. */
  private find(hook: unknown, target: HookTarget | undefined): readonly HookHandler[] {
    const handlers = this.arranged.get(hook) ?? this.arrange(hook);
    if (!handlers) return NONE;
    if (!target || handlers.named.size === 0) return handlers.general;
    const byId = handlers.named.get(target.id);
    const byName = handlers.named.get(target.name);
    if (byId && byName) return handlers.all.filter((handler) => byId.includes(handler) || byName.includes(handler));
    return byId ?? byName ?? handlers.general;
  }

  private arrange(hook: unknown): HookHandlers | undefined {
    const added = this.added.get(hook);
    if (!added) return undefined;
    // A stable sort keeps the order of module imports among equals.
    const handlers = arrange([...added].sort((a, b) => a.order - b.order));
    this.arranged.set(hook, handlers);
    return handlers;
  }

  private refusal<Event>(error: unknown, hook: Hook<Event>, handler: HookHandler): unknown {
    if (error instanceof ApiError || error instanceof HttpException) return error;
    this.logger.error(`${handler.label} failed in ${hook.hookName}: ${thrownText(error)}`, (error as Error)?.stack);
    return new BadRequestError('The request was refused.', {}, { cause: error });
  }
}

function arrange(all: readonly HookHandler[]): HookHandlers {
  const names = new Set(all.flatMap(({ collections }) => collections));
  const of = (name: string) => all.filter(({ collections }) => collections.length === 0 || collections.includes(name));
  return {
    all,
    general: all.filter(({ collections }) => collections.length === 0),
    named: new Map([...names].map((name) => [name, of(name)])),
  };
}
