import type { PriceSnapshot } from '@tollgate/catalogue';
import { formatUsd, parseUsd } from '@tollgate/money';
import { TOKEN_KINDS } from '@tollgate/vocabulary';
import { type Pair, startPair } from '../../testing/billing-service.ts';
import { readPrices } from '../../testing/pricing-process.ts';
import { openCatalogue, type CatalogueCall, rerated } from '../../testing/rerates.ts';
import { usageEvent } from '../../testing/usage-events.ts';
import { postBatch } from '../usage/post-batch.ts';
import { computePosting } from '../usage/posting.ts';

const ROWS = 10_000;
const october = { from: '2026-10-01T00:00:00Z', to: '2026-11-01T00:00:00Z' };
const ACCOUNTS = [1, 2, 3, 4, 5].map((n) => `0198f1c2-7d1e-7000-8000-00000000010${n}`);
const MODELS = ['sim-chat', 'sim-responses', 'sim-claude', 'sim-gemini', 'sim-vip'];

let pair: Pair;
let at: { url: string; cookie: string };
let catalogue: CatalogueCall;
beforeAll(async () => {
  pair = await startPair();
  const owner = await openCatalogue(pair);
  at = { url: pair.billing.url, cookie: owner.cookie };
  catalogue = owner.catalogue;
  await draft('second', [
    group('default', '0.777777777'),
    group('vip', '0.5'),
    model(
      'sim-chat',
      { input: 2_600_001, cache_read: 1_300_003, output: 9_999_999 },
      { request_price: 1_234 },
    ),
    model(
      'sim-claude',
      { input: 3_000_007, output: 15_000_001 },
      {
        tiers: [
          { above_input_tokens: 2_000, prices: { input: 5_000_001, cache_read: 7, output: 20_000_003 } },
          { above_input_tokens: 4_000, prices: { input: 6_000_001, output: 30_000_011 } },
        ],
      },
    ),
    discounts(ACCOUNTS[0], [
      { models: ['sim-chat'], ratio: '0.3333' },
      { models: ['*'], ratio: '0.95' },
    ]),
    discounts(ACCOUNTS[3], [{ models: ['sim-claude', 'sim-vip'], ratio: '0.111111111' }]),
  ]);
  expect((await catalogue('POST', '/drafts/second/publish', {})).body.version).toBe(2);
  await draft('third', [
    group('default', '1.1'),
    model('sim-gemini', { input: 1, output: 3 }, { request_price: 1 }),
    discounts(ACCOUNTS[1], [{ models: ['*'], ratio: '0.5' }]),
  ]);
  await postLastMonth();
}, 60_000);
afterAll(() => pair.stop(), 60_000);

const group = (name: string, ratio: string) => ({
  op: 'put',
  section: 'groups',
  entry: { name, ratio, models: ['*'] },
});
const model = (name: string, prices: object, more: object) => ({
  op: 'put',
  section: 'models',
  entry: { name, vendor: 'openai', prices, ...more },
});
const discounts = (account_id: string | undefined, of: object[]) => ({
  op: 'discounts',
  account_id,
  discounts: of,
});
async function draft(name: string, changes: object[]): Promise<void> {
  const { status } = await catalogue('PUT', `/drafts/${name}`, { reason: 'test', changes });
  expect(status).toBe(200);
}

/** Requests of October, half by each version; some of them late enough to lie outside the month. */
async function postLastMonth(): Promise<void> {
  const versions = await Promise.all([1, 2].map((version) => readPrices(pair.billing.config, version)));
  let seed = 42;
  const random = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((seed / 2 ** 31) * below);
  };
  const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T;
  const postings = Array.from({ length: ROWS }, () => {
    const snapshot: PriceSnapshot = pick(versions);
    const event = usageEvent({
      snapshot_version: snapshot.version,
      account_id: pick(ACCOUNTS),
      group: pick(['default', 'vip']),
      model: pick(MODELS),
      occurred_at: new Date(Date.parse(october.from) + random(32 * 86_400_000)).toISOString(),
      tokens: Object.fromEntries(
        TOKEN_KINDS.filter(() => random(3) === 0).map((kind) => [kind, random(3_000)]),
      ),
    });
    const result = computePosting(event, snapshot);
    if (!result.ok) throw new Error(result.reason);
    return result.value;
  });
  for (let from = 0; from < ROWS; from += 1_000)
    await postBatch(pair.environment.database, postings.slice(from, from + 1_000), []);
}

const sum = (side: (kind: string) => string) => TOKEN_KINDS.map(side).join(' + ');

