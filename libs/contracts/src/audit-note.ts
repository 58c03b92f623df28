import { z } from 'zod';
import { sessionSchema } from './session.ts';

/** What somebody did, or was kept from, at a service that has no audit log of its own; billing writes it down. */
export const auditNoteSchema = z.strictObject({
  person: sessionSchema,
  /** Such as `draft.write`. */
  action: z.string().regex(/^[a-z][a-z.-]{0,63}$/),
  object: z.string().max(300),
  reason: z.string().max(1_000).optional(),
  after: z.record(z.string(), z.json()).optional(),
  request_id: z.string().max(100),
  address: z.string().max(100),
});
export type AuditNote = z.infer<typeof auditNoteSchema>;
