import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { TurnQueue } from '../../kernel/turn-queue.js';
import { clientOf } from '../request/client-ip.js';
import { addVary } from './vary.js';

type Encoding = 'br' | 'gzip';

/** Shorter answers fit into one packet anyway. */
const SHORTEST = 1024;

const COMPRESSIBLE = /^(?:application\/(?:json|javascript)|text\/(?!event-stream))/;

/** Quick rather than small: the answers are made for one reader each. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
const GZIP = { level: 6 };

const compressors: Readonly<Record<Encoding, (bytes: Buffer | string) => Promise<Buffer>>> = {
  br: (bytes) => promisify(brotliCompress)(bytes, BROTLI),
  gzip: (bytes) => promisify(gzip)(bytes, GZIP),
};

/**
 * Answers of one client that are compressed at the same time, as many as there are threads for it: each takes memory of
 * its own, some megabytes of brotli, from its beginning to its end (OPS-39).
 */
const AT_ONCE = 4;

/** Compresses JSON and text answers on request (OPS-35), outside the main thread. Streams are left alone. */
export function addCompression(fastify: FastifyInstance): void {
  const turns = new TurnQueue(AT_ONCE + 1);
  fastify.addHook('onSend', (request: FastifyRequest, reply: FastifyReply, payload: unknown, done) => {
    if (!isCompressible(reply, payload)) return done(null, payload);
    addVary(reply, 'Accept-Encoding');
    const encoding = request.method === 'HEAD' ? undefined : acceptedEncoding(request.headers['accept-encoding']);
    if (encoding === undefined) return done(null, payload);
    // Fastify waits for a promise as it does for the callback.
    return compressed(turns, reply, payload, encoding);
  });
}

async function compressed(
  turns: TurnQueue,
  reply: FastifyReply,
  payload: Buffer | string,
  encoding: Encoding,
): Promise<Buffer> {
  const end = await turns.acquire(undefined, clientOf(reply.request.caller.ip));
  try {
    const bytes = await compressors[encoding](payload);
    reply.header('content-encoding', encoding).removeHeader('content-length');
    return bytes;
  } finally {
    end();
  }
}

/** The best encoding the client takes; undefined when it takes none of ours. */
export function acceptedEncoding(header: string | string[] | undefined): Encoding | undefined {
  if (!header) return undefined;
  const weights = new Map<string, number>();
  for (const part of String(header).split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
    const weight = parameters.find((text) => text.startsWith('q='));
    weights.set(name, weight === undefined ? 1 : Number(weight.slice(2)));
  }
  const of = (encoding: Encoding) => weights.get(encoding) ?? weights.get('*') ?? 0;
  if (of('br') > 0 && of('br') >= of('gzip')) return 'br';
  return of('gzip') > 0 ? 'gzip' : undefined;
}

function isCompressible(reply: FastifyReply, payload: unknown): payload is Buffer | string {
  if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return false;
  if (payload.length < SHORTEST || reply.hasHeader('content-encoding') || reply.statusCode === 206) return false;
  // Parts of it can be asked for, and those are parts of what is not compressed.
  if (reply.hasHeader('accept-ranges')) return false;
  return COMPRESSIBLE.test(String(reply.getHeader('content-type') ?? ''));
}
