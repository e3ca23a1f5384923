import { connect, type Socket } from 'node:net';

/** One message of a stream, as sent: the lines without their field name. */
export interface SseMessage {
  readonly id?: string;
  readonly event: string;
  readonly data: string;
}

interface Waiter {
  readonly isDone: () => boolean;
  readonly resolve: () => void;
}

/** Where a stream is and what is sent along with the request for it. */
export interface SseTarget {
  readonly port: number;
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Local address to connect from. */
  readonly from?: string;
}

/**
 * Reads a stream from a bare socket, byte by byte as it comes: nothing a client library does stands in between.
 * Understands one response with a chunked body.
 */
export class SseReader {
  /** Status line and headers as sent. */
  head = '';
  /** Every message so far; comments are not among them. */
  readonly messages: SseMessage[] = [];
  /** True when the body ended with its final chunk. */
  endedCleanly = false;
  closed = false;
  /** Comments so far. */
  comments = 0;

  private follower: (message: SseMessage) => void = () => undefined;
  private raw = Buffer.alloc(0);
  private readonly texts: string[] = [];
  /** What is not yet a whole message. */
  private rest = '';
  private readonly waiters = new Set<Waiter>();

  private constructor(readonly socket: Socket) {
    socket.on('data', (bytes: Buffer) => this.take(bytes));
    socket.on('error', () => {});
    socket.on('close', () => {
      this.closed = true;
      this.wake();
    });
  }

  /** Connects and sends the request; resolves when the head of the response has arrived. */
  static async open({
    port,
    path = '/api/realtime',
    method = 'GET',
    headers = {},
    from,
  }: SseTarget): Promise<SseReader> {
    const socket = connect({ port, host: '127.0.0.1', ...(from ? { localAddress: from } : {}) });
    const reader = new SseReader(socket);
    const lines = Object.entries({ Host: '127.0.0.1', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
    await reader.until(() => reader.head !== '' || reader.closed);
    return reader;
  }

  /** The same, and waits for the connect messages. */
  static async connect(target: SseTarget): Promise<SseReader> {
    const reader = await SseReader.open(target);
    await reader.until(() => reader.messages.length >= 2);
    return reader;
  }

  /** The body with its chunks joined. */
  get body(): string {
    return this.texts.join('');
  }

  get status(): number {
    return Number(this.head.slice(9, 12));
  }

  get clientId(): string {
    return (JSON.parse(this.messages[0]!.data) as { clientId: string }).clientId;
  }

  /** The messages after the two of the connection. */
  get events(): SseMessage[] {
    return this.messages.slice(2);
  }

  header(name: string): string | undefined {
    const line = this.head.split('\r\n').find((text) => text.toLowerCase().startsWith(`${name.toLowerCase()}:`));
    return line?.slice(name.length + 1).trim();
  }

  /** Calls back with every message: those after the connect messages that have come already, and each that comes. */
  follow(follower: (message: SseMessage) => void): void {
    this.follower = follower;
    for (const message of this.events) follower(message);
  }

  /** Resolves when the condition holds; looked at whenever something arrives. Throws after 10 seconds. */
  async until(isDone: () => boolean, timeout = 10_000): Promise<void> {
    if (isDone()) return;
    await new Promise<void>((resolve, reject) => {
      const waiter: Waiter = { isDone, resolve: () => (clearTimeout(timer), resolve()) };
      const timer = setTimeout(() => {
        this.waiters.delete(waiter);
        reject(new Error(`Nothing came; ${this.messages.length} messages so far, closed: ${this.closed}`));
      }, timeout);
      this.waiters.add(waiter);
    });
  }

  /** Resolves with the messages after the connect messages as soon as there are this many of them. */
  async receive(count: number): Promise<SseMessage[]> {
    await this.until(() => this.messages.length >= count + 2);
    return this.events;
  }

  /** Resolves when the server has ended the body or the connection. */
  ended(): Promise<void> {
    return this.until(() => this.endedCleanly || this.closed);
  }

  close(): void {
    this.socket.destroy();
  }

  private take(bytes: Buffer): void {
    this.raw = Buffer.concat([this.raw, bytes]);
    if (this.head === '') {
      const end = this.raw.indexOf('\r\n\r\n');
      if (end < 0) return;
      this.head = this.raw.subarray(0, end).toString();
      this.raw = this.raw.subarray(end + 4);
    }
    if (this.header('transfer-encoding') === 'chunked') this.takeChunks();
    else this.takeBody(this.raw.toString());
    this.wake();
  }

  private takeChunks(): void {
    for (;;) {
      const line = this.raw.indexOf('\r\n');
      if (line < 0) return;
      const length = Number.parseInt(this.raw.subarray(0, line).toString(), 16);
      if (this.raw.length < line + 2 + length + 2) return;
      this.takeBody(this.raw.subarray(line + 2, line + 2 + length).toString());
      this.raw = this.raw.subarray(line + 2 + length + 2);
      if (length === 0) this.endedCleanly = true;
    }
  }

  private takeBody(text: string): void {
    this.texts.push(text);
    const blocks = (this.rest + text).split('\n\n');
    this.rest = blocks.pop()!;
    for (const block of blocks) {
      if (block.startsWith(':')) this.comments++;
      else {
        const message = toMessage(block);
        this.messages.push(message);
        this.follower(message);
      }
    }
  }

  private wake(): void {
    for (const waiter of this.waiters) {
      if (!waiter.isDone()) continue;
      this.waiters.delete(waiter);
      waiter.resolve();
    }
  }
}

function toMessage(block: string): SseMessage {
  const message: Record<string, string> = {};
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':');
    message[line.slice(0, colon)] = line.slice(colon + 1);
  }
  return message as unknown as SseMessage;
}
