import { setTimeout as sleep } from 'node:timers/promises';
import {
  Health,
  type Logger,
  metricsAccess,
  type RunningService,
  serveMetrics,
  startService,
} from '@tollgate/platform';
import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import { scrapeAll } from './cluster/scrape-all.ts';
import { responseRoutes } from './background/response-routes.ts';
import type { GatewayConfig } from './config.ts';
import { proxyApi } from './front-door/api-proxy.ts';
import { createBrokenRequests } from './front-door/broken-requests.ts';
import { limitConnections } from './front-door/connection-limit.ts';
import { serveConsole } from './front-door/console.ts';
import { answerFrameworkError, answerUnknownPath, serveUnknownPaths } from './front-door/not-found.ts';
import { serveRelayDocument } from './front-door/relay-document.ts';
import { guardRequests } from './front-door/request-guard.ts';
import { newRequestId, requestIdHeaders } from './front-door/request-id.ts';
import { statusRoutes } from './front-door/status.ts';
import { GatewayModule } from './gateway.module.ts';
import { modelRoutes } from './models/model-routes.ts';
import type { RelayDependencies } from './relay/relay-request.ts';
import { relayRoutes, takeDirectly } from './relay/relay-routes.ts';
import { mayTakeLonger } from './upload/long-requests.ts';
import type { OpenSockets } from './websocket/open-sockets.ts';
import { opensWebSocket, websocketRoutes } from './websocket/websocket-routes.ts';

interface HttpParts {
  readonly config: GatewayConfig;
  readonly logger: Logger;
  readonly metrics: Registry;
  readonly relay: RelayDependencies;
  readonly sockets: OpenSockets;
  /** Other processes of this gateway listen on the same port. */
  readonly sharesPort: boolean;
}

/** Serves the relay and, on the same port, what else a browser or a scraper asks the front door for. */
export function startHttp(parts: HttpParts): Promise<RunningService> {
  const { config, logger, sharesPort } = parts;
  const brokenRequests = createBrokenRequests(mayTakeLonger);
  return startService({
    name: 'gateway',
    config,
    logger,
    health: watchHealth(parts.relay),
    module: GatewayModule,
    sharesPort,
    takesRequest: takeDirectly(parts.relay, config.TRUSTED_PROXIES),
    publicUrl: config.PUBLIC_URL,
    fastify: {
      genReqId: () => newRequestId(),
      requestTimeout: config.REQUEST_TIMEOUT_S * 1_000,
      bodyLimit: config.BODY_LIMIT_BYTES,
      routerOptions: { maxParamLength: 512 },
      frameworkErrors: answerFrameworkError,
      clientErrorHandler: brokenRequests.answer,
      http: {
        shouldUpgradeCallback: opensWebSocket,
        headersTimeout: Math.min(config.HEADERS_TIMEOUT_S, config.REQUEST_TIMEOUT_S) * 1_000,
        connectionsCheckingInterval: 1_000,
      },
    },
    async configure(fastify) {
      nameRequests(fastify);
      guardRequests(fastify);
      brokenRequests.watch(fastify.server);
      limitConnections(fastify.server, {
        perAddress: config.CONNECTIONS_PER_ADDRESS,
        trusted: config.TRUSTED_PROXIES,
      });
      serveRoutes(fastify, parts);
      // Nobody outside can tell it from those that are ready already.
      if (sharesPort) await untilPriced(parts.relay.table);
    },
  });
}

function watchHealth({ table, keys, storesUsage }: RelayDependencies): Health {
  const health = new Health();
  health.add('price snapshot', () => {
    if (!table()) throw new Error('none loaded yet');
  });
  health.add('keys', async () => {
    if (!(await keys.canFind())) throw new Error('billing does not answer, and Redis has no copies of keys');
  });
  health.add('usage', () => {
    if (!storesUsage()) throw new Error('disk, queue and billing refuse usage; requests are refused');
  });
  return health;
}

function nameRequests(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    reply.headers(requestIdHeaders(request.id));
    done();
  });
}

function serveRoutes(fastify: FastifyInstance, parts: HttpParts): void {
  const { config, metrics, relay, sharesPort } = parts;
  relayRoutes(fastify, relay);
  websocketRoutes(fastify, relay, parts.sockets);
  responseRoutes(fastify, relay);
  modelRoutes(fastify, relay);
  serveMetrics(fastify, sharesPort ? scrapeAll(metrics) : metrics, metricsAccess(config), answerUnknownPath);
  statusRoutes(fastify, config, relay.limiter, relay.table);
  serveRelayDocument(fastify);
  proxyApi(fastify, config);
  serveUnknownPaths(fastify, serveConsole(fastify, config.CONSOLE_DIR));
}

const LOOK_EVERY_MS = 20;
/** Without prices it serves all the same after that: it can say at `/readyz` what it waits for. */
const WAIT_MAX_MS = 5_000;

/** Resolves when there are prices to serve with, or after five seconds. */
async function untilPriced(table: () => object | undefined): Promise<void> {
  for (const end = performance.now() + WAIT_MAX_MS; !table() && performance.now() < end;)
    await sleep(LOOK_EVERY_MS);
}
