// More groups than PostgreSQL hands over at once, in several files: what is written down meanwhile does not wait for their end.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PriceSnapshot, priceSnapshotSchema } from '@tollgate/catalogue';
import { MESSAGE } from '@tollgate/contracts';
import { TEST_ANSWER_MS, TEST_SERVICE_SECRET } from '@tollgate/harness';
import { createRequestReplyClient } from '@tollgate/platform';
import { type Pair, startPair } from '../../../testing/billing-service.ts';
import { exported } from '../../../testing/exports.ts';
import { addPerson, signIn } from '../../../testing/people.ts';
import { usageEvent } from '../../../testing/usage-events.ts';
import { postBatch } from '../../usage/post-batch.ts';
import { computePosting } from '../../usage/posting.ts';

/** Each by a key of its own. */
const GROUPS = 5_000;
const PART_ROWS = 2_000;

let pair: Pair;
let directory: string;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'tollgate-focus-'));
  pair = await startPair(() =>
    Promise.resolve({ EXPORT_DIR: directory, EXPORT_PART_ROWS: String(PART_ROWS) }),
  );
  await addPerson(pair.environment, 'finance@billing.example', 'finance');
}, 120_000);
afterAll(async () => {
  await pair.stop();
  rmSync(directory, { recursive: true, force: true });
});

async function findPrices(): Promise<PriceSnapshot> {
  const { PRICING_TCP_URL } = pair.billing.config;
  const client = createRequestReplyClient(PRICING_TCP_URL, [TEST_SERVICE_SECRET], TEST_ANSWER_MS);
  try {
    return await client.request(MESSAGE.snapshotGet, { version: 1 }, priceSnapshotSchema);
  } finally {
    client.close();
  }
}

test('an export of many groups has all of them, and adds up to the books', async () => {
  const snapshot = await findPrices();
  const postings = Array.from({ length: GROUPS }, (_, index) => {
    const event = usageEvent({
      account_id: pair.environment.first.accountId,
      key_id: `0198f1c2-7d1e-7000-8000-${String(index).padStart(12, '0')}`,
      occurred_at: `2026-11-${String(10 + (index % 3))}T12:00:00.000Z`,
      group: snapshot.catalogue.groups[0]?.name ?? '',
      model: snapshot.catalogue.models[0]?.name ?? '',
    });
    const posting = computePosting(event, snapshot);
    if (!posting.ok) throw new Error(posting.reason);
    return posting.value;
  });
  await postBatch(pair.environment.database, postings, []);
  const finance = {
    url: pair.billing.url,
    cookie: await signIn(pair.billing.url, 'finance@billing.example'),
  };
  const { manifest } = await exported(finance, {
    kind: 'focus',
    format: 'csv',
    from: '2026-11-01T00:00:00Z',
    to: '2026-12-01T00:00:00Z',
  });
  expect(manifest.rows).toBeGreaterThanOrEqual(GROUPS);
  expect(manifest.files.length).toBeGreaterThan(2);
  const booked = postings.reduce((sum, { costPico }) => sum + costPico, 0n);
  expect(manifest.sums).toMatchObject({ BilledCost_pico: String(booked) });
}, 120_000);
