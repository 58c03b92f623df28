import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import type { Server as TlsServer } from 'node:tls';
import { NestFactory } from '@nestjs/core';
import { type MicroserviceOptions, Transport } from '@nestjs/microservices';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerFactory,
} from 'fastify';
import { requireDescribedRoutes } from './access.ts';
import { createRefusalLog } from './access-refusals.ts';
import { answerHeadersAt } from './answer-headers.ts';
import { serveHealth } from './health.ts';
import { codeOfStatus, errorBody, HttpErrorFilter } from './http-errors.ts';
import { type Logger, nestLogger } from './logging.ts';
import { metricsAccess } from './metrics-access.ts';
import { serveMetrics } from './metrics.ts';
import { serveOpenApi } from './openapi.ts';
import { watchConnections } from './quiet-connections.ts';
import { DescribedAnswers } from './route.ts';
import { listenerTls } from './service-secrets.ts';
import type { RunningService, ServiceDefinition, TakesRequest } from './service-definition.ts';
import { StorableInput } from './storable-input.ts';
import { readUnreadBodies } from './unread-bodies.ts';

/** Connections that may wait to be accepted, as far as the system allows: beyond it they are lost without a word. */
const BACKLOG_MAX = 4_096;
/** Whoever balances the load has noticed when no request comes for so long. */
const QUIET_MS = 500;
/** Of one message between services; the largest is a batch of usage. */
const MESSAGE_MAX_CHARACTERS = 16 * 1024 * 1024;
const REFUSED_EVERY_MS = 60_000;
const REQUEST_TIMEOUT_MS = 60_000;
/** Longer than who balances the load keeps a connection that is idle. */
const KEEP_ALIVE_MS = 75_000;

/** A request that the gateway passed on keeps the id that its caller was told. */
const requestIdOf = (given: string | string[] | undefined): string =>
  typeof given === 'string' && /^req_[0-9a-f]{32}$/.test(given)
    ? given
    : `req_${randomUUID().replaceAll('-', '')}`;

/** Says that somebody without a secret knocks, without letting them fill the log. */
function reportRefused(server: TlsServer, logger: Logger): void {
  let refused = 0;
  let saidAt = -Infinity;
  server.on('tlsClientError', (error) => {
    refused += 1;
    if (performance.now() - saidAt < REFUSED_EVERY_MS) return;
    saidAt = performance.now();
    logger.warn(
      { event: 'service_connection_refused', refused, reason: error.message },
      'a connection did not prove a service secret',
    );
    refused = 0;
  });
}

/** What `startService` does. Where it cannot listen, what listens already is closed. */
export async function startNest(definition: ServiceDefinition): Promise<RunningService> {
  const { config, health, logger } = definition;
  const fastify = createFastify(definition);
  const connections = watchConnections(fastify.server);
  readUnreadBodies(fastify.server);
  let draining = false;
  fastify.server.prependListener('request', (_request, response: ServerResponse) => {
    if (draining) response.setHeader('connection', 'close');
  });
  const app = await NestFactory.create<NestFastifyApplication>(
    definition.module,
    new FastifyAdapter(fastify),
    { logger: nestLogger(logger), abortOnError: false },
  );
  await using started = new AsyncDisposableStack();
  started.defer(() => app.close());
  requireDescribedRoutes(app);
  app.useGlobalInterceptors(new StorableInput(), new DescribedAnswers());
  app.useGlobalFilters(new HttpErrorFilter(logger, createRefusalLog(logger, definition.refusals)));
  serveHealth(fastify, health);
  if (definition.metrics) serveMetrics(fastify, definition.metrics, metricsAccess(config));
  await definition.configure?.(fastify, app);
  if (definition.openApi) serveOpenApi(app, definition.openApi);
  await listen(app, definition);
  const url = await app.getUrl();
  const { port } = new URL(url);
  logger.info(
    { event: 'listening', host: config.HOST, port: Number(port), tcp_port: definition.listener?.port },
    'the service listens',
  );
  const drain = () => {
    draining = true;
    health.stopping();
  };
  const resources = started.move();
  return {
    app,
    url,
    drain,
    async quiet(maxMs) {
      const until = performance.now() + maxMs;
      const isQuiet = () => performance.now() >= Math.min(until, connections.lastRequestAt + QUIET_MS);
      // A process that stood still has its timers due before it has looked at its sockets.
      for (await turn(); !isQuiet(); await turn()) await sleep(QUIET_MS / 10);
    },
    async stop() {
      drain();
      await connections.close();
      await resources.disposeAsync();
    },
  };
}

const refuseSchemas = (): never => {
  throw new Error('routes are checked by the contract: they have no schemas of Fastify');
};

function createFastify({ config, fastify, publicUrl, takesRequest }: ServiceDefinition): FastifyInstance {
  const headers = answerHeadersAt(publicUrl);
  const server = Fastify({
    ...(takesRequest ? { serverFactory: serverBefore(takesRequest, fastify) } : {}),
    trustProxy: config.TRUSTED_PROXIES.length > 0 ? config.TRUSTED_PROXIES : false,
    bodyLimit: 1024 * 1024,
    // To load Fastify's own compilers takes an eighth of a second of each start.
    schemaController: { compilersFactory: { buildValidator: refuseSchemas, buildSerializer: refuseSchemas } },
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    forceCloseConnections: 'idle',
    // What still comes over a connection that was open before is served.
    return503OnClosing: false,
    genReqId: (request) => requestIdOf(request.headers['x-request-id']),
    // Hooks do not run for what cannot be decoded.
    frameworkErrors: (
      { statusCode = 400, message }: FastifyError,
      _request: FastifyRequest,
      reply: FastifyReply,
    ) =>
      reply
        .code(statusCode)
        .headers(headers)
        .send(errorBody(statusCode, message, null, codeOfStatus(statusCode))),
    ...fastify,
  });
  server.addHook('onRequest', (_request, reply, done) => {
    reply.headers(headers);
    done();
  });
  return server;
}

/** As Fastify makes its server, with somebody before its routes. */
const serverBefore =
  (
    takesRequest: TakesRequest,
    { http = {}, requestTimeout = REQUEST_TIMEOUT_MS }: NonNullable<ServiceDefinition['fastify']> = {},
  ): FastifyServerFactory =>
  (toRoutes) => {
    const server = createServer(http, (incoming, response) => {
      if (!takesRequest(incoming, response)) toRoutes(incoming, response);
    });
    server.keepAliveTimeout = KEEP_ALIVE_MS;
    server.requestTimeout = requestTimeout;
    return server;
  };

/** Other services first, then everybody. */
async function listen(app: NestFastifyApplication, definition: ServiceDefinition): Promise<void> {
  const { config, logger, listener, sharesPort: reusePort = false } = definition;
  if (listener) {
    const microservice = app.connectMicroservice<MicroserviceOptions>(
      {
        transport: Transport.TCP,
        options: {
          host: config.HOST,
          port: listener.port,
          tlsOptions: listenerTls(listener.secrets),
          maxBufferSize: MESSAGE_MAX_CHARACTERS,
        },
      },
      { inheritAppConfig: true },
    );
    const server = microservice.unwrap<TlsServer>();
    reportRefused(server, logger);
    // Nest hears of a port that is taken only, and waits for ever where the address is not this machine's.
    const over = new AbortController();
    const failed = once(server, 'error', { signal: over.signal }).then(([error]) => {
      throw error as Error;
    });
    await Promise.race([app.startAllMicroservices(), failed]);
    over.abort();
  }
  const where = { port: config.PORT, host: config.HOST, backlog: BACKLOG_MAX, reusePort };
  await app.listen(where);
}
