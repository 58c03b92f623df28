import { momentSchema } from '@tollgate/contracts';
import { API_KEY_FORM, API_KEY_FORM_TEXT, FIELD_RULES } from '@tollgate/vocabulary';
import { z } from 'zod';
import { normaliseAddressRange } from './address-range.ts';
import { sortBy, toIdSchema } from './common.ts';
import { isUsd } from './fields.ts';
import { apiKey, HOLDABLE_FIELDS, newApiKey } from './key-answers.ts';
import { limitsBody } from './limits.ts';
import { defineResource } from './route.ts';

const usd = z.string().refine((text) => isUsd(text, (pico) => pico >= 0n), FIELD_RULES.not_usd);

const addressRange = z
  .string()
  .max(64)
  .refine((text) => normaliseAddressRange(text) !== undefined, FIELD_RULES.not_an_address_range);

const fields = {
  name: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .refine((name) => !name.includes('\0'), FIELD_RULES.holds_nul),
  group: z.string().min(1).max(128),
  expires_at: momentSchema.nullable(),
  /** What the key may spend in all, in a day and in a month of its account's time zone; null is no limit of its own. */
  budgets: z
    .strictObject({ total_usd: usd.nullable(), daily_usd: usd.nullable(), monthly_usd: usd.nullable() })
    .partial(),
  limits: limitsBody,
  models: z
    .array(z.string().min(1).max(128))
    .min(1)
    .max(500)
    .nullable()
    .meta({ description: 'What the key may use of the models of its group; null is every one' }),
  allowed_addresses: z
    .array(addressRange)
    .min(1)
    .max(100)
    .nullable()
    .meta({ description: 'Where the key may be used from; null is everywhere' }),
  /** Refuse what a conversion to another wire format would leave out. */
  strict: z.boolean(),
};

const ownerId = z.uuid().toLowerCase().nullable().optional().meta({
  description:
    'For operators: whose it is, somebody of its account; null is the account itself. Left out of a new key: who makes it in their own account, else the account',
});

const newKey = z.strictObject({
  ...fields,
  owner_id: ownerId,
  group: fields.group
    .optional()
    .meta({ description: 'Left out: `default` where the account may use it, else the first that it may' }),
  expires_at: fields.expires_at.default(null),
  budgets: fields.budgets.default({}),
  limits: fields.limits.default({}),
  models: fields.models.default(null),
  allowed_addresses: fields.allowed_addresses.default(null),
  strict: fields.strict.default(false),
  /** Owners and admins may make a key for another account. */
  account_id: z.uuid().optional(),
});

const createKeyBody = newKey
  .extend({
    temporary: z
      .boolean()
      .default(false)
      .meta({ description: 'Delete the key once it has ended; goes with `expires_at`' }),
  })
  .refine(({ temporary, expires_at }) => !temporary || expires_at !== null, {
    error: FIELD_RULES.temporary_without_end,
    path: ['temporary'],
  })
  .meta({
    examples: [
      {
        name: 'Nightly reports',
        group: 'default',
        expires_at: '2027-01-01T00:00:00Z',
        budgets: { total_usd: '100', daily_usd: '12.50', monthly_usd: null },
        limits: { requests_per_minute: 60, tokens_per_minute: 100_000, concurrent_requests: 8 },
        allowed_addresses: ['192.0.2.0/24', '2001:db8::/32'],
      },
    ],
  });

/**
 * A key that another relay gave out: as its clear text, or as its SHA-256 and what to show of it. Its clients need not
 * change anything.
 */
const importKeyBody = newKey
  .extend({
    key: z
      .string()
      .regex(API_KEY_FORM, `must be ${API_KEY_FORM_TEXT}: gateways look no other form up`)
      .optional()
      .meta({ description: 'The key itself; only its hash is stored' }),
    key_hash: z
      .string()
      .regex(/^[0-9a-f]{64}$/, FIELD_RULES.not_a_key_hash)
      .optional()
      .meta({ description: 'In place of `key`' }),
    masked: z
      .string()
      .regex(/^[^\0]{1,40}$/, FIELD_RULES.not_a_masked_key)
      .optional()
      .meta({ description: 'What lists show of a key that is given by its hash' }),
    status: z.enum(['active', 'disabled']).default('active'),
  })
  .refine(({ key, key_hash }) => (key === undefined) !== (key_hash === undefined), {
    error: FIELD_RULES.key_or_hash,
    path: ['key'],
  })
  .refine(({ key_hash, masked }) => (key_hash === undefined) === (masked === undefined), {
    error: FIELD_RULES.masked_without_hash,
    path: ['masked'],
  })
  .meta({
    examples: [
      {
        key_hash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
        masked: 'sk-Ab12…x9Yz',
        name: 'Moved from the relay before',
        group: 'default',
        budgets: { total_usd: '12.50' },
      },
    ],
  });

