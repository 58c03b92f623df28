// A process that posts batches of events, as a billing does, until it is told to end or is killed.
import { z } from 'zod';
import { createDataSource } from '../src/database/data-source.ts';
import { postBatch } from '../src/usage/post-batch.ts';
import { postingThatCosts } from './bookkeeping.ts';
import { requestIdAt } from './usage-events.ts';

const workSchema = z.object({
  databaseUrl: z.string(),
  accountId: z.string(),
  keyIds: z.array(z.string()),
  /** The places of events that are posted together; the same event is the same in every process. */
  batches: z.array(z.array(z.number())),
});
export type Work = z.infer<typeof workSchema>;

const OCCURRED_AT = '2026-11-21T10:00:00.000Z';
/** Behind those that tests make by themselves. */
const FIRST = 1_000_000;

process.once('message', (message) => {
  void work(workSchema.parse(message)).then(() => process.disconnect?.());
});

async function work({ databaseUrl, accountId, keyIds, batches }: Work): Promise<void> {
  const database = await createDataSource(databaseUrl).initialize();
  for (const [place, batch] of batches.entries()) {
    const postings = batch.map((n) =>
      postingThatCosts(
        n + 1,
        {
          request_id: requestIdAt(OCCURRED_AT, FIRST + n),
          occurred_at: OCCURRED_AT,
          account_id: accountId,
          key_id: keyIds[n % keyIds.length] ?? '',
        },
        n,
      ),
    );
    await postBatch(database, postings, []);
    process.send?.(place);
  }
  await database.destroy();
}
