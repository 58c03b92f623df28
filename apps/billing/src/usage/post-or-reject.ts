import type { DataSource } from 'typeorm';
import { postBatch, type Rejected } from './post-batch.ts';
import type { PostedUsage, Posting } from './posting.ts';

/** SQLSTATE class of values that a column cannot hold, today and at every later try. */
const DATA_EXCEPTION = /^22/;
/** That, and what constraints refuse: of this the event may be innocent, and waits. */
const REFUSAL = /^2[23]/;

interface Tried {
  readonly posted: readonly PostedUsage[];
  /** What PostgreSQL refused of the postings. */
  readonly refused: readonly Rejected[];
}

/**
 * Posts a batch. When PostgreSQL refuses it, the events it refuses are found by halving, and the others are posted. Of
 * those, an event whose values fit no column is rejected, and one that a constraint refuses waits.
 *
 * @throws what a later try may fix, such as a lost connection; what was committed before stays posted.
 */
export async function postOrReject(
  database: DataSource,
  postings: readonly Posting[],
  rejected: readonly Rejected[],
): Promise<Tried> {
  try {
    return { posted: await postBatch(database, postings, rejected), refused: [] };
  } catch (error) {
    const code = codeOf(error);
    const [only] = postings;
    if (!REFUSAL.test(code) || only === undefined) throw error;
    if (postings.length > 1) return postHalves(database, postings, rejected);
    const { event } = only;
    // A constraint of today may be gone tomorrow, or the event is beside another one that is being posted.
    const waits = !DATA_EXCEPTION.test(code);
    const reason = error instanceof Error ? error.message : code;
    const refused = { requestId: event.request_id, reason, event, waits };
    return { posted: await postBatch(database, [], [...rejected, refused]), refused: [refused] };
  }
}

async function postHalves(
  database: DataSource,
  postings: readonly Posting[],
  rejected: readonly Rejected[],
): Promise<Tried> {
  const middle = Math.ceil(postings.length / 2);
  // One after the other: writers of the journal take turns anyway. The second is tried whatever the first met.
  const [first] = await Promise.allSettled([postOrReject(database, postings.slice(0, middle), rejected)]);
  const second = await postOrReject(database, postings.slice(middle), []);
  if (first.status === 'rejected') throw first.reason;
  return {
    posted: [...first.value.posted, ...second.posted],
    refused: [...first.value.refused, ...second.refused],
  };
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : '';
