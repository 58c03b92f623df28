import {
  catalogueSchema,
  discountSchema,
  ENTRY_SECTIONS,
  groupSchema,
  poolSchema,
  modelInputSchema,
  upstreamInputSchema,
  vendorSchema,
} from '@tollgate/catalogue';
import { z } from 'zod';
import { ifMatch } from './common.ts';
import { defineResource } from './route.ts';
import { hash, shownSnapshot } from './shown-catalogue.ts';

/** Of a vendor, model, group, pool or upstream: what is none is answered with 400, for its entry is not well formed. */
const entryName = z.string().meta({
  description: 'Letters, digits and ._:/@-, at most 128',
  examples: ['acme-large'],
});

/** An entry's name stands in the path. */
const named = { name: true } as const;

const vendorBody = vendorSchema
  .omit(named)
  .meta({ examples: [{ description: 'Makes chat models', icon: 'acme.svg' }] });

const groupBody = groupSchema.omit(named).meta({
  examples: [
    {
      description: 'A fifth cheaper, served in Europe',
      ratio: '0.8',
      models: ['*'],
      limits: { requests_per_minute: 600 },
      fallbacks: { 'acme-large': ['acme-small'] },
      required_tags: ['eu'],
    },
  ],
});

const poolBody = poolSchema.omit(named).meta({
  examples: [
    {
      groups: ['*'],
      models: ['acme-large'],
      members: [
        { upstream: 'east', priority: 0, weight: 3, model_map: { 'acme-large': 'large-2026-10' } },
        { upstream: 'west', priority: 1, weight: 1 },
      ],
      strategy: 'least-outstanding',
      attempts: 3,
      retry_percent: 20,
      hedge: false,
    },
  ],
});

const modelBody = modelInputSchema.omit(named).meta({
  examples: [
    {
      vendor: 'acme',
      description: 'A large chat model',
      tags: ['chat'],
      prices: { input: 3_000_000, cache_read: 300_000, output: 15_000_000 },
      tiers: [{ above_input_tokens: 200_000, prices: { input: 6_000_000, output: 22_500_000 } }],
      request_price: 0,
      context_window: 1_000_000,
    },
  ],
});

const upstreamBody = upstreamInputSchema.omit(named).meta({
  examples: [
    {
      base_url: 'https://east.example',
      protocols: ['openai-chat'],
      credentials: [
        { name: 'first', secret: 'the-upstream-gave-you-this', weight: 2 },
        { name: 'second', secret: 'and-this', limits: { requests_per_minute: 500 } },
      ],
      tags: ['eu'],
      set_headers: { 'openai-organization': 'org-1' },
      set_parameters: { store: false },
      costs: { 'acme-large': { prices: { input: 2_000_000, output: 10_000_000 } } },
      cost_ratio: '0.7',
    },
    {
      base_url: 'https://acme.openai.azure.com',
      protocols: ['openai-chat'],
      auth: { kind: 'azure', tenant_id: 'acme.example', client_id: '00000000-0000-0000-0000-000000000001' },
      paths: {
        'openai-chat': {
          generate: '/openai/deployments/{model}/chat/completions?api-version=2024-10-21',
          models: '/openai/models?api-version=2024-10-21',
        },
      },
      credentials: [{ name: 'app', secret: 'the-secret-of-the-app' }],
    },
  ],
});

/** All discounts of one account; the first that names a model holds for it. */
const discountsBody = z
  .strictObject({
    discounts: z
      .array(discountSchema.omit({ account_id: true }))
      .min(1)
      .max(200),
  })
  .meta({
    examples: [
      {
        discounts: [
          { models: ['acme-large'], ratio: '0.75' },
          { models: ['*'], ratio: '0.9' },
        ],
      },
    ],
  });

/** Limits of clients, of keys without their own, and of wire formats. */
export const commonLimitsBody = catalogueSchema.shape.limits.meta({
  examples: [
    {
      client: { requests_per_minute: 600 },
      key: { requests_per_minute: 300, tokens_per_minute: 1_000_000 },
      route: { 'openai-chat': { requests_per_minute: 60_000 } },
    },
  ],
});

/** What a key of the group `auto` tries, in this order. */
export const autoGroupsBody = z
  .strictObject({ groups: catalogueSchema.shape.auto_groups.unwrap() })
  .meta({ examples: [{ groups: ['cheap', 'default'] }] });

