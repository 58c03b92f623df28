import { SERVICES } from '@tollgate/api';
import {
  findCaller,
  Health,
  type Logger,
  type RunningService,
  startService,
  waitUntilConnected,
} from '@tollgate/platform';
import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import { audit } from './audit-log/audit.ts';
import { rememberCallers } from './audit-log/caller.ts';
import { serveSessions } from './auth/session-cookie.ts';
import type { Sessions } from './auth/session-store.ts';
import { findSignedIn } from './auth/signed-in.ts';
import { BillingModule } from './billing.module.ts';
import type { BillingConfig } from './config.ts';
import type { Infrastructure } from './infrastructure.module.ts';

/** Serves the HTTP API and the look-ups of other services. */
export async function startHttp(parts: {
  readonly config: BillingConfig;
  readonly logger: Logger;
  readonly metrics: Registry;
  readonly sessions: Sessions;
  readonly infrastructure: Infrastructure;
}): Promise<RunningService> {
  const { config, logger, metrics, sessions, infrastructure } = parts;
  const { databases, redis, sessionPolicy } = infrastructure;
  // Tries that come before Redis is there would be counted by this replica alone.
  await waitUntilConnected(redis, 1_000);
  const health = new Health();
  health.add('database', async () => void (await databases.lookups.query('SELECT 1')));
  return startService({
    name: 'billing',
    config,
    logger,
    health,
    module: BillingModule.with(infrastructure),
    listener: { port: config.TCP_PORT, secrets: config.SERVICE_SECRETS },
    metrics,
    publicUrl: config.PUBLIC_URL,
    refusals: {
      personOf: findCaller,
      audit: ({ status, code, message, route }, { account_id: accountId }) =>
        audit(databases.changes, {
          action: 'access.refused',
          object: route,
          accountId,
          reason: message,
          after: { status, code },
        }),
    },
    openApi: {
      ...SERVICES.billing,
      isSignedIn: async (request) =>
        (await findSignedIn(databases.lookups, sessionPolicy, request)) !== undefined,
    },
    configure: async (fastify) => {
      passCsvOn(fastify);
      rememberCallers(fastify);
      await serveSessions(fastify, config.SESSION_SECRET, sessions, sessionPolicy.idleMs('member'));
    },
  });
}

/** Leaves `text/csv` bodies unread, as streams. */
function passCsvOn(fastify: FastifyInstance): void {
  fastify.addContentTypeParser('text/csv', (_request, payload, done) => done(null, payload));
}
