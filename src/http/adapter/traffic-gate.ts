import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { ServiceUnavailableError } from '../../kernel/errors/service-unavailable.error.js';

/** Milliseconds. */
const LOOK_AGAIN = 20;

/**
 * Lets requests in, or keeps them out for a while with a 503 that says when to come again (OPS-105). Those that reach a
 * stopping server on a connection that is still open are kept out, too (OPS-195).
 */
@Injectable()
export class TrafficGate implements OnModuleInit {
  private isOpen = true;

  constructor(private readonly adapterHost: HttpAdapterHost<FastifyAdapter>) {}

  onModuleInit(): void {
    const { fastify } = this;
    const { connections } = fastify;
    fastify.addHook('onRequest', (request, reply, done) => {
      const { isStopping } = connections;
      if (this.isOpen && !isStopping) return done();
      const why = isStopping ? 'The server is being stopped.' : 'The data is being restored.';
      const failure = new ServiceUnavailableError(`${why} Try again in a moment.`, 1);
      request.failure = failure;
      void reply.code(failure.status).headers(failure.headers).send(failure.toBody());
    });
  }

  /** Keeps new requests out until `open`. */
  close(): void {
    this.isOpen = false;
  }

  open(): void {
    this.isOpen = true;
  }

  /** Resolves when the requests that are inside have been answered; those that take longer are cut off. */
  async drain(milliseconds: number): Promise<void> {
    const { connections } = this.fastify;
    connections.endStreams();
    const until = performance.now() + milliseconds;
    while (connections.requests > 0 && performance.now() < until) await sleep(LOOK_AGAIN);
    connections.cutOff();
  }

  private get fastify(): FastifyInstance {
    return this.adapterHost.httpAdapter.getInstance() as unknown as FastifyInstance;
  }
}
