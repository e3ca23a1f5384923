import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { type FreeConnection, makeRoom, mostConnections } from './connection-room.js';
import { endIdleConnections, speaksHttp } from './idle-connections.js';
import type { RoostRequest } from '../request/roost-request.js';
import { KEEP_ALIVE, RoostResponse } from './roost-response.js';
import { limitUnread } from '../answer/unread-answers.js';

/** `end` is `performance.now()` at the end of the answer, asked once for all who are told of it. */
type RequestListener = (request: RoostRequest, reply: FastifyReply, end: number) => void;
type Handle = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Connections that may wait until they are accepted, to listen with. Of a sudden thousand Node's own 511 would lose
 * half, which then try again seconds later. The system's limit (`net.core.somaxconn`) counts where it is lower.
 */
export const BACKLOG = 4_096;

/** A whole request must have arrived within this time (OPS-37), in milliseconds. */
const BODY_TIMEOUT = 5 * 60_000;

/** Milliseconds for which a client may read nothing of what waits for it (OPS-39). */
const STALL_TIME = 60_000;

/** Bytes of answers that may wait for slow readers, of all connections together. */
const MOST_UNREAD = 64 * 1024 * 1024;

/** Requests of a connection that may wait for the answer to an earlier one. */
const MOST_WAITING = 32;

/** Bytes that may come after the first of those that wait. */
const MOST_WAITING_BYTES = 64 * 1024;

/** What a parser of Node takes for a failure, instead of for how a body is to be read. */
const STOP_PARSING = -1;

/** Milliseconds between two looks at what waits to be read. */
const LOOK_FOR_UNREAD = 250;

/** Milliseconds until connections that might be ended are looked for again, when there were none. */
const LOOK_AGAIN = 250;

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
  /**
   * When what nobody reads of a body is cut off, after the request began; at the earliest a second after the answer.
   */
  readonly bodyTimeout?: number;
  /** When a connection is cut off over which nothing of an answer has gone, nor anything come. */
  readonly stall?: number;
  /** Bytes that were written and not read, beyond which connections are cut off. */
  readonly unread?: number;
  /** Connections beyond which some that are free are ended, or a new one when there are none. */
  readonly most?: number;
}

/** What one connection has asked for. */
interface Asked {
  /** What is worked on. */
  current: FastifyReply | undefined;
  /** What came after it, which Fastify has not seen yet. */
  readonly waiting: Parameters<Handle>[];
  /** Bytes that had come when the first of those that wait did. */
  readBefore: number;
  /** When the last answer was sent. */
  freeSince: number;
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
  /**
   * Those that asked for nothing yet, by their other end: with TLS, requests come from another object than this one.
   */
  private readonly silent = new Map<string, { socket: Socket; readonly since: number }>();
  /** Those whose request was answered before all of it had come. */
  private readonly draining = new Set<Socket>();
  private readonly asked = new Map<Socket, Asked>();
  private readonly sentListeners: RequestListener[] = [];
  private readonly abortListeners: RequestListener[] = [];
  private readonly bodyTimeout: number;
  private readonly most: number;
  /** All that are open. */
  private count = 0;
  /** How many new ones may come in place of those that were ended and are still counted. */
  private room = 0;
  /** When connections that might be ended are looked for at the earliest. */
  private lookAt = 0;
  /** Fastify's own listener. */
  private readonly handle: Handle;
  private stopping = false;

