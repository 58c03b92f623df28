import { rateLimitCharges, type ResilientLimiter } from '@tollgate/limits';
import { clientBlock, VERSION } from '@tollgate/platform';
import { relayError } from '@tollgate/protocols';
import type { FastifyInstance } from 'fastify';
import type { GatewayConfig } from '../config.ts';
import type { RoutingTable } from '../route/routing-table.ts';
import { replyError } from './reply-error.ts';

export const STARTED_AT_MS = Date.now();
const STARTED_AT = Math.floor(STARTED_AT_MS / 1_000);

/**
 * `GET /api/status` in the shape that clients of such relays read (`success`, `data.quota_per_unit` and so on), and
 * `HEAD /api/hello`, which one client sends before its first request.
 */
export function statusRoutes(
  fastify: FastifyInstance,
  config: GatewayConfig,
  limiter: ResilientLimiter,
  table: () => RoutingTable | undefined,
): void {
  fastify.get('/api/hello', (_request, reply) => reply.code(200).send());

  fastify.get('/api/status', async (request, reply) => {
    const admission = await limiter.admit(
      rateLimitCharges(
        { dimension: 'client', id: `status:${clientBlock(request.ip)}` },
        { requests_per_minute: config.PUBLIC_REQUESTS_PER_MINUTE },
        { requests: 1, tokens: 0 },
      ),
    );
    if (!admission.admitted) {
      const error = relayError('rate_limited', 'Too many requests to the status route. Try again later.', {
        retryAfterMs: admission.retryAfterMs,
      });
      return replyError(reply, 'openai-chat', error);
    }
    const address = config.PUBLIC_URL ?? `${request.protocol}://${request.host}`;
    return {
      success: true,
      message: '',
      data: {
        version: VERSION,
        start_time: STARTED_AT,
        system_name: 'Tollgate',
        server_address: address,
        docs_link: '',
        setup: true,
        quota_per_unit: 500_000,
        quota_display_type: 'USD',
        display_in_currency: true,
        pricing_version: table()?.version ?? null,
      },
    };
  });
}
