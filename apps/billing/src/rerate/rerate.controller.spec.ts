import type { UsageEvent } from '@tollgate/contracts';
import { waitFor } from '@tollgate/harness';
import { type Pair, startPair } from '../../testing/billing-service.ts';
import { addPerson, call, signIn } from '../../testing/people.ts';
import { openCatalogue, type CatalogueCall, openRerate, rerated } from '../../testing/rerates.ts';
import { type EventFields, snapshotWith, usageEvent } from '../../testing/usage-events.ts';
import { postBatch } from '../usage/post-batch.ts';
import { computePosting } from '../usage/posting.ts';

/** Books a request of a model whose tokens cost 250 pico-USD each. */
async function book(of: EventFields & Pick<UsageEvent, 'model'>): Promise<void> {
  const snapshot = snapshotWith({ input: 250, output: 250 }, '1');
  const models = snapshot.catalogue.models.map((model) => ({ ...model, name: of.model }));
  const event = usageEvent({ account_id: pair.environment.first.accountId, ...of });
  const posting = computePosting(event, { ...snapshot, catalogue: { ...snapshot.catalogue, models } });
  if (!posting.ok) throw new Error(posting.reason);
  await postBatch(pair.environment.database, [posting.value], []);
}

const november = { from: '2026-11-01T00:00:00Z', to: '2026-12-01T00:00:00Z' };

let pair: Pair;
let at: { url: string; cookie: string };
let catalogue: CatalogueCall;
beforeAll(async () => {
  pair = await startPair();
  const owner = await openCatalogue(pair);
  at = { url: pair.billing.url, cookie: owner.cookie };
  catalogue = owner.catalogue;
  await book({ model: 'sim-chat', tokens: { input: 4 } });
  await book({ model: 'withdrawn', tokens: { output: 2 } });
}, 60_000);
afterAll(() => pair.stop(), 60_000);

test.each(['finance', 'admin'] as const)('people of the role %s re-rate usage', async (role) => {
  await addPerson(pair.environment, `${role}@billing.example`, role);
  const cookie = await signIn(pair.billing.url, `${role}@billing.example`);
  const answer = await rerated({ ...at, cookie }, { ...november, version: 1 });
  expect(answer).toMatchObject({ status: 200, total: { requests: 2 } });
  expect(answer.contentType).toBe('application/x-ndjson; charset=utf-8');
});

test('members and strangers do not', async () => {
  await addPerson(pair.environment, 'member@billing.example', 'member');
  const cookie = await signIn(pair.billing.url, 'member@billing.example');
  const body = { ...november, version: 1 };
  expect((await call({ ...at, cookie }, 'POST', '/api/finance/rerates', body)).status).toBe(403);
  expect((await call({ ...at, cookie: '' }, 'POST', '/api/finance/rerates', body)).status).toBe(401);
});

test('requests for which there is no price are counted and cost nothing', async () => {
  const { lines } = await rerated(at, { ...november, version: 1 });
  expect(lines).toMatchObject([
    { model: 'sim-chat', unpriced_requests: 0, rerated_usd: '0.00001', booked_usd: '0.000000001' },
    {
      model: 'withdrawn',
      requests: 1,
      tokens: { output: 2 },
      unpriced_requests: 1,
      unpriced_booked_usd: '0.0000000005',
      rerated_usd: '0.00',
      difference_usd: '-0.0000000005',
    },
  ]);
});

test('a range without usage has a total of nothing', async () => {
  const answer = await rerated(at, { from: '2020-01-01T00:00:00Z', to: '2020-02-01T00:00:00Z', version: 1 });
  expect(answer).toMatchObject({
    lines: [],
    total: { requests: 0 },
    progress: [{ of: 0 }, { rows: 0, of: 0 }],
  });
});

test.each<[string, object, number, RegExp]>([
  ['neither version nor draft', november, 400, /^version: name either/],
  ['both version and draft', { ...november, version: 1, draft: 'x' }, 400, /^version: name either/],
  ['a range that ends before it begins', { from: november.to, to: november.from, version: 1 }, 400, /^to: /],
  ['a version that is not there', { ...november, version: 99 }, 404, /no version 99/],
  ['a draft that is not there', { ...november, draft: 'nothing' }, 404, /no draft "nothing"/],
])('%s is refused before anything is answered', async (_what, body, status, message) => {
  const answer = await rerated(at, body);
  expect(answer.status).toBe(status);
  expect(answer.error?.message).toMatch(message);
  expect(answer.progress).toEqual([]);
});

test('a draft with faults is refused with these', async () => {
  await catalogue('PUT', '/drafts/faulty', {
    reason: 'test',
    changes: [{ op: 'delete', section: 'vendors', name: 'google' }],
  });
  const answer = await rerated(at, { ...november, draft: 'faulty' });
  expect(answer.status).toBe(400);
  expect(answer.error?.message).toMatch(/models\.sim-gemini\.vendor: there is no vendor "google"/);
});

test('what goes wrong on the way is the last line, with the reason', async () => {
  const from = '2026-09-01T00:00:00Z';
  const occurred_at = '2026-09-02T00:00:00.000Z';
  await book({ model: 'sim-chat', occurred_at, snapshot_version: 77 });
  const answer = await rerated(at, { from, to: november.from, version: 'as-booked' });
  expect(answer).toMatchObject({ status: 200, lines: [], progress: [{ rows: 0, of: 1 }] });
  expect(answer.total).toBeUndefined();
  expect(answer.error?.message).toMatch(/no version 77/);
});

describe('while the usage log cannot be read', () => {
  const body = { ...november, version: 1 };
  let unlock: () => Promise<void>;
  beforeEach(async () => {
    const runner = pair.environment.database.createQueryRunner();
    await runner.startTransaction();
    await runner.query('LOCK TABLE billing.usage IN ACCESS EXCLUSIVE MODE');
    unlock = async () => {
      if (runner.isReleased) return;
      await runner.rollbackTransaction();
      await runner.release();
    };
  });
  afterEach(() => unlock());

  const reading = async (): Promise<number> => {
    const rows: unknown[] = await pair.environment.database.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND state <> 'idle'
       AND query LIKE 'SELECT count(*) FROM billing.usage%'`,
    );
    return rows.length;
  };
  test('progress is told nevertheless, and the result once it can be', async () => {
    const { lines } = await openRerate(at, body);
    expect((await lines.next()).value).toBe('{"progress":{"rows":0,"of":null}}');
    await unlock();
    const rest: string[] = [];
    for await (const line of lines) rest.push(line);
    expect(rest.at(-1)).toMatch(/^\{"total":\{"requests":2,/);
  });

  test('a client that goes away stops the work in the database', async () => {
    const { leave, lines } = await openRerate(at, body);
    await lines.next();
    await waitFor(async () => (await reading()) === 1, 'the query to begin');
    leave();
    await waitFor(async () => (await reading()) === 0, 'the end of the query');
  });

  test('a third one at once is told to wait, and may start when another was left', async () => {
    const [first, second] = [await openRerate(at, body), await openRerate(at, body)];
    const third = await rerated(at, body);
    expect(third.status).toBe(429);
    expect(third.error?.message).toMatch(/2 re-ratings are running/);
    first.leave();
    const another = await waitFor(async () => {
      const next = await openRerate(at, body);
      return next.status === 200 ? next : false;
    }, 'the place of the one that was left');
    another.leave();
    second.leave();
    await waitFor(async () => (await reading()) === 0, 'the end of the queries');
  });
});
