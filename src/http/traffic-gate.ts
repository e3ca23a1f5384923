import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { ServiceUnavailableError } from '../kernel/errors/service-unavailable.error.js';
import type { RoostRequest } from './roost-request.js';

const LOOK_AGAIN = 20;

type AbortListener = (request: RoostRequest, reply: FastifyReply) => void;

/** Lets requests in, or keeps them out for a while with a 503 that says when to come again (OPS-105). */
@Injectable()
export class TrafficGate implements OnModuleInit {
  private readonly running = new Map<ServerResponse, FastifyReply>();
  private readonly abortListeners: AbortListener[] = [];
  private isOpen = true;
  private readonly forget: (this: ServerResponse) => void;

  constructor(private readonly adapterHost: HttpAdapterHost<FastifyAdapter>) {
    const { running, abortListeners } = this;
    this.forget = function (this: ServerResponse) {
      const reply = running.get(this);
      running.delete(this);
      if (reply && !this.writableFinished) for (const listener of abortListeners) listener(reply.request, reply);
    };
  }

  onModuleInit(): void {
    const fastify = this.adapterHost.httpAdapter.getInstance() as unknown as FastifyInstance;
    fastify.addHook('onRequest', (request, reply, done) => {
      if (!this.isOpen) {
        const failure = new ServiceUnavailableError('The data is being restored. Try again in a moment.', 1);
        request.failure = failure;
        void reply.code(failure.status).headers(failure.headers).send(failure.toBody());
        return;
      }
      this.running.set(reply.raw, reply);
      // Comes after every end of a response, good or bad, and only once.
      reply.raw.on('close', this.forget);
      done();
    });
  }

  /** Calls back when a client goes away: before the answer, or in the middle of it. */
  onAbort(listener: AbortListener): void {
    this.abortListeners.push(listener);
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
    const until = performance.now() + milliseconds;
    while (this.running.size > 0 && performance.now() < until) await sleep(LOOK_AGAIN);
    for (const response of this.running.keys()) response.destroy();
  }
}