  constructor(fastify: FastifyInstance, limits: ConnectionLimits = {}) {
    const { keepAlive = KEEP_ALIVE, bodyTimeout = BODY_TIMEOUT, stall = STALL_TIME, unread = MOST_UNREAD } = limits;
    this.bodyTimeout = bodyTimeout;
    this.most = limits.most ?? mostConnections();
    endIdleConnections(fastify.server, this.asked, keepAlive);
    cutOffStalled(fastify.server, this.asked, stall);
    limitUnread(fastify.server, this.asked, unread);
    [this.handle] = fastify.server.listeners('request') as [Handle];
    this.takeTurns(fastify.server);
    fastify.server.on('connection', (socket: Socket) => this.accept(socket));
    fastify.server.on('secureConnection', (socket: Socket) => this.secure(socket));
    const onSent = (reply: FastifyReply) => this.remove(reply);
    fastify.addHook('onRequest', (request, reply, done) => {
      RoostResponse.whenSent(reply, onSent);
      this.add(request.raw.socket, reply);
      done();
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
    for (const { current, waiting } of this.asked.values()) requests += waiting.length + (current ? 1 : 0);
    return requests;
  }

  /** The request of a connection that is worked on. */
  currentOn(socket: Socket): FastifyReply | undefined {
    return this.asked.get(socket)?.current;
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

  /**
   * Ends the answers that are streams of events, which would go on for as long as the server does (OPS-195, OPS-105).
   */
  endStreams(): void {
    for (const { current } of this.asked.values()) {
      if (current && RoostResponse.isEventStream(current.raw)) endStream(current.raw);
    }
  }

  /** Ends the connections of all requests that are not answered. */
  cutOff(): void {
    for (const { current } of this.asked.values()) current?.raw.destroy();
  }

  private accept(socket: Socket): void {
    if (this.stopping) return void socket.destroy();
    if (!this.hasRoom()) return void socket.destroy();
    this.count += 1;
    const end = otherEnd(socket);
    const silent = { socket, since: performance.now() };
    this.silent.set(end, silent);
    socket.once('close', () => {
      this.count -= 1;
      if (this.silent.get(end) === silent) this.silent.delete(end);
    });
  }

  /** With TLS, the connection of the requests to come takes the place of the one below it. */
  private secure(socket: Socket): void {
    const silent = this.silent.get(otherEnd(socket));
    if (silent) silent.socket = socket;
  }

  /** Whether one more may come. Others that are free are ended for it. */
  private hasRoom(): boolean {
    if (this.count < this.most) {
      this.room = 0;
      return true;
    }
    if (this.room === 0) this.room = this.findRoom();
    if (this.room === 0) return false;
    this.room -= 1;
    return true;
  }

  private findRoom(): number {
    const now = performance.now();
    if (now < this.lookAt) return 0;
    const ended = makeRoom(this.free());
    if (ended === 0) this.lookAt = now + LOOK_AGAIN;
    return ended;
  }

  /** Those over which nothing is asked, neither in HTTP nor in another protocol. */
  private *free(): Generator<FreeConnection> {
    for (const silent of this.silent.values()) if (speaksHttp(silent.socket)) yield silent;
    for (const [socket, asked] of this.asked) {
      if (isFree(asked) && !this.draining.has(socket) && speaksHttp(socket)) yield { socket, since: asked.freeSince };
    }
  }

  /**
   * Hands the requests that a client sends before it has the answers to earlier ones to Fastify one at a time. The
   * answers go out in order anyway, and until then all of them would be kept. Who sends too many is cut off: Node goes
   * on to read however long the first one takes, and would keep some kilobytes for each.
   */
  private takeTurns(server: Server): void {
    server.off('request', this.handle).on('request', (request, response) => {
      const { socket } = request;
      const asked = this.asked.get(socket);
      if (asked === undefined || isFree(asked)) return this.handle(request, response);
      const { waiting } = asked;
      if (waiting.length === 0) asked.readBefore = socket.bytesRead;
      const bytes = socket.bytesRead - asked.readBefore;
      if (waiting.length === MOST_WAITING || bytes > MOST_WAITING_BYTES) closeMidway(socket);
      else waiting.push([request, response]);
    });
  }

  private add(socket: Socket, reply: FastifyReply): void {
    const asked = this.asked.get(socket);
    if (asked) asked.current = reply;
    // Requests that were injected come without a connection.
    else if (socket instanceof Socket) this.hear(socket, reply);
  }

  /** Starts to watch a connection when its first request arrives. */
  private hear(socket: Socket, reply: FastifyReply): void {
    this.silent.delete(otherEnd(socket));
    this.asked.set(socket, { current: reply, waiting: [], readBefore: 0, freeSince: 0 });
    socket.once('close', () => this.lose(socket));
  }

  private remove(reply: FastifyReply): void {
    const socket = this.socketOf(reply);
    // The connection was closed before, and `lose` has told the abort listeners.
    if (socket === undefined) return;
    const asked = this.asked.get(socket);
    if (asked?.current === reply) asked.current = undefined;
    // The abort listeners were called for this request when its connection closed.
    else if (socket instanceof Socket) return;
    const now = performance.now();
    for (const listener of this.sentListeners) listener(reply.request, reply, now);
    if (reply.request.raw.complete === false) this.limitRest(reply.request, socket);
    if (!asked) return;
    asked.freeSince = now;
    if (asked.waiting.length > 0) this.goOn(asked);
    else if (this.stopping) socket.destroySoon();
  }

  private goOn(asked: Asked): void {
    // Not at once: a client may have sent many, each of which would go on in the same round of the event loop.
    setImmediate(() => {
      const next = asked.waiting.shift();
      if (!next) return;
      this.handle(...next);
      // An address that Fastify does not understand is answered without its hooks.
      if (!asked.current) this.goOn(asked);
    });
  }

  /**
   * A route that stops reading its body in the middle destroys the request, from which Node takes the connection then.
   */
  private socketOf(reply: FastifyReply): Socket | undefined {
    const { socket } = reply.request.raw as { socket: Socket | null };
    if (socket !== null) return socket;
    return [...this.asked].find(([, { current }]) => current === reply)?.[0];
  }

  /**
   * The rest of a body is drained, so that the client gets to read its answer, but Node would do so for ever (OPS-37).
   */
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
    const asked = this.asked.get(socket);
    this.asked.delete(socket);
    if (!asked) return;
    const { current, waiting } = asked;
    waiting.length = 0;
    if (!current) return;
    const now = performance.now();
    for (const listener of this.abortListeners) listener(current.request, current, now);
  }

  private stop(): void {
    this.stopping = true;
    for (const { socket } of this.silent.values()) socket.destroySoon();
    for (const socket of this.draining) socket.destroySoon();
    this.endStreams();
  }
}

/**
 * Closes a connection in the middle of what has come. Node would read all of that, thousands of requests at the most.
 * Its types do not name the parser; without it, they are dropped one by one.
 */
function closeMidway(socket: Socket & { readonly parser?: { onIncoming: () => number } | null }): void {
  socket.destroy();
  if (socket.parser) socket.parser.onIncoming = () => STOP_PARSING;
}

function isFree({ current, waiting }: Asked): boolean {
  return current === undefined && waiting.length === 0;
}

/**
 * Ends connections whose client reads nothing for this many milliseconds of what waits for it, which would keep the
 * answer in memory for as long as the client likes. Node tells of all over which nothing goes or comes: where nothing
 * waits it is the client who does, for an answer that takes long, the next event of a stream, or what to ask next.
 *
 * Node's timer is started anew with whatever goes or comes, which on all connections was 2 % of a view. So it is set
 * where something is found waiting, unless somebody has set or stopped it, as streams do. `open` has those that are
 * looked at.
 */
function cutOffStalled(server: Server, open: ReadonlyMap<Socket, unknown>, milliseconds: number): void {
  const look = () => {
    for (const socket of open.keys()) {
      if (socket.writableLength > 0 && socket.timeout === undefined) socket.setTimeout(milliseconds);
    }
  };
  const looking = setInterval(look, LOOK_FOR_UNREAD).unref();
  server.on('close', () => clearInterval(looking));
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