const changeKeyBody = z
  .strictObject({
    ...fields,
    owner_id: ownerId,
    status: z.enum(['active', 'disabled']),
    operator_fields: z.array(z.enum(HOLDABLE_FIELDS)).max(HOLDABLE_FIELDS.length).meta({
      description:
        'For operators: exactly these fields are theirs from now on, as they are. Without it those that the change states are theirs too',
    }),
  })
  .partial()
  .meta({ examples: [{ status: 'disabled', budgets: { daily_usd: '20' } }] });

/** Thirty days. */
const OVERLAP_MAX_S = 2_592_000;

const rotateKeyBody = z
  .strictObject({
    overlap_s: z
      .int()
      .min(0)
      .max(OVERLAP_MAX_S)
      .meta({ description: 'Seconds for which the secret before works beside the new one' }),
  })
  .meta({ examples: [{ overlap_s: 86_400 }] });

/** What keys may be ordered by. */
const KEY_COLUMNS = ['name', 'owner', 'group', 'spent', 'used', 'expires', 'created'] as const;

const params = z.strictObject({ id: toIdSchema('key') });
const ofOthers = 'keys:read-all';
const account = { in: 'body', name: 'account_id', others: 'accounts:write' } as const;

export const keys = defineResource({
  createKey: {
    method: 'POST',
    path: '/api/keys',
    summary: 'Make a key',
    description: 'The answer holds the key itself, which is shown once.',
    permission: 'keys:write',
    account,
    body: createKeyBody,
    status: 201,
    answer: newApiKey,
  },
  importKey: {
    method: 'POST',
    path: '/api/keys/import',
    summary: 'Take over a key of another relay',
    description: 'Its clients go on with it as it is.',
    permission: 'keys:import',
    body: importKeyBody,
    status: 201,
    answer: apiKey,
    errors: { 409: 'The key is here already.' },
  },
  listKeys: {
    method: 'GET',
    path: '/api/keys',
    summary: 'List keys, the newest first',
    description: 'Members see their own and those of the account itself.',
    permission: 'keys:read',
    ofOthers,
    account: { in: 'query', name: 'account_id', others: 'accounts:write' },
    query: z.object({
      account_id: z
        .uuid()
        .optional()
        .meta({ examples: ['0198f1c2-7d1e-7000-8000-000000000001'] }),
      find: z
        .string()
        .trim()
        .max(100)
        .optional()
        .meta({ description: 'A part of its name, of what is shown of it, or of its owner' }),
      sort: sortBy(KEY_COLUMNS),
      limit: z.coerce.number().int().min(1).max(200).default(50),
      offset: z.coerce.number().int().min(0).default(0),
      count: z
        .enum(['true', 'false'])
        .default('true')
        .meta({ description: 'Whether to count all that fit, which takes longer than a page of them' }),
    }),
    answer: z.object({
      items: z.array(apiKey),
      total: z.int().nullable().meta({ description: 'How many fit in all; null where they are not counted' }),
    }),
  },
  changeKey: {
    method: 'PATCH',
    path: '/api/keys/:id',
    summary: 'Change a key',
    permission: 'keys:write',
    ofOthers,
    params,
    body: changeKeyBody,
    answer: apiKey,
  },
  rotateKey: {
    method: 'POST',
    path: '/api/keys/:id/rotate',
    summary: 'Give a key a new secret',
    description: 'It is in this answer and nowhere else; the one before works until the overlap is over.',
    permission: 'keys:write',
    ofOthers,
    params,
    body: rotateKeyBody,
    answer: newApiKey,
  },
  removeKey: {
    method: 'DELETE',
    path: '/api/keys/:id',
    summary: 'Delete a key',
    permission: 'keys:write',
    ofOthers,
    params,
    status: 204,
  },
});
