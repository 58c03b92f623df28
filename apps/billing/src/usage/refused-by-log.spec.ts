import type { EntityManager } from 'typeorm';
import { completeAudit } from '../../testing/complete-audit.ts';
import { type TestEnvironment, startTestEnvironment } from '../../testing/test-environment.ts';
import { snapshotWith, usageEvent } from '../../testing/usage-events.ts';
import { postBatch } from './post-batch.ts';
import { computePosting, type Posting } from './posting.ts';

const snapshot = snapshotWith({ input: 7 }, '1');

let environment: TestEnvironment;
beforeAll(async () => {
  environment = await startTestEnvironment();
});
afterAll(() => environment.stop());

/** Of so many tokens. */
function posting(input: number): Posting {
  const result = computePosting(usageEvent({ tokens: { input } }), snapshot);
  if (!result.ok) throw new Error(result.reason);
  return result.value;
}
const idsOf = (...postings: Posting[]) => postings.map(({ event }) => event.request_id);

test('what the log refuses is written again without that, and what comes after is looked up first', async () => {
  const [one, two, three, four] = [posting(1), posting(2), posting(3), posting(4)];
  let tries = 0;
  const counted = {
    transaction: <T>(work: (manager: EntityManager) => Promise<T>): Promise<T> => {
      tries += 1;
      return environment.database.transaction(work);
    },
  };
  const post = async (...postings: Posting[]) => {
    tries = 0;
    const posted = await postBatch(counted, postings, []);
    return { posted: posted.map(({ event }) => event.request_id), tries };
  };

  expect(await post(one, two)).toEqual({ posted: idsOf(one, two), tries: 1 });
  expect(await post(one, three, two)).toEqual({ posted: idsOf(three), tries: 2 });
  expect(await post(three, four, one)).toEqual({ posted: idsOf(four), tries: 1 });
  expect(
    await environment.database.query(
      'SELECT number::int, tokens_input::int AS input FROM billing.usage ORDER BY 1',
    ),
  ).toEqual([1, 2, 3, 4].map((n) => ({ number: n, input: n })));
  expect((await completeAudit(environment.database)).differences).toEqual([]);
});