/** What the requests cost, worked out by PostgreSQL alone, from the catalogue as JSON. */
const INDEPENDENT = `
  WITH exact AS (
    SELECT u.account_id, u.model, u.cost_pico,
      (${sum((kind) => `u.tokens_${kind} * (p.prices->>'${kind}')::numeric`)} + (m.model->>'request_price')::numeric * 1e6)
        * (g.item->>'ratio')::numeric * coalesce(d.ratio, 1) AS cost
    FROM billing.usage u
    CROSS JOIN (SELECT $3::jsonb AS all_of_it) c
    CROSS JOIN LATERAL (SELECT item AS model FROM jsonb_array_elements(c.all_of_it->'models') item
      WHERE item->>'name' = u.model) m
    CROSS JOIN LATERAL (SELECT item FROM jsonb_array_elements(c.all_of_it->'groups') item
      WHERE item->>'name' = u.group_name) g
    CROSS JOIN LATERAL (SELECT coalesce((
      SELECT tier->'prices' FROM jsonb_array_elements(m.model->'tiers') tier
      WHERE (tier->>'above_input_tokens')::numeric < ${TOKEN_KINDS.filter(
        (kind) => !kind.startsWith('output'),
      )
        .map((kind) => `u.tokens_${kind}`)
        .join(' + ')}
      ORDER BY (tier->>'above_input_tokens')::numeric DESC LIMIT 1), m.model->'prices') AS prices) p
    LEFT JOIN LATERAL (SELECT (item->>'ratio')::numeric AS ratio
      FROM jsonb_array_elements(c.all_of_it->'discounts') WITH ORDINALITY AS list (item, place)
      WHERE item->>'account_id' = u.account_id::text AND (item->'models' ? u.model OR item->'models' ? '*')
      ORDER BY place LIMIT 1) d ON true
    WHERE u.booked_at >= $1 AND u.booked_at < $2)
  SELECT account_id, model, count(*)::int AS requests, sum(cost_pico)::text AS booked,
    sum(CASE WHEN cost - floor(cost) = 0.5 THEN 2 * round(cost / 2) ELSE round(cost) END)::text AS rerated
  FROM exact GROUP BY 1, 2 ORDER BY 1, 2`;

interface Independent {
  readonly account_id: string;
  readonly model: string;
  readonly requests: number;
  readonly booked: string;
  readonly rerated: string;
}
const independently = (json: string): Promise<Independent[]> =>
  pair.environment.database.query(INDEPENDENT, [october.from, october.to, json]);
const catalogueText = async (version: number): Promise<string> => {
  const [row]: { catalogue: string }[] = await pair.environment.database.query(
    'SELECT catalogue FROM pricing.snapshot WHERE version = $1',
    [version],
  );
  return row?.catalogue ?? '';
};
const inUsd = (rows: readonly Independent[]) =>
  rows.map(({ account_id, model, requests, booked, rerated }) => ({
    account_id,
    model,
    requests,
    booked_usd: formatUsd(BigInt(booked)),
    rerated_usd: formatUsd(BigInt(rerated)),
    difference_usd: formatUsd(BigInt(rerated) - BigInt(booked)),
    unpriced_requests: 0,
  }));
const totalOf = (lines: readonly { rerated_usd: string }[]) =>
  formatUsd(lines.reduce((all, { rerated_usd }) => all + parseUsd(rerated_usd), 0n));

test.each([1, 2])('last month by version %i is, to the pico-USD, what SQL makes of it', async (version) => {
  const { lines, total, progress, error } = await rerated(at, { ...october, version });
  const expected = inUsd(await independently(await catalogueText(version)));
  expect(error).toBeUndefined();
  expect(expected).toHaveLength(ACCOUNTS.length * MODELS.length);
  expect(lines).toMatchObject(expected);
  expect(total?.rerated_usd).toBe(totalOf(expected));
  expect(total?.rerated_usd).not.toBe(total?.booked_usd);
  expect(progress.at(-1)).toEqual({ rows: total?.requests, of: total?.requests });
});

test('last month by a draft is what it would be by the version that the draft becomes', async () => {
  const before = await rerated(at, { ...october, draft: 'third' });
  expect((await catalogue('POST', '/drafts/third/publish', {})).body.version).toBe(3);
  const expected = inUsd(await independently(await catalogueText(3)));
  expect(before.lines).toMatchObject(expected);
  expect((await rerated(at, { ...october, version: 3 })).lines).toEqual(before.lines);
  expect((await rerated(at, { ...october, draft: 'third' })).lines).toEqual(before.lines);
});

test('last month by the versions that it was booked with is what was booked', async () => {
  const { lines, total } = await rerated(at, { ...october, version: 'as-booked' });
  const [booked]: { requests: number; pico: string }[] = await pair.environment.database.query(
    `SELECT count(*)::int AS requests, sum(cost_pico)::text AS pico FROM billing.usage
     WHERE booked_at >= $1 AND booked_at < $2`,
    [october.from, october.to],
  );
  expect(booked?.requests).toBeLessThan(ROWS);
  expect(total).toMatchObject({
    requests: booked?.requests,
    booked_usd: formatUsd(BigInt(booked?.pico ?? '')),
    rerated_usd: formatUsd(BigInt(booked?.pico ?? '')),
    difference_usd: '0.00',
    unpriced_requests: 0,
  });
  for (const line of lines) expect(line.rerated_usd).toBe(line.booked_usd);
});

test('one account and one model are rated alone', async () => {
  const all = await rerated(at, { ...october, version: 2 });
  const [account_id = ''] = ACCOUNTS;
  const one = await rerated(at, { ...october, version: 2, account_id, model: 'sim-claude' });
  expect(one.lines).toEqual(
    all.lines.filter((line) => line.account_id === account_id && line.model === 'sim-claude'),
  );
  expect(one.lines).toHaveLength(1);
});