/** The first pool that matches serves: a new one can be put in front of another. */
const poolQuery = z.object({
  before: z
    .string()
    .min(1)
    .max(128)
    .optional()
    .meta({ description: 'Name of the pool to stand in front of' }),
});

const onVersion = ifMatch('The version that the change is made on top of; another one is answered with 412');

const publication = z
  .object({
    version: z.int().meta({ description: 'The one that holds the change' }),
    hash,
    changed: z.boolean().meta({ description: 'False where all was so already: then no version was made' }),
  })
  .meta({ id: 'Publication' });

const change = {
  permission: 'catalogue:write',
  headers: onVersion,
  answer: publication,
  errors: { 412: 'The version that `if-match` names is not the newest.' },
} as const;

const params = z.strictObject({ name: entryName });
const accountParams = z.strictObject({
  account_id: z.string().meta({ examples: ['0198f1c2-7d1e-7000-8000-000000000001'] }),
});

export const catalogueEntries = defineResource({
  showCatalogue: {
    method: 'GET',
    path: '/api/catalogue',
    summary: 'Show what holds now, without secrets',
    permission: 'catalogue:write',
    answer: shownSnapshot,
    errors: { 404: 'Nothing is published yet.' },
  },
  putVendor: {
    ...change,
    method: 'PUT',
    path: '/api/catalogue/vendors/:name',
    summary: 'Publish a vendor',
    params,
    body: vendorBody,
  },
  putModel: {
    ...change,
    method: 'PUT',
    path: '/api/catalogue/models/:name',
    summary: 'Publish a model with its prices',
    description: 'Prices that are left out are those of input or output.',
    params,
    body: modelBody,
  },
  putGroup: {
    ...change,
    method: 'PUT',
    path: '/api/catalogue/groups/:name',
    summary: 'Publish a group',
    params,
    body: groupBody,
  },
  putPool: {
    ...change,
    method: 'PUT',
    path: '/api/catalogue/pools/:name',
    summary: 'Publish a pool',
    description: 'It stays where it stands, or stands at the end, or in front of another one.',
    params,
    query: poolQuery,
    body: poolBody,
  },
  putUpstream: {
    ...change,
    method: 'PUT',
    path: '/api/catalogue/upstreams/:name',
    summary: 'Publish an upstream',
    /** It sets a secret, or where secrets are sent to. */
    reauthenticate: true,
    description: 'A secret is written, never read: a credential without one keeps the one that it has.',
    params,
    body: upstreamBody,
  },
  putDiscounts: {
    ...change,
    method: 'PUT',
    path: '/api/catalogue/discounts/:account_id',
    summary: 'Publish all discounts of an account',
    params: accountParams,
    body: discountsBody,
  },
  removeDiscounts: {
    ...change,
    method: 'DELETE',
    path: '/api/catalogue/discounts/:account_id',
    summary: 'Take all discounts of an account away',
    params: accountParams,
  },
  putLimits: {
    ...change,
    method: 'PUT',
    path: '/api/catalogue/limits',
    summary: 'Publish the limits that hold for all',
    body: commonLimitsBody,
  },
  putAutoGroups: {
    ...change,
    method: 'PUT',
    path: '/api/catalogue/auto-groups',
    summary: 'Publish what keys of the group auto try',
    body: autoGroupsBody,
  },
  removeEntry: {
    ...change,
    method: 'DELETE',
    path: '/api/catalogue/:section/:name',
    summary: 'Take an entry out of the catalogue',
    params: z.strictObject({
      section: z.enum(ENTRY_SECTIONS, {
        error: ({ input }) => `There is no section "${String(input)}".`,
      }),
      name: entryName,
    }),
  },
  resealCredentials: {
    method: 'POST',
    path: '/api/catalogue/reseal',
    summary: 'Seal all credentials again with `SEAL_KEY`',
    description: 'The last step of a change of that key; nothing changes where it has been done.',
    permission: 'catalogue:write',
    /** It seals every secret again. */
    reauthenticate: true,
    answer: z.object({
      version: z.int().nullable(),
      changed: z.boolean(),
      upstreams: z
        .array(z.string())
        .meta({ description: 'Those with a credential that another key had sealed' }),
      drafts: z.array(z.string()),
    }),
    errors: {
      409: 'No key opens some credential: the message names its upstream.',
      412: 'Somebody else published at the same time.',
    },
  },
});
