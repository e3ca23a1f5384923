import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { closeServer } from './close-server.js';

/** A request as the fake received it. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

/** An answer: text and bytes as they are, anything else as JSON; status 200 unless it says otherwise. */
export interface FakeAnswer {
  readonly status?: number;
  readonly type?: string;
  /** Where it sends to. */
  readonly location?: string;
  readonly body: unknown;
}

type Answers = Readonly<Record<string, FakeAnswer | ((request: ReceivedRequest) => FakeAnswer)>>;

/** Endpoints of a made-up provider on loopback. */
export interface FakeProvider {
  readonly url: string;
  readonly received: ReceivedRequest[];
  /** May be called twice. */
  close(): Promise<void>;
}

/** Answers by path; anything else is a 404. */
export async function startFakeProvider(answers: Answers): Promise<FakeProvider> {
  const received: ReceivedRequest[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = request.url!.split('?')[0]!;
    const taken = { method: request.method!, path, headers: request.headers as never, body: await textOf(request) };
    received.push(taken);
    const found = answers[path] ?? { status: 404, body: {} };
    const given = typeof found === 'function' ? found(taken) : found;
    const { status = 200, type = 'application/json', location, body } = given;
    response.writeHead(status, { 'content-type': type, ...(location !== undefined && { location }) });
    response.end(typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body));
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, received, close: async () => void (server.listening && (await closeServer(server))) };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
