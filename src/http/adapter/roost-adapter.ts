import { RequestMethod } from '@nestjs/common';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, onResponseHookHandler } from 'fastify';
import { leavingBodiesUnread } from '../body/body-parsers.js';
import { isLong } from '../../kernel/json-in-pieces.js';
import { itemByItem, LargeAnswer } from '../answer/large-answer.js';
import { RouteCollisions } from './route-collisions.js';
import { isPreserialized, serializeAnswer } from '../answer/preserialized-answer.js';
import { writtenInSlices } from '../answer/written-in-slices.js';

/** The methods of an adapter that register routes: `get`, `post`, `all` and so on. */
const VERBS = Object.values(RequestMethod)
  .filter((method) => typeof method === 'string')
  .map((method) => method.toLowerCase());

const JSON_TYPE = 'application/json; charset=utf-8';

type Answer = ReturnType<FastifyAdapter['reply']>;
type ErrorHandler = Parameters<FastifyAdapter['setErrorHandler']>[0];

/**
 * Nest's adapter, which sends large answers piece by piece and texts as they were written before, leaves bodies to
 * those who read them, and has filters answer what fails outside of handlers. It has no hook at the end of responses
 * until somebody sets one: Nest's own has Fastify listen to each (3.6 % of a view).
 */
export class RoostAdapter extends FastifyAdapter {
  /** Libraries made for Nest, such as @nestjs/serve-static, ask for the platform by the name of this class. */
  static override readonly name = FastifyAdapter.name;

  private onError: ErrorHandler | undefined;
  declare collisions: RouteCollisions;
  /** The instance that the routes of controllers are registered with. Declared only, as above. */
  declare private unread: ReturnType<FastifyAdapter['getInstance']>;
  /**
   * Nest's hook, kept until somebody needs it. Declared only: a value here would replace what the constructor found.
   */
  declare private responseHook: onResponseHookHandler | undefined;

  /** Nest's constructor calls this before it adds its hooks. */
  override setInstance<T>(instance: T): void {
    super.setInstance(instance);
    const fastify = instance as unknown as FastifyInstance;
    const { addHook } = fastify;
    fastify.addHook = ((name: string, hook: never) => {
      if (name !== 'onResponse') return addHook.call(fastify, name as never, hook);
      fastify.addHook = addHook;
      this.responseHook = hook;
      return fastify;
    }) as typeof addHook;
    this.collisions = new RouteCollisions(fastify);
    this.unread = leavingBodiesUnread(this.getInstance());
    const adapter = this as unknown as Record<string, (...route: unknown[]) => unknown>;
    for (const name of VERBS) {
      const register = adapter[name]!;
      adapter[name] = (...route) => this.withBodiesUnread(() => register.apply(this, route));
    }
  }

  override setNotFoundHandler(
    handler: Parameters<FastifyAdapter['setNotFoundHandler']>[0],
  ): ReturnType<FastifyAdapter['setNotFoundHandler']> {
    return this.withBodiesUnread(() => super.setNotFoundHandler(handler));
  }

  override setOnResponseHook(hook: Parameters<FastifyAdapter['setOnResponseHook']>[0]): void {
    super.setOnResponseHook(hook);
    if (this.responseHook) this.getInstance().addHook('onResponse', this.responseHook);
    this.responseHook = undefined;
  }

  /**
   * Makes the application's filters answer what fails outside of a route's handler as well: hooks of Fastify,
   * middleware, streams. To be called before there are routes; each takes the handler of the moment, and Nest sets its
   * own too late.
   */
  answerErrors(): void {
    const fastify = this.getInstance();
    fastify.setErrorHandler((...failed: Parameters<ErrorHandler>): unknown => {
      if (!this.onError) throw failed[0];
      return this.onError.apply(fastify, failed);
    });
  }

  override setErrorHandler(handler: ErrorHandler): ReturnType<FastifyAdapter['setErrorHandler']> {
    this.onError = handler;
    return this.getInstance() as ReturnType<FastifyAdapter['setErrorHandler']>;
  }

  override reply(response: Parameters<FastifyAdapter['reply']>[0], body: unknown, statusCode?: number): Answer {
    const large = Array.isArray(body) ? itemByItem(body) : body;
    if (isSuccess(response)) {
      if (large instanceof LargeAnswer) return large.send(response.type(JSON_TYPE)) as unknown as Answer;
      if (isPreserialized(body)) response.type(JSON_TYPE).serializer(serializeAnswer);
      else if (isPlain(body) && isLong(body)) {
        response.type(JSON_TYPE);
        return writtenInSlices(body).then((json) => super.reply(response, json, statusCode)) as unknown as Answer;
      }
    }
    return super.reply(response, body, statusCode);
  }

  /**
   * The methods of Nest's adapter ask this protected property for the instance; TypeScript alone calls it read-only.
   */
  private withBodiesUnread<T>(register: () => T): T {
    const adapter = this as unknown as { instance: unknown };
    const usual = adapter.instance;
    adapter.instance = this.unread;
    try {
      return register();
    } finally {
      adapter.instance = usual;
    }
  }
}

/** Whether an answer is an object that is sent as JSON, not a stream or bytes. */
function isPlain(body: unknown): body is object {
  if (typeof body !== 'object' || body === null) return false;
  const prototype: unknown = Object.getPrototypeOf(body);
  return prototype === Object.prototype || prototype === null;
}

/** Whether this is a reply of Fastify, which Node's own responses are not, and stands for no failure. */
function isSuccess(response: object): response is FastifyReply {
  return 'send' in response && (response as FastifyReply).statusCode < 400;
}
