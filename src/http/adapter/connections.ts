import type { Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { endIdleConnections } from './idle-connections.js';
import type { RoostRequest } from '../request/roost-request.js';
import { KEEP_ALIVE, RoostResponse } from './roost-response.js';
import { limitUnread } from '../answer/unread-answers.js';

type RequestListener = (request: RoostRequest, reply: FastifyReply) => void;

/**
 * Connections that may wait until they are accepted, to listen with. Of a sudden thousand Node's own 511 would lose half,
 * which then try again seconds later. The system's limit (`net.core.somaxconn`) counts where it is lower.
 */
export const BACKLOG = 4_096;

/** A whole request must have arrived within this time (OPS-37), in milliseconds. */
const BODY_TIMEOUT = 5 * 60_000;

/** Milliseconds for which a client may read nothing of what waits for it (OPS-39). */
const STALL_TIME = 60_000;

/** Bytes of answers that may wait for slow readers, of all connections together. */
const MOST_UNREAD = 64 * 1024 * 1024;

/** Milliseconds in which a stream that was ended may write what waits for it. */
const FLUSH_TIME = 1_000;

declare module 'fastify' {
  interface FastifyInstance {
    connections: Connections;
  }
}

/** Times are in milliseconds. */
export interface ConnectionLimits {
  /** Connections that are idle for longer are ended, at the latest after twice this time. */
  readonly keepAlive?: number;
  /** When what nobody reads of a body is cut off, after the request began; at the earliest a second after the answer. */
  readonly bodyTimeout?: number;
  /** When a connection is cut off over which nothing of an answer has gone, nor anything come. */
  readonly stall?: number;
  /** Bytes that were written and not read, beyond which connections are cut off. */
  readonly unread?: number;
}

/**
 * The connections of a server, and the requests on each that are not answered yet. Listeners hang on connections, which
 * last for many requests; a request costs no more than finding its connection.
 *
 * It also lets a stopping server end as soon as its requests have. Left alone, Node waits for connections that never
 * asked for anything until the time for request heads is over, and for those whose request ended meanwhile until they
 * are idle for long enough.
 */
export class Connections {
  /** Those that asked for nothing yet, by their other end: with TLS, requests come from another object than this one. */
  private readonly silent = new Map<string, Socket>();
  /** Those whose request was answered before all of it had come. */
  private readonly draining = new Set<Socket>();
  private readonly unanswered = new Map<Socket, FastifyReply[]>();
  /** Requests whose turn has not come, and what lets them go on. */
  private readonly held = new Map<FastifyReply, () => void>();
  private readonly sentListeners: RequestListener[] = [];
  private readonly abortListeners: RequestListener[] = [];
  private readonly bodyTimeout: number;
  private stopping = false;

  constructor(fastify: FastifyInstance, limits: ConnectionLimits = {}) {
    const { keepAlive = KEEP_ALIVE, bodyTimeout = BODY_TIMEOUT, stall = STALL_TIME, unread = MOST_UNREAD } = limits;
    this.bodyTimeout = bodyTimeout;
    endIdleConnections(fastify.server, this.unanswered, keepAlive);
    cutOffStalled(fastify.server, stall);
    limitUnread(fastify.server, this.unanswered, unread);
    fastify.server.on('connection', (socket: Socket) => this.accept(socket));
    const onSent = (reply: FastifyReply) => this.remove(reply);
    fastify.addHook('onRequest', (request, reply, done) => {
      RoostResponse.whenSent(reply, onSent);
      if (this.add(request.raw.socket, reply)) done();
      else this.held.set(reply, done);
    });
    fastify.addHook('preClose', (done) => {
      this.stop();
      done();
    });
  }

  /** Whether the server takes no more requests. */
  get isStopping(): boolean {
    return this.stopping;
  }

  /** How many requests wait for the end of their answer. */
  get requests(): number {
    let requests = 0;
    for (const replies of this.unanswered.values()) requests += replies.length;
    return requests;
  }

  /** Those of one connection that wait for the end of their answer, in the order they are answered. */
  unansweredOn(socket: Socket): readonly FastifyReply[] {
    return this.unanswered.get(socket) ?? [];
  }

  /** Counts a request as answered although its reply was not sent through Fastify (a hijacked one). */
  answered(reply: FastifyReply): void {
    this.remove(reply);
  }

  /** Calls back when an answer was sent whole. */
  onSent(listener: RequestListener): void {
    this.sentListeners.push(listener);
  }

  /** Calls back when a client goes away: before the answer, or in the middle of it. */
  onAbort(listener: RequestListener): void {
    this.abortListeners.push(listener);
  }

  /** Ends the answers that are streams of events, which would go on for as long as the server does (OPS-195, OPS-105). */
  endStreams(): void {
    for (const replies of this.unanswered.values()) {
      for (const { raw } of replies) if (RoostResponse.isEventStream(raw)) endStream(raw);
    }
  }

  /** Ends the connections of all requests that are not answered. */
  cutOff(): void {
    for (const replies of this.unanswered.values()) for (const { raw } of replies) raw.destroy();
  }

  private accept(socket: Socket): void {
    if (this.stopping) return void socket.destroy();
    const end = otherEnd(socket);
    this.silent.set(end, socket);
    socket.once('close', () => {
      if (this.silent.get(end) === socket) this.silent.delete(end);
    });
  }

  /**
   * False when the request has to wait. Of those that a client sends before it has the answers to earlier ones, one at a
   * time is worked on: their answers go out in order anyway, and until then all of them would be kept.
   */
  private add(socket: Socket, reply: FastifyReply): boolean {
    const replies = this.unanswered.get(socket);
    if (replies) return replies.push(reply) === 1;
    // Requests that were injected come without a connection.
    if (socket instanceof Socket) this.hear(socket, reply);
    return true;
  }

  /** Starts to watch a connection when its first request arrives. */
  private hear(socket: Socket, reply: FastifyReply): void {
    this.silent.delete(otherEnd(socket));
    this.unanswered.set(socket, [reply]);
    socket.once('close', () => this.lose(socket));
  }

  private remove(reply: FastifyReply): void {
    const socket = this.socketOf(reply);
    // The connection was closed before, and `lose` has told the abort listeners.
    if (socket === undefined) return;
    const replies = this.unanswered.get(socket);
    // The usual case: one request on the connection.
    if (replies?.length === 1 && replies[0] === reply) replies.pop();
    else if (replies?.includes(reply)) replies.splice(replies.indexOf(reply), 1);
    // The abort listeners were called for this request when its connection closed.
    else if (socket instanceof Socket) return;
    for (const listener of this.sentListeners) listener(reply.request, reply);
    if (reply.request.raw.complete === false) this.limitRest(reply.request, socket);
    if (this.stopping && replies?.length === 0) socket.destroySoon();
    if (replies?.length) this.letGoOn(replies[0]!);
  }

  private letGoOn(reply: FastifyReply): void {
    // Not at once: a client may have sent hundreds, each of which would go on in the same round of the event loop.
    setImmediate(() => {
      const goOn = this.held.get(reply);
      this.held.delete(reply);
      goOn?.();
    });
  }

  /** A route that stops reading its body in the middle destroys the request, from which Node takes the connection then. */
  private socketOf(reply: FastifyReply): Socket | undefined {
    const { socket } = reply.request.raw as { socket: Socket | null };
    if (socket !== null) return socket;
    return [...this.unanswered].find(([, replies]) => replies.includes(reply))?.[0];
  }

  /** The rest of a body is drained, so that the client gets to read its answer, but Node would do so for ever (OPS-37). */
  private limitRest({ raw: request, startedAt }: RoostRequest, socket: Socket): void {
    // Nothing is read any more on a connection whose request was destroyed.
    if (request.destroyed) return socket.destroySoon();
    const left = this.bodyTimeout - (performance.now() - startedAt);
    const timer = setTimeout(() => socket.destroy(), Math.max(left, FLUSH_TIME)).unref();
    this.draining.add(socket);
    request.once('close', () => {
      clearTimeout(timer);
      this.draining.delete(socket);
    });
    request.resume();
  }

  private lose(socket: Socket): void {
    const replies = this.unanswered.get(socket) ?? [];
    this.unanswered.delete(socket);
    for (const reply of replies) {
      // A held request was not handed to Fastify yet, so no listener knows of it.
      if (this.held.delete(reply)) continue;
      for (const listener of this.abortListeners) listener(reply.request, reply);
    }
  }

  private stop(): void {
    this.stopping = true;
    for (const socket of [...this.silent.values(), ...this.draining]) socket.destroySoon();
    this.endStreams();
  }
}

/**
 * Ends connections whose client reads nothing for this many milliseconds of what waits for it, which would keep the answer
 * in memory for as long as the client likes. Node tells of all over which nothing goes or comes: where nothing waits it is
 * the client who does, for an answer that takes long, the next event of a stream, or what to ask next.
 */
function cutOffStalled(server: Server, milliseconds: number): void {
  server.timeout = milliseconds;
  server.on('timeout', (socket: Socket) => {
    if (socket.writableLength > 0) socket.destroy();
  });
}

/**
 * Whoever writes to the stream learns of its end from the connection, and may try to write until then. A client that
 * does not read gets no more time than those of realtime (RT-21).
 */
function endStream(raw: ServerResponse): void {
  const { socket } = raw;
  raw.on('error', () => undefined).end(() => socket?.destroySoon());
  setTimeout(() => socket?.destroy(), FLUSH_TIME).unref();
}

function otherEnd({ remoteAddress = '', remotePort = 0 }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
