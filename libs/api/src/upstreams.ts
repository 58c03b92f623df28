import { modelSchema } from '@tollgate/catalogue';
import { upstreamTestResultSchema } from '@tollgate/contracts';
import { PROTOCOLS } from '@tollgate/vocabulary';
import { z } from 'zod';
import { timestamp } from './common.ts';
import { defineResource } from './route.ts';

/** Why an upstream is given no requests, from the worst; of several gateways the worst word is shown. */
export const TARGET_STATES = ['disabled', 'cooling_down', 'ejected', 'ready'] as const;

const at = timestamp.nullable();

const gatewayView = z
  .object({
    gateway: z.string(),
    state: z.enum(TARGET_STATES),
    breaker: z.enum(['closed', 'open', 'half-open']),
    since: at.meta({ description: 'When the breaker last changed to or from closed' }),
    ejected_until: at,
    cooling_down_until: at,
    disabled_since: at,
    failure_rate: z.number().meta({ description: 'From 0 to 1' }),
    requests: z.number().meta({ description: 'How many the failure rate rests on' }),
    latency_ms: z.int().nullable(),
    outstanding: z.int(),
    last_error: z.object({ at: timestamp, reason: z.string() }).nullable(),
  })
  .meta({ id: 'GatewayView', description: 'What one gateway knows of an upstream with one credential' });

const target = z
  .object({
    upstream: z.string(),
    credential: z.string().nullable().meta({ description: 'Null for an upstream that wants none' }),
    state: z.enum([...TARGET_STATES, 'unknown']),
    outstanding: z.int(),
    gateways: z.array(gatewayView),
  })
  .meta({ id: 'UpstreamTarget' });

const health = z
  .object({
    gateways: z.array(
      z.object({
        gateway: z.string(),
        seen_at: timestamp,
        credential_alerts: z
          .int()
          .meta({ description: 'Credentials that upstreams refused since it started' }),
      }),
    ),
    upstreams: z.array(target),
  })
  .meta({ id: 'UpstreamHealth' });

/** What is left out is chosen: the first credential, the first protocol, a model that a pool sends there. */
const testBody = z
  .strictObject({
    credential: z.string().max(128).optional(),
    model: modelSchema.shape.name.optional(),
    protocol: z.enum(PROTOCOLS).optional(),
  })
  .meta({ examples: [{ credential: 'first', model: 'acme-large' }] });

const name = z.string().meta({ examples: ['east'] });
const permission = 'catalogue:write';
const away = 'Redis does not answer, so that gateways cannot be asked.';

export const upstreams = defineResource({
  showHealth: {
    method: 'GET',
    path: '/api/catalogue/health',
    summary: 'Tell how upstreams are, as gateways know it',
    permission,
    answer: health,
    errors: { 503: away },
  },
  enableCredential: {
    method: 'POST',
    path: '/api/catalogue/upstreams/:name/credentials/:credential/enable',
    summary: 'Let gateways use a credential again',
    description: 'One that the upstream had refused.',
    permission,
    params: z.strictObject({ name, credential: z.string().meta({ examples: ['first'] }) }),
    status: 202,
    answer: z.object({ upstream: z.string(), credential: z.string(), enabled: z.literal(true) }),
    errors: { 503: away },
  },
  testUpstream: {
    method: 'POST',
    path: '/api/catalogue/upstreams/:name/test',
    summary: 'Send one tiny request through an upstream',
    description: "From a gateway, as a caller's would be sent. Nobody is billed for it.",
    permission,
    params: z.strictObject({ name }),
    body: testBody,
    answer: upstreamTestResultSchema
      .omit({ models: true })
      .extend({
        upstream: z.string(),
        credential: z.string().nullable(),
        protocol: z.enum(PROTOCOLS),
        model: z.string(),
      })
      .meta({ id: 'UpstreamTestResult' }),
    errors: { 503: 'No gateway is there to try it, or it does not answer.' },
  },
});
