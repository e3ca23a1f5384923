import type { FastifyHttpOptions, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { RoostConfig } from '../../config/roost-config.js';
import { randomText } from '../../kernel/ids.js';
import { BadRequestError } from '../../kernel/errors/bad-request.error.js';
import { GUEST } from '../../kernel/records/caller.js';
import { AnswerMemory } from '../answer/answer-memory.js';
import { answerBrokenRequest } from './broken-request.js';
import { addAnswerMemory } from '../answer/current-answer.decorator.js';
import { addCompression } from './compression.js';
import { Connections } from './connections.js';
import { Cors } from './cors.js';
import { toApiError } from '../answer/error-body.js';
import { originForm } from './request-path.js';
import { RoostAdapter } from './roost-adapter.js';
import { RoostMessage } from './roost-message.js';
import { RoostResponse } from './roost-response.js';
import { schemaController, useDefaultSchemaRules } from './schema-compilers.js';
import { errorHeaders, securityHeaders } from './security-headers.js';

/** Time for a request head to arrive (OPS-37). Bodies have their own timer, because backups may take longer. */
const HEADERS_TIMEOUT = 60_000;

/** Longest single path segment; stored file names have up to 150 characters, percent-encoded up to nine times that. */
const MAX_PARAM_LENGTH = 2_000;

const SLASH = '/'.charCodeAt(0);

const MEDIA_TYPE = /^\s*[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(?:;|$)/;

/** The Fastify server under the application: CORS, security headers, request ids, and bodies left unread. */
export function createAdapter(config: RoostConfig): RoostAdapter {
  const cors = new Cors(config.origins);
  const isSecure = config.https !== null;
  const open = (request: FastifyRequest, reply: FastifyReply) => {
    request.startedAt = performance.now();
    request.caller = GUEST;
    if (request.url.charCodeAt(0) !== SLASH) request.raw.url = originForm(request.url);
    const { id, headers } = request;
    const preset = securityHeaders(request, isSecure);
    RoostResponse.preset(reply, id, preset.and(cors.headers(reply, headers.origin)));
  };
  // Node would refuse a request without Host by an answer that has neither headers nor a body of ours.
  const server = {
    headersTimeout: HEADERS_TIMEOUT,
    IncomingMessage: RoostMessage,
    ServerResponse: RoostResponse,
    requireHostHeader: false,
  };
  const adapter = new RoostAdapter({
    logger: false,
    genReqId: requestIds(),
    schemaController,
    requestTimeout: 0,
    // Those that come too late are answered as all others, by the traffic gate.
    return503OnClosing: false,
    // The certificate is given to the server before it listens.
    ...(config.https === null ? { http: server } : { https: server }),
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    clientErrorHandler: (error: NodeJS.ErrnoException, socket: Socket) => answerBrokenRequest(error, socket, fastify),
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) => {
      open(request, reply);
      const failure = toApiError(error, config.dev);
      request.failure = failure;
      void reply.code(failure.status).headers(errorHeaders(reply)).send(failure.toBody());
      fastify.unrouted?.refused(request, reply);
    },
  } as FastifyHttpOptions<Server>);
  const fastify = adapter.getInstance() as unknown as FastifyInstance;
  useDefaultSchemaRules(fastify);
  prepare(fastify, { open, cors, bodyTimeout: config.bodyTimeout * 1000 });
  adapter.answerErrors();
  return adapter;
}

function prepare(
  fastify: FastifyInstance,
  {
    open,
    cors,
    bodyTimeout,
  }: {
    open: (request: FastifyRequest, reply: FastifyReply) => void;
    cors: Cors;
    bodyTimeout: number;
  },
): void {
  fastify.decorate('unrouted', null);
  fastify.decorateRequest('startedAt', 0);
  fastify.decorateRequest('caller', null as never);
  fastify.decorateRequest('collection', null);
  fastify.decorateRequest('requestBody', null);
  fastify.decorateRequest('failure', null);
  fastify.decorateRequest('logMeta', null);
  fastify.decorateRequest('isStatic', false);
  fastify.decorate('connections', new Connections(fastify, { bodyTimeout }));
  fastify.addHook('onRequest', (request, reply, done) => {
    open(request, reply);
    if (lacksHost(request)) return done(new BadRequestError('The request has no Host header.'));
    hideMalformedMediaType(request);
    if (!cors.answerPreflight(request, reply)) done();
  });
  addCompression(fastify);
  addAnswerMemory(fastify, new AnswerMemory());
  fastify.server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    askForBodyOnceRead(request, response);
    fastify.server.emit('request', request, response);
  });
  // Node would answer an unknown `Expect` header with 417 and no JSON body; such requests are handled like others.
  fastify.server.on('checkExpectation', (request, response) => fastify.server.emit('request', request, response));
}

/** A client that waits to be asked for its body can spare it when the request is refused without one (OPS-30). */
function askForBodyOnceRead(request: IncomingMessage, response: ServerResponse): void {
  const ask = (event: string | symbol) => {
    if (event !== 'data' && event !== 'readable') return;
    request.off('newListener', ask);
    if (!response.headersSent) response.writeContinue();
  };
  request.on('newListener', ask);
}

/** Only HTTP/1.1 demands one. */
function lacksHost({ headers, raw }: FastifyRequest): boolean {
  return headers.host === undefined && raw.httpVersion === '1.1';
}

/**
 * Fastify answers a content type that is no media type with 415 and an error body of its own, before any guard. What
 * reads bodies looks at the raw header, accepts by prefix and needs none for an empty body (BODY-1).
 */
function hideMalformedMediaType(request: FastifyRequest): void {
  const type = request.raw.headers['content-type'];
  if (type !== undefined && !MEDIA_TYPE.test(type)) request.headers = { 'content-type': undefined };
}

/** Ids of 16 characters, different for every request and every process. */
function requestIds(): () => string {
  const prefix = randomText(9);
  let count = 0;
  return () => prefix + (++count).toString(36).padStart(7, '0');
}
