import { modelInputSchema, upstreamInputSchema } from '@tollgate/catalogue';
import { AVAILABILITIES, BREAKER_STATES, upstreamTestResultSchema } from '@tollgate/contracts';
import { PROTOCOLS } from '@tollgate/vocabulary';
import { z } from 'zod';
import { timestamp } from './common.ts';
import { defineResource } from './route.ts';

const at = timestamp.nullable();

const gatewayView = z
  .object({
    gateway: z.string(),
    state: z.enum(AVAILABILITIES),
    breaker: z.enum(BREAKER_STATES),
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
    state: z.enum([...AVAILABILITIES, 'unknown']),
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

const testFields = {
  credential: z.string().max(128).optional(),
  protocol: z.enum(PROTOCOLS).optional(),
};

/** What is left out is chosen: the first credential, the first protocol, a model that a pool sends there or that it has costs of. */
const testBody = z
  .strictObject({
    ...testFields,
    model: z.string().min(1).max(200).optional().meta({ description: 'By our name, or by its own' }),
  })
  .meta({ examples: [{ credential: 'first', model: 'acme-large' }] });

/** An upstream as it would be published; secrets that are left out are those that stand, where they would go to the same host. */
const tryBody = z
  .strictObject({
    ...testFields,
    upstream: upstreamInputSchema.omit({ name: true }),
    model: z.string().min(1).max(200).meta({ description: 'By its name there' }),
  })
  .meta({
    examples: [
      {
        upstream: {
          base_url: 'https://east.example',
          protocols: ['openai-chat'],
          credentials: [{ name: 'default', secret: 'the-upstream-gave-you-this' }],
        },
        model: 'large-2026-10',
      },
    ],
  });

const offeredModel = z.object({
  name: z.string().meta({ description: 'As the upstream calls it' }),
  suggestion: modelInputSchema.nullable().meta({
    description: 'What the list of its provider says of it, with `price_source`; null where it is on none',
  }),
});

const offer = z
  .object({
    upstream: z.string(),
    fetched_at: timestamp.nullable().meta({ description: 'Null where it was never asked' }),
    count: z.int().meta({ description: 'How many models it has, those that the catalogue has among them' }),
    lacking: z.array(offeredModel).meta({ description: 'Those that the catalogue lacks' }),
  })
  .meta({ id: 'UpstreamOffer' });

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
  tryUpstream: {
    method: 'POST',
    path: '/api/catalogue/upstreams/:name/try',
    summary: 'Test an upstream as it would be, before it is published',
    description: 'Nothing is published, and nobody is billed for it.',
    permission,
    /** It says where a secret is sent to. */
    reauthenticate: true,
    params: z.strictObject({ name }),
    body: tryBody,
    answer: upstreamTestResultSchema.omit({ models: true }).meta({ id: 'UpstreamTrial' }),
    errors: { 503: 'No gateway is there to try it, or it does not answer.' },
  },
  listOffers: {
    method: 'GET',
    path: '/api/catalogue/offers',
    summary: 'List models that upstreams have and the catalogue lacks',
    description: 'By the lists that upstreams gave when they were last asked.',
    permission,
    answer: z.object({ items: z.array(offer) }),
    errors: { 503: away },
  },
  fetchOffer: {
    method: 'POST',
    path: '/api/catalogue/upstreams/:name/models',
    summary: 'Ask an upstream which models it has',
    permission,
    params: z.strictObject({ name }),
    answer: offer.extend({
      error: z.string().nullable().meta({ description: 'Why it could not be asked' }),
    }),
    errors: { 503: 'No gateway is there to ask it, or it does not answer.' },
  },
});
