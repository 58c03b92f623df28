import { z } from 'zod';

/** Versions of the catalogue, in their order, for billing's audit log. Without any it only asks. */
export const auditReportSchema = z.strictObject({
  entries: z
    .array(
      z.strictObject({
        version: z.int().positive(),
        actor: z.string().min(1),
        reason: z.string(),
        at: z.iso.datetime(),
        /** Names only: an entry's content may hold what nobody is to read in a log. */
        changes: z.array(
          z.strictObject({
            section: z.string(),
            name: z.string(),
            change: z.enum(['added', 'removed', 'changed']),
          }),
        ),
      }),
    )
    .max(100),
});
export type AuditReport = z.infer<typeof auditReportSchema>;

/** The highest version that is in the audit log. */
export const auditReportedSchema = z.strictObject({ up_to: z.int().nonnegative() });
export type AuditReported = z.infer<typeof auditReportedSchema>;
