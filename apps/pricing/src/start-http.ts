import { SERVICES } from '@tollgate/api';
import { findCaller, Health, type Logger, type RunningService, startService } from '@tollgate/platform';
import type { Registry } from 'prom-client';
import type { DataSource } from 'typeorm';
import { findSession } from './access/billing-sessions.ts';
import { PricingModule, type PricingParts } from './pricing.module.ts';
import { rememberCallersTraces } from './snapshots/publication-traces.ts';

interface HttpParts extends PricingParts {
  readonly database: DataSource;
  readonly metrics: Registry;
  readonly logger: Logger;
}

/** Serves the HTTP API and the look-ups of other services. */
export function startHttp(parts: HttpParts): Promise<RunningService> {
  const { config, database, billing, auditNotes, tracer, metrics, logger } = parts;
  const health = new Health();
  health.add('database', async () => void (await database.query('SELECT 1')));
  return startService({
    name: 'pricing',
    config,
    logger,
    health,
    module: PricingModule.with(parts),
    listener: { port: config.TCP_PORT, secrets: config.SERVICE_SECRETS },
    metrics,
    refusals: {
      personOf: findCaller,
      audit: ({ status, code, message, route }, person, request) =>
        auditNotes.note(request, person, {
          action: 'access.refused',
          object: route,
          reason: message,
          after: { status, code },
        }),
    },
    ...(tracer ? { configure: rememberCallersTraces } : {}),
    openApi: {
      ...SERVICES.pricing,
      isSignedIn: (request) =>
        findSession(billing, request).then(
          (session) => session !== null,
          () => false,
        ),
    },
  });
}
