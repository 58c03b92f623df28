// A process that seals an account's months or verifies them, as a billing does, until it is done or killed.
import { z } from 'zod';
import { createDataSource } from '../src/database/data-source.ts';
import { runVerification } from '../src/periods/run-verification.ts';
import { sealPeriods } from '../src/periods/seal-periods.ts';

const readingSchema = z.object({
  databaseUrl: z.string(),
  /** The account whose months it seals. */
  sealing: z.string().optional(),
  /** Which verification it runs. */
  verification: z.string().optional(),
  /** How many numbers it reads at a time. */
  every: z.number(),
});
export type Reading = z.infer<typeof readingSchema>;

process.once('message', (message) => {
  void work(readingSchema.parse(message)).then(() => process.disconnect?.());
});

async function work({ databaseUrl, sealing, verification, every }: Reading): Promise<void> {
  const database = await createDataSource(databaseUrl).initialize();
  if (sealing !== undefined) await sealPeriods(database, sealing, { every });
  if (verification !== undefined) await runVerification(database, verification, { every });
  await database.destroy();
}
