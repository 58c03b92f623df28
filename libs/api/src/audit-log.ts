import { momentSchema } from '@tollgate/contracts';
import { FIELD_RULES } from '@tollgate/vocabulary';
import { z } from 'zod';
import { sortBy, timestamp } from './common.ts';
import { defineResource } from './route.ts';

/** The services in which something is done. */
export const AUDIT_SOURCES = ['billing', 'pricing'] as const;

const values = z.record(z.string(), z.unknown()).nullable();

const auditEntry = z
  .object({
    id: z.uuid(),
    at: timestamp,
    source: z.enum(AUDIT_SOURCES).meta({ description: 'The service in which it was done' }),
    actor: z.string(),
    actor_id: z.string().nullable(),
    role: z.string().nullable(),
    action: z.string(),
    object: z.string().nullable(),
    object_name: z.string().nullable().meta({
      description: 'What a key or an account is called now, and the e-mail address of a person',
    }),
    object_owner: z.string().nullable().meta({ description: 'Of a key: who it belongs to' }),
    account_id: z.string().nullable(),
    account_name: z.string().nullable().meta({ description: 'Null where it is of no account' }),
    reason: z.string().nullable(),
    before: values,
    after: values,
    request_id: z.string().nullable(),
    address: z.string().nullable(),
  })
  .meta({ id: 'AuditEntry', description: 'Who did what' });

export const auditLog = defineResource({
  listAuditLog: {
    method: 'GET',
    path: '/api/audit-log',
    summary: 'List who did what, the newest first',
    description: 'What was published in the catalogue as well.',
    permission: 'audit-log:read',
    query: z.object({
      account_id: z.uuid().optional(),
      actor: z
        .string()
        .max(320)
        .optional()
        .meta({ description: 'An e-mail address', examples: ['owner@example.com'] }),
      action: z
        .string()
        .regex(/^[a-z][a-z.-]{0,63}$/, FIELD_RULES.not_an_action)
        .optional()
        .meta({ description: 'An action, or with a dot at its end all that begin so', examples: ['key.'] }),
      object: z.string().max(200).optional().meta({ description: 'Such as a key with its id' }),
      source: z.enum(AUDIT_SOURCES).optional(),
      from: momentSchema.optional().meta({ description: 'Inclusive' }),
      to: momentSchema.optional().meta({ description: 'Exclusive' }),
      sort: sortBy(['at', 'actor', 'action']),
      cursor: z.uuid().optional().meta({ description: '`next` of the page before' }),
      limit: z.coerce.number().int().min(1).max(200).default(50),
    }),
    answer: z.object({
      items: z.array(auditEntry),
      next: z.uuid().nullable().meta({ description: '`cursor` of the next page; null where there is none' }),
    }),
    errors: { 429: 'Too many reports of yours are under way. Ask again shortly.' },
  },
});
