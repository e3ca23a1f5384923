import { type IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import { type PresetHeaders } from './preset-headers.js';

type StoreHeader = (this: ServerResponse, firstLine: string, headers: object | undefined) => void;

/** Node's way to put a head together, which its types do not name. Without it, the headers are set one by one. */
const { _storeHeader: storeHeader } = ServerResponse.prototype as unknown as { _storeHeader?: StoreHeader };

/**
 * Node's response, quicker at two things of which each answer has need. Headers that many answers share go into the head
 * in one piece. And it tells one listener that the answer is sent: a hook of Fastify makes each response collect
 * listeners and remove them again. Shared headers can be read, replaced, added to and removed as if they had been set.
 */
export class RoostResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  private requestId = '';
  private preset: PresetHeaders | undefined;
  private removed: string[] | undefined;
  private reply: FastifyReply | undefined;
  private onSent: ((reply: FastifyReply) => void) | undefined;

  /** Gives an answer the id of its request, and headers that its own ones replace. */
  static preset(reply: FastifyReply, requestId: string, headers: PresetHeaders): void {
    const { raw } = reply;
    if (raw instanceof RoostResponse && storeHeader) {
      raw.requestId = requestId;
      raw.preset = headers;
    }
    // Requests that were injected have responses of another class.
    else for (const [name, value] of Object.entries(headers.values(requestId))) raw.setHeader(name, value);
  }

  /** Calls back once an answer is sent whole; never when it fails, or when its client goes away before. */
  static whenSent(reply: FastifyReply, listener: (reply: FastifyReply) => void): void {
    const { raw } = reply;
    if (raw instanceof RoostResponse) {
      raw.reply = reply;
      raw.onSent = listener;
    } else raw.once('finish', () => listener(reply));
  }

  /**
   * Tells whoever listens that the connection of an answer is closed. Of those that wait for others on it, because the
   * client sends requests before it has the answers to earlier ones, Node says so to nobody.
   */
  static lose({ raw }: FastifyReply): void {
    if (raw.socket !== null || raw.closed) return;
    raw.destroy();
    (raw as ServerResponse & { _closed: boolean })._closed = true;
    raw.emit('close');
  }

  override getHeader(name: string): number | string | string[] | undefined {
    return super.getHeader(name) ?? this.presetValue(name);
  }

  override hasHeader(name: string): boolean {
    return super.hasHeader(name) || this.presetValue(name) !== undefined;
  }

  override getHeaders(): OutgoingHttpHeaders {
    const preset = this.preset?.values(this.requestId) ?? {};
    const kept = Object.entries(preset).filter(([name]) => !this.removed?.includes(name));
    return Object.assign(Object.create(null), Object.fromEntries(kept), super.getHeaders()) as OutgoingHttpHeaders;
  }

  override getHeaderNames(): string[] {
    return Object.keys(this.getHeaders());
  }

  override removeHeader(name: string): void {
    super.removeHeader(name);
    if (this.presetValue(name) !== undefined) (this.removed ??= []).push(name.toLowerCase());
  }

  override appendHeader(name: string, value: string | readonly string[]): this {
    const preset = super.hasHeader(name) ? undefined : this.presetValue(name);
    if (preset !== undefined) this.setHeader(name, preset);
    return super.appendHeader(name, value);
  }

  override emit(event: string | symbol, ...args: unknown[]): boolean {
    if (event !== 'finish') return super.emit(event, ...args);
    this.outlastBody();
    const isHeard = super.emit(event);
    if (this.reply) this.onSent?.(this.reply);
    return isHeard;
  }

  /** Node calls this with the status line and the headers of the answer. */
  protected _storeHeader(firstLine: string, headers: object | undefined): void {
    const lines = this.preset?.besides(headers, this.requestId, this.removed) ?? '';
    storeHeader?.call(this, firstLine + lines, headers);
  }

  /**
   * Node closes the connection together with the answer where the client wishes so. One that is still sending its body
   * then meets a connection that was reset, in the place of its answer.
   */
  private outlastBody(): void {
    const { req, socket } = this;
    const closing = this as { _last?: boolean };
    if (!closing._last || req.complete || socket === null) return;
    closing._last = false;
    req.once('close', () => socket.destroySoon());
  }

  private presetValue(name: string): string | undefined {
    const key = name.toLowerCase();
    return this.removed?.includes(key) ? undefined : this.preset?.value(key, this.requestId);
  }
}
