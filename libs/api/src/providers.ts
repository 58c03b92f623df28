import { modelInputSchema, modelSchema, secretSchema, upstreamInputSchema } from '@tollgate/catalogue';
import { upstreamTestResultSchema } from '@tollgate/contracts';
import { PROTOCOLS } from '@tollgate/vocabulary';
import { z } from 'zod';
import { defineResource } from './route.ts';

const name = modelSchema.shape.name;

const field = z.object({
  name: z.string(),
  title: z.string(),
  example: z.string(),
  pattern: z.string().meta({ description: 'A regular expression that its value matches' }),
});

const way = z.object({
  name: z.string(),
  title: z.string(),
  hint: z.string().optional().meta({ description: 'What its secret looks like' }),
  needs_secret: z.boolean(),
  fields: z.array(field),
});

const prices = modelInputSchema.shape.prices;

const providerModel = z
  .object({
    name: z.string(),
    upstream_name: z
      .string()
      .optional()
      .meta({ description: 'Its name at the provider, where that differs' }),
    context_window: z.int().nullable(),
    max_output_tokens: z.int().nullable(),
    prices,
    request_price: z.int().optional(),
    unit_prices: modelInputSchema.shape.unit_prices,
    has_tiers: z.boolean().meta({ description: 'Whether a longer context costs more' }),
    source: z.object({ url: z.string(), date: z.string() }),
  })
  .meta({ id: 'ProviderModel', description: 'A model at its list price, and where that was read' });

const provider = z
  .object({
    name: z.string(),
    title: z.string(),
    base_url: z.string().meta({ description: 'With `{region}` where a field is asked for' }),
    protocols: z.array(z.enum(PROTOCOLS)),
    fields: z.array(field),
    ways: z.array(way).meta({ description: 'Ways to prove who asks; the first is the usual one' }),
    key_page: z.string().optional(),
    price_page: z.string().optional(),
    note: z.string().optional(),
    models: z.array(providerModel),
  })
  .meta({ id: 'Provider' });

const settings = {
  provider: z.string().meta({ examples: ['openai'] }),
  name: name.optional().meta({ description: 'Of the upstream and its pool, where it differs' }),
  way: z.string().optional(),
  fields: z.record(z.string().max(100), z.string().max(500)).default({}),
  base_url: upstreamInputSchema.shape.base_url.optional().meta({ description: 'Such as that of a proxy' }),
  allow_private_addresses: z.boolean().optional(),
  secret: secretSchema.optional(),
};

const example = { provider: 'openai', secret: 'the-provider-gave-you-this' };

const settingsBody = z.strictObject(settings).meta({ examples: [example] });

const testBody = z
  .strictObject({
    ...settings,
    model: z.string().min(1).max(200).meta({ description: 'By its name in the list, or at the provider' }),
    protocol: z.enum(PROTOCOLS).optional(),
  })
  .meta({ examples: [{ ...example, model: 'gpt-4o' }] });

const pickedModel = z.strictObject({
  name,
  upstream_name: z.string().min(1).max(200).optional(),
  prices: prices.optional().meta({ description: 'Required of a model that is not on the list' }),
  context_window: modelSchema.shape.context_window.unwrap().optional(),
  max_output_tokens: modelSchema.shape.max_output_tokens.unwrap().optional(),
});

const addBody = z
  .strictObject({
    ...settings,
    models: z.array(pickedModel).min(1).max(1_000),
    groups: z.array(name).default([]).meta({ description: 'Whose keys may use the models' }),
    leave_served: z
      .boolean()
      .optional()
      .meta({ description: 'Leaves models alone that a pool names already' }),
    dry_run: z.boolean().default(false).meta({ description: 'Says what it would do, and does nothing' }),
  })
  .meta({ examples: [{ ...example, models: [{ name: 'gpt-4o' }], groups: ['default'] }] });

const permission = 'catalogue:write';
/** A secret is sent to an address that the caller names. */
const reauthenticate = true;
const errors = { 503: 'No gateway is there to try it, or it does not answer.' };

export const providers = defineResource({
  listProviders: {
    method: 'GET',
    path: '/api/catalogue/providers',
    summary: 'List the providers that are known, with list prices',
    permission,
    answer: z.object({ items: z.array(provider) }),
  },
  addProvider: {
    method: 'POST',
    path: '/api/catalogue/providers',
    summary: 'Publish all that lets a provider serve',
    description:
      'Its upstream with what it costs, models that are not there yet at their list prices, a pool that stands before those that would take their requests, and the groups. Prices that somebody has set stay.',
    permission,
    reauthenticate,
    body: addBody,
    answer: z.object({
      version: z.int().nullable().meta({ description: 'Null of a dry run' }),
      upstream: z.string(),
      pool: z.string().nullable().meta({ description: 'Null where other pools serve all models already' }),
      before: z.string().nullable().meta({ description: 'The pool that it stands in front of' }),
      models: z.array(z.string()).meta({ description: 'Those that are new in the catalogue' }),
      notes: z.array(z.string()),
    }),
    errors: { 404: 'There is no such provider.', 412: 'Somebody else published at the same time.' },
  },
  testProvider: {
    method: 'POST',
    path: '/api/catalogue/providers/test',
    summary: 'Try a provider before anything is published',
    description: 'One tiny request from a gateway. Nobody is billed for it here.',
    permission,
    reauthenticate,
    body: testBody,
    answer: upstreamTestResultSchema.omit({ models: true }).meta({ id: 'ProviderTestResult' }),
    errors: { ...errors, 404: 'There is no such provider.' },
  },
  listProviderModels: {
    method: 'POST',
    path: '/api/catalogue/providers/models',
    summary: 'Ask a provider which models it has',
    permission,
    reauthenticate,
    body: settingsBody,
    answer: z.object({
      models: z.array(z.string()).meta({ description: 'By their names at the provider' }),
      error: z.string().nullable().meta({ description: 'Why they could not be asked for' }),
    }),
    errors: { ...errors, 404: 'There is no such provider.' },
  },
});
