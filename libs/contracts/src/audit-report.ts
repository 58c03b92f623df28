import { z } from 'zod';

/** Versions of the catalogue for billing's audit log, and those of which pricing wants to know whether it lacks them. */
export const auditReportSchema = z.strictObject({
  asked: z.array(z.int().positive()).max(1_000),
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

/** Those of the asked versions that the audit log lacks. */
export const auditReportedSchema = z.strictObject({ missing: z.array(z.int().positive()) });
export type AuditReported = z.infer<typeof auditReportedSchema>;
