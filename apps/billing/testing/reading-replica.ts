// A process that seals an account's months, verifies them or audits the ledger, as a billing does, until it is done or killed.
import { z } from 'zod';
import { createDataSource } from '../src/database/data-source.ts';
import { runCompleteAudit } from '../src/ledger/complete-audit.ts';
import { runVerification } from '../src/periods/run-verification.ts';
import { sealPeriods } from '../src/periods/seal-periods.ts';

const readingSchema = z.object({
  databaseUrl: z.string(),
  /** The account whose months it seals. */
  sealing: z.string().optional(),
  /** Which verification it runs. */
  verification: z.string().optional(),
  /** Which audit of the ledger it runs. */
  audit: z.string().optional(),
  /** How many numbers it reads at a time. */
  every: z.number(),
});
export type Reading = z.infer<typeof readingSchema>;

process.once('message', (message) => {
  void work(readingSchema.parse(message)).then(() => process.disconnect?.());
});

async function work({ databaseUrl, sealing, verification, audit, every }: Reading): Promise<void> {
  const database = await createDataSource(databaseUrl).initialize();
  if (sealing !== undefined) await sealPeriods(database, sealing, { every });
  if (verification !== undefined) await runVerification(database, verification, { every });
  if (audit !== undefined)
    await runCompleteAudit(database, audit, { onReplica: (read) => read(database), slice: every });
  await database.destroy();
}
