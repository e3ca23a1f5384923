import { type IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import { type PresetHeaders } from './preset-headers.js';

type StoreHeader = (this: ServerResponse, firstLine: string, headers: object | undefined) => void;

/** Node's way to put a head together, which its types do not name. Without it, the headers are set one by one. */
const { _storeHeader: storeHeader } = ServerResponse.prototype as unknown as { _storeHeader?: StoreHeader };

/**
 * Node's response, quicker at two things of which each answer has need. Headers that many answers share go into the head
 * in one piece. And it tells one listener that the answer is sent: a hook of Fastify makes each response collect
 * listeners and remove them again.
 */
export class RoostResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  private requestId = '';
  private preset: PresetHeaders | undefined;
  private reply: FastifyReply | undefined;
  private onSent: ((reply: FastifyReply) => void) | undefined;

  /** Gives an answer the id of its request, and headers that its own ones replace. */
  static preset(reply: FastifyReply, requestId: string, headers: PresetHeaders): void {
    const { raw } = reply;
    if (raw instanceof RoostResponse && storeHeader) {
      raw.requestId = requestId;
      raw.preset = headers;
    } else void reply.headers(headers.values(requestId));
  }

  /** Calls back once an answer is sent whole; never when it fails, or when its client goes away before. */
  static whenSent(reply: FastifyReply, listener: (reply: FastifyReply) => void): void {
    const { raw } = reply;
    if (raw instanceof RoostResponse) {
      raw.reply = reply;
      raw.onSent = listener;
    }
    // Requests that were injected have responses of another class.
    else raw.once('finish', () => listener(reply));
  }

  override emit(event: string | symbol, ...args: unknown[]): boolean {
    if (event !== 'finish') return super.emit(event, ...args);
    const isHeard = super.emit(event);
    if (this.reply) this.onSent?.(this.reply);
    return isHeard;
  }

  /** Node calls this with the status line and the headers of the answer. */
  protected _storeHeader(firstLine: string, headers: object | undefined): void {
    const lines = this.preset?.besides(headers, this.requestId) ?? '';
    storeHeader?.call(this, firstLine + lines, headers);
  }
}
