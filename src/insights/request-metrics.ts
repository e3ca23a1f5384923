import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { RoostRequest } from '../http/request/roost-request.js';
import { CLOCK } from '../config/roost-config.js';
import { type Clock, timeAt } from '../kernel/clock.js';
import { formatDateTime } from '../kernel/date-time.js';
import type { MinuteInsight, RouteInsight } from './insights.dto.js';
import { Latencies } from './latencies.js';

const MINUTE = 60_000;
const MINUTES = 60;
/** Routes that are counted separately; names of collections are part of them. */
const MOST_ROUTES = 300;
const OTHERS = 'other routes';
/** Not counted: a stream lasts as long as its client wants. */
const STREAM = 'GET /api/realtime';
/** Not counted: the files of the admin UI say nothing about the application. */
const ADMIN_UI = '/_';

interface Minute {
  readonly number: number;
  requests: number;
  errors: number;
  readonly latencies: Latencies;
}

interface Route {
  requests: number;
  errors: number;
  total: number;
  slowest: number;
  readonly latencies: Latencies;
}

/**
 * Counts the requests of this process, since its start and in each of the last sixty minutes (UI-80). Single requests
 * are not kept, so that memory is bounded and counting is cheap.
 */
@Injectable()
export class RequestMetrics implements OnModuleInit {
  private readonly minutes: Minute[] = [];
  private readonly routes = new Map<string, Route>();
  /**
   * Also by the configuration that Fastify keeps of a route, the method and the collection, so that no name is put
   * together for each request.
   */
  private readonly routesByConfig = new WeakMap<object, Map<string, Map<string, Route | null>>>();
  readonly since: string;

  constructor(
    private readonly adapterHost: HttpAdapterHost<FastifyAdapter>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.since = formatDateTime(clock.now());
  }

  onModuleInit(): void {
    const fastify = this.adapterHost.httpAdapter.getInstance() as unknown as FastifyInstance;
    fastify.connections.onSent((request, reply, end) => this.count(request, reply, end));
    fastify.connections.onAbort((request, reply, end) => this.count(request, reply, end));
  }

  /** The last sixty minutes, oldest first, also those without a request. */
  perMinute(): MinuteInsight[] {
    const last = minuteOf(this.clock.now());
    return Array.from({ length: MINUTES }, (_, index) => {
      const number = last - MINUTES + 1 + index;
      const minute = this.minutes.find((each) => each.number === number);
      const time = formatDateTime(number * MINUTE);
      return { time, requests: minute?.requests ?? 0, errors: minute?.errors ?? 0 };
    });
  }

  /** How long the requests of the last sixty minutes took. */
  latencies(): Latencies {
    const all = new Latencies();
    const first = minuteOf(this.clock.now()) - MINUTES;
    for (const { number, latencies } of this.minutes) if (number > first) all.addAll(latencies);
    return all;
  }

  /** The routes of which one request in twenty takes longest. */
  slowestRoutes(count: number): RouteInsight[] {
    return [...this.routes]
      .map(([route, { requests, errors, total, slowest, latencies }]) => ({
        route,
        requests,
        errors,
        average: Number((total / requests).toPrecision(3)),
        p95: latencies.percentile(95)!,
        slowest: Number(slowest.toPrecision(3)),
      }))
      .toSorted((a, b) => b.p95 - a.p95 || b.slowest - a.slowest)
      .slice(0, count);
  }

  private count(request: RoostRequest, reply: FastifyReply, end: number): void {
    if (request.isStatic) return;
    const route = this.routeOf(request);
    if (!route) return;
    const minute = this.currentMinute(timeAt(this.clock, end));
    const isError = reply.statusCode >= 400;
    const milliseconds = end - request.startedAt;
    for (const counted of [minute, route]) {
      counted.requests += 1;
      if (isError) counted.errors += 1;
      counted.latencies.add(milliseconds);
    }
    route.total += milliseconds;
    route.slowest = Math.max(route.slowest, milliseconds);
  }

  private currentMinute(time: number): Minute {
    const number = minuteOf(time);
    const last = this.minutes.at(-1);
    if (last?.number === number) return last;
    const minute = { number, requests: 0, errors: 0, latencies: new Latencies() };
    this.minutes.push(minute);
    if (this.minutes.length > MINUTES) this.minutes.shift();
    return minute;
  }

  /** Null for what is not counted. */
  private routeOf({ method, collection, routeOptions: { url, config } }: RoostRequest): Route | null {
    let byMethod = this.routesByConfig.get(config);
    if (!byMethod) this.routesByConfig.set(config, (byMethod = new Map()));
    let known = byMethod.get(method);
    if (!known) byMethod.set(method, (known = new Map()));
    const name = collection === null ? '' : collection.name;
    let route = known.get(name);
    if (route === undefined) {
      const path = collection === null ? url : url?.replace(/:collection\b/, name);
      route = this.routeNamed(method, path);
      if (route !== this.routes.get(OTHERS)) known.set(name, route);
    }
    return route;
  }

  private routeNamed(method: string, path: string | undefined): Route | null {
    const name = `${method} ${path}`;
    if (path === undefined || path.startsWith(ADMIN_UI) || name === STREAM) return null;
    const key = this.routes.has(name) || this.routes.size < MOST_ROUTES ? name : OTHERS;
    let route = this.routes.get(key);
    if (!route) {
      route = { requests: 0, errors: 0, total: 0, slowest: 0, latencies: new Latencies() };
      this.routes.set(key, route);
    }
    return route;
  }
}

function minuteOf(time: number): number {
  return Math.floor(time / MINUTE);
}
