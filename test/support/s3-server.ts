import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request as forward, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buildApp } from 'fauxqs';
import type { S3Settings } from '../../src/settings/settings.js';

export const S3_SECRET = 'test-secret';

/** What a test wants to happen instead of the usual; true when it answered. */
export type Interference = (request: IncomingMessage, response: ServerResponse) => boolean;

/** A request that passed. */
export interface S3Request {
  readonly method: string;
  readonly url: string;
  readonly host: string;
  readonly headers: IncomingMessage['headers'];
}

/**
 * An S3-compatible store in memory, on loopback. In front of it stands a gate that checks signatures, which the store
 * itself does not, and lets tests break things.
 */
export class S3Server {
  readonly requests: S3Request[] = [];
  interfere: Interference = () => false;
  private readonly store = buildApp({ logger: false });
  private readonly gate: Server;

  private constructor() {
    this.gate = createServer((request, response) => void this.pass(request, response));
  }

  static async open(...buckets: readonly string[]): Promise<S3Server> {
    const server = new S3Server();
    await server.store.listen({ host: '127.0.0.1', port: 0 });
    for (const bucket of buckets) await server.store.inject({ method: 'PUT', url: `/${bucket}` });
    server.gate.listen(0, '127.0.0.1');
    await once(server.gate, 'listening');
    return server;
  }

  get port(): number {
    return (this.gate.address() as AddressInfo).port;
  }

  /** Settings under which everything works. */
  settings(change: Partial<S3Settings> = {}): S3Settings {
    return {
      enabled: true,
      bucket: 'files',
      region: 'us-east-1',
      endpoint: `http://127.0.0.1:${this.port}`,
      accessKey: 'test',
      secret: S3_SECRET,
      forcePathStyle: true,
      ...change,
    };
  }

  /** Puts an object into a bucket past the gate. */
  async put(bucket: string, key: string, content: string): Promise<void> {
    await this.store.inject({ method: 'PUT', url: `/${bucket}/${key}`, payload: content });
  }

  async close(): Promise<void> {
    this.gate.closeAllConnections();
    this.gate.close();
    await this.store.close();
  }

  private async pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request;
    this.requests.push({ method, url, host: headers.host ?? '', headers });
    request.on('error', () => {});
    if (this.interfere(request, response)) return;
    if (!isSigned(request)) {
      request.resume();
      answerS3Error(response, 403, 'SignatureDoesNotMatch', 'The request signature does not match.');
      return;
    }
    const { port } = this.store.server.address() as AddressInfo;
    const onward = forward({ host: '127.0.0.1', port, method, path: url, headers, agent: false });
    onward.on('error', () => response.destroy());
    onward.on('response', (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    request.pipe(onward);
  }
}

/** An error in the form every S3-compatible store uses. */
export function answerS3Error(response: ServerResponse, status: number, code: string, message: string): void {
  response.writeHead(status, { 'content-type': 'application/xml' });
  response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`);
}

/** Signature version 4, worked out again from the secret. */
function isSigned({ method, url, headers }: IncomingMessage): boolean {
  const [, credential, signedHeaders, signature] =
    /^AWS4-HMAC-SHA256 Credential=([^,]+), SignedHeaders=([^,]+), Signature=(\w+)$/.exec(headers.authorization ?? '') ??
    [];
  if (credential === undefined) return false;
  const [accessKey, date, region, service] = credential.split('/');
  const [path, query = ''] = url!.split('?');
  const canonical = [
    method,
    path,
    query.split('&').toSorted().join('&'),
    ...signedHeaders.split(';').map((name) => `${name}:${String(headers[name]).trim()}`),
    '',
    signedHeaders,
    headers['x-amz-content-sha256'],
  ].join('\n');
  const scope = `${date}/${region}/${service}/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, createHash('sha256').update(canonical).digest('hex')];
  const key = [date, region, service, 'aws4_request'].reduce<Buffer | string>(sign, `AWS4${S3_SECRET}`);
  return accessKey === 'test' && sign(key, text.join('\n')).toString('hex') === signature;
}

function sign(key: Buffer | string, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
