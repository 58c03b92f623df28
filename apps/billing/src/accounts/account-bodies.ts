import { ROLES } from '@tollgate/vocabulary';
import { z } from 'zod';
import { limitsBody } from '@tollgate/api';
import { isUsd, plainText } from '../ledger/operation-bodies.ts';

function isTimeZone(name: string): boolean {
  // An offset such as "+05:45" is none: it knows no summer time.
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

const fields = {
  name: plainText(100),
  status: z.enum(['active', 'disabled']),
  mode: z
    .enum(['prepaid', 'postpaid'])
    .meta({ description: 'prepaid: spends what was paid in; postpaid: may owe, up to its limit' }),
  credit_limit_usd: z
    .string()
    .refine(
      (text) => isUsd(text, (pico) => pico >= 0n),
      'must be decimal USD of at most 12 places, such as "100"',
    )
    .nullable()
    .meta({ description: 'What a postpaid account may owe; null is no limit', examples: ['100.00'] }),
  limits: limitsBody.meta({ description: 'Over all keys of the account; what is left out is no limit' }),
  time_zone: z
    .string()
    .max(64)
    .refine(isTimeZone, 'must be a time zone of the IANA database, such as "Europe/Berlin"')
    .meta({ description: 'Its days and months begin there', examples: ['Europe/Berlin'] }),
};

const groups = {
  allowed_groups: z
    .array(z.string().min(1).max(128))
    .min(1)
    .max(200)
    .nullable()
    .meta({
      description:
        'The groups that people of the account may put keys in; null is `DEFAULT_GROUPS`. `auto` allows every group of the automatic choice',
      examples: [['default', 'vip']],
    }),
  max_keys: z
    .int()
    .min(0)
    .max(1_000_000)
    .nullable()
    .meta({ description: 'Keys that it may have at a time; null is `KEYS_PER_ACCOUNT`' }),
};

export const createAccountBody = z
  .strictObject({
    name: fields.name,
    mode: fields.mode.default('postpaid'),
    credit_limit_usd: fields.credit_limit_usd.default(null),
    time_zone: fields.time_zone.default('UTC'),
    limits: fields.limits.default({}),
    allowed_groups: groups.allowed_groups.default(null),
    max_keys: groups.max_keys.default(null),
  })
  .meta({
    examples: [{ name: 'Acme', mode: 'postpaid', credit_limit_usd: '100', time_zone: 'Europe/Berlin' }],
  });
export type CreateAccount = z.infer<typeof createAccountBody>;

export const changeAccountBody = z
  .strictObject({ ...fields, ...groups })
  .partial()
  .meta({ examples: [{ mode: 'prepaid' }] });
export type ChangeAccount = z.infer<typeof changeAccountBody>;

export const accountListQuery = z.object({
  find: z
    .string()
    .trim()
    .max(100)
    .optional()
    .meta({ description: 'A part of the name or of the e-mail address of somebody in it, or its id' }),
  cursor: z.uuid().optional().meta({ description: '`next` of the page before' }),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});

export const passwordField = z
  .string()
  .min(12, 'must have at least 12 characters')
  .max(1_024)
  .meta({ examples: ['correct horse battery staple'] });

export const createUserBody = z
  .strictObject({ email: z.email().max(320), password: passwordField, role: z.enum(ROLES).default('member') })
  .meta({
    examples: [{ email: 'grace@example.com', password: 'correct horse battery staple', role: 'member' }],
  });
export type CreateUser = z.infer<typeof createUserBody>;

export const changeUserBody = z
  .strictObject({
    role: z.enum(ROLES),
    status: z.enum(['active', 'disabled']).meta({ description: 'Who is disabled cannot sign in' }),
  })
  .partial()
  .meta({ examples: [{ role: 'finance' }] });
export type ChangeUser = z.infer<typeof changeUserBody>;

export const passwordBody = z
  .strictObject({ password: passwordField })
  .meta({ examples: [{ password: 'correct horse battery staple' }] });
