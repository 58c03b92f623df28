// Random events over every kind of token and unit, tier, region and second model, some with what their upstream says it
// charges, are posted; then every sum of the books is compared with the events.
import { upstreamSchema } from '@tollgate/catalogue';
import { formatUsd, parseUsd } from '@tollgate/money';
import {
  type Counts,
  INPUT_TOKEN_KINDS,
  MARGIN_GROUPS,
  METER_KINDS,
  type MeterKind,
  OUTPUT_TOKEN_KINDS,
  sumTokens,
  TOKEN_KINDS,
  UNIT_KINDS,
} from '@tollgate/vocabulary';
import fc from 'fast-check';
import { anyUsage, snapshotOfUnits } from '../../testing/arbitrary-usage.ts';
import { startTestEnvironment, type TestEnvironment } from '../../testing/test-environment.ts';
import { type EventFields, usageEvent } from '../../testing/usage-events.ts';
import { completeAudit } from '../../testing/complete-audit.ts';
import { readMargins } from '../ledger/margins.ts';
import { ourUsage } from '../reconciliation/our-usage.ts';
import { raterFor } from '../rerate/rater.ts';
import { readUsage } from '../rerate/usage-rows.ts';
import { keyLines } from '../statements/statement-keys.ts';
import { readStatement } from '../statements/statement.ts';
import { selectLines } from './line-rows.ts';
import { METER_COLUMNS } from './meter-columns.ts';
import { postBatch } from './post-batch.ts';
import { computePosting, type Posting } from './posting.ts';
import { usageSummary } from './usage-summary.ts';

const snapshot = snapshotOfUnits();
snapshot.catalogue.upstreams = [
  upstreamSchema.parse({
    name: 'east',
    base_url: 'https://east.example',
    protocols: ['openai-chat'],
    cost_ratio: '0.7',
    reports_cost: true,
  }),
];
const post = (of: EventFields): Posting => {
  const result = computePosting(usageEvent(of), snapshot);
  if (!result.ok) throw new Error(result.reason);
  return result.value;
};

const DAY_MS = 86_400_000;
const now = Date.now();
/** With keys, times of two months or three, and what an upstream says it charges: nothing, something, or too much. */
const anyBooked: fc.Arbitrary<EventFields> = fc
  .tuple(anyUsage, fc.nat(45 * DAY_MS), fc.nat(2), fc.option(fc.oneof(fc.nat(50_000_000), fc.constant(9e17))))
  .map(([usage, age, key, cost]) => ({
    ...usage,
    occurred_at: new Date(now - age).toISOString(),
    key_id: `0198f1c2-7d1e-7000-8000-00000000000${key}`,
    ...(cost === null ? {} : { upstream_cost_pico: String(cost) }),
  }));

/** What some postings have together. */
function addUp(postings: readonly Posting[]) {
  const counts: Counts = {};
  for (const each of postings)
    for (const [kind, count] of Object.entries(each.counts) as [MeterKind, number][])
      if (count > 0) counts[kind] = (counts[kind] ?? 0) + count;
  const pick = (kinds: readonly MeterKind[]) =>
    Object.fromEntries(kinds.flatMap((kind) => (counts[kind] === undefined ? [] : [[kind, counts[kind]]])));
  return {
    requests: postings.length,
    counts,
    tokens: pick(TOKEN_KINDS),
    units: pick(UNIT_KINDS),
    cost_usd: formatUsd(postings.reduce((sum, { costPico }) => sum + costPico, 0n)),
  };
}

let environment: TestEnvironment;
let postings: Posting[];
beforeAll(async () => {
  environment = await startTestEnvironment();
  const { accountId } = environment.first;
  postings = fc.sample(anyBooked, 300).map((of) => post({ ...of, account_id: accountId }));
  for (let at = 0; at < postings.length; at += 60)
    await postBatch(environment.database, postings.slice(at, at + 60), []);
});
afterAll(() => environment.stop());

const query = <T>(sql: string): Promise<T[]> => environment.database.query(sql);
const booked = () => postings.reduce((sum, { costPico }) => sum + costPico, 0n);

test('a row costs what its lines cost, and what its entries take', async () => {
  expect(
    await query(`SELECT number FROM billing.usage u WHERE u.lines IS NOT NULL AND u.cost_pico <>
        (SELECT sum((line ->> 'cost_pico')::numeric) FROM jsonb_array_elements(u.lines) AS line)
      UNION SELECT t.number FROM billing.ledger_transaction t JOIN billing.ledger_entry e USING (number)
      WHERE e.ledger_account = 'customer:' || t.account_id AND -e.amount_pico <> (SELECT sum(cost_pico) FROM billing.usage u
        WHERE u.number BETWEEN t.number - t.numbers + 1 AND t.number)`),
  ).toEqual([]);
  const [sum] = await query<{ cost: string }>('SELECT sum(cost_pico)::text AS cost FROM billing.usage');
  expect(sum?.cost).toBe(String(booked()));
});

test('months have the sums of every kind, and an audit finds nothing', async () => {
  const sums = METER_COLUMNS.map((column) => `sum(${column})::text AS ${column}`).join(', ');
  const [month] = await query(`SELECT ${sums} FROM billing.usage_month`);
  expect(month).toEqual(
    Object.fromEntries(
      METER_KINDS.map((kind, n) => [
        METER_COLUMNS[n],
        String(postings.reduce((sum, { counts }) => sum + (counts[kind] ?? 0), 0)),
      ]),
    ),
  );
  const report = await completeAudit(environment.database);
  expect(report.differences).toEqual([]);
});

test('the lines of all rows have the sums of the log', async () => {
  const sums = ['cost_pico', ...METER_COLUMNS]
    .map((column) => `sum(${column})::text AS ${column}`)
    .join(', ');
  const lines = selectLines('billing.usage', ['number']);
  const [ofLines] = await query<object>(`SELECT ${sums}, count(*)::int AS lines,
      (count(*) FILTER (WHERE is_request))::int AS requests FROM (${lines}) AS line`);
  const [ofRows] = await query<object>(`SELECT ${sums} FROM billing.usage`);
  expect(ofLines).toEqual({
    ...ofRows,
    lines: postings.reduce((sum, { event }) => sum + event.lines.length, 0),
    requests: postings.length,
  });
});

test('what is read to be rated again costs the same', async () => {
  const rater = raterFor(snapshot);
  const range = { from: new Date(now - 46 * DAY_MS).toISOString(), to: new Date(now + 1).toISOString() };
  const different = readUsage(
    environment.database,
    range,
    new AbortController().signal,
    async function* (reading) {
      let rows = 0;
      for await (const usage of reading.rows()) {
        rows += 1;
        if (rater(usage) !== usage.costPico) yield usage;
      }
      expect(rows).toBe(postings.length);
    },
  );
  for await (const usage of different) throw new Error(`${JSON.stringify(usage.lines)} costs something else`);
});

test('statements, by model and by key, say what the ledger took and the lines used', async () => {
  const { accountId } = environment.first;
  const byMonth = Map.groupBy(postings, ({ event }) => event.occurred_at.slice(0, 7));
  expect(byMonth.size).toBeGreaterThan(1);
  for (const [month, ofMonth] of byMonth) {
    const statement = await readStatement(environment.database, accountId, month);
    const byModel = Map.groupBy(ofMonth, ({ event }) => event.model);
    expect(statement.lines).toEqual(
      [...byModel]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([model, parts]) => {
          const { counts: _, ...sums } = addUp(parts);
          return { model, ...sums };
        }),
    );
    const [taken] = await query<{ amount: string }>(`SELECT coalesce(-sum(e.amount_pico), 0)::text AS amount
        FROM billing.ledger_transaction t JOIN billing.ledger_entry e USING (number)
        WHERE t.kind = 'usage' AND e.ledger_account = 'customer:${accountId}'
          AND to_char(t.booked_at AT TIME ZONE 'UTC', 'YYYY-MM') = '${month}'`);
    expect(statement.usage_usd).toBe(formatUsd(BigInt(taken?.amount ?? '')));
    const keys = await keyLines(environment.database, accountId, month);
    for (const { key_id, requests, tokens, units, cost_usd } of keys) {
      const own = addUp(ofMonth.filter(({ event }) => event.key_id === key_id));
      expect({ requests, tokens, units, cost_usd }).toEqual({
        requests: own.requests,
        tokens: sumTokens(own.counts, TOKEN_KINDS),
        units: own.units,
        cost_usd: own.cost_usd,
      });
    }
    expect(keys.reduce((sum, { requests }) => sum + requests, 0)).toBe(ofMonth.length);
  }
});

test.each(['model', 'key', 'status'] as const)('a summary by %s says the same', async (by) => {
  const { accountId } = environment.first;
  const span = { from: new Date(now - 46 * DAY_MS).toISOString(), to: new Date(now + 1).toISOString() };
  const { total, series } = await usageSummary(environment.database, {
    accountId,
    ...span,
    bucket: 'day',
    by,
  });
  const all = addUp(postings);
  const { outcomes: _, ...sums } = total;
  expect(sums).toEqual({
    requests: all.requests,
    tokens_in: sumTokens(all.counts, INPUT_TOKEN_KINDS),
    tokens_out: sumTokens(all.counts, OUTPUT_TOKEN_KINDS),
    units: all.units,
    cost_usd: all.cost_usd,
  });
  for (const kind of UNIT_KINDS)
    expect(series.reduce((sum, each) => sum + (each.total.units[kind] ?? 0), 0)).toBe(all.counts[kind] ?? 0);
});

test('margins and reconciliation say what upstreams charge, as they reported it or as it is worked out', async () => {
  const isReported = ({ event, upstreamCostPico }: Posting) =>
    event.upstream_cost_pico !== undefined && BigInt(event.upstream_cost_pico) === upstreamCostPico;
  const reported = postings.filter(isReported).length;
  expect(reported).toBeGreaterThan(20);
  expect(reported).toBeLessThan(postings.length - 20);
  const cost = postings.reduce((sum, { upstreamCostPico }) => sum + (upstreamCostPico ?? 0n), 0n);
  for (const groupBy of MARGIN_GROUPS) {
    const { groups, total } = await readMargins(environment.database, { groupBy });
    expect(total).toMatchObject({
      requests: postings.length,
      requests_of_unknown_cost: 0,
      revenue_usd: formatUsd(booked()),
      upstream_cost_usd: formatUsd(cost),
      margin_usd: formatUsd(booked() - cost),
    });
    const ofGroups = groups.reduce((sum, group) => sum + parseUsd(group.upstream_cost_usd), 0n);
    expect(ofGroups).toBe(cost);
  }
  const rows = await ourUsage(environment.database.manager, {
    upstream: 'east',
    timeZone: 'UTC',
    firstDay: new Date(now - 46 * DAY_MS).toISOString().slice(0, 10),
    lastDay: new Date(now).toISOString().slice(0, 10),
    inputIncludesCached: true,
    asOf: 1_000,
  });
  const sum = (figure: 'requests' | 'amount_pico' | 'input_tokens' | 'output_tokens') =>
    rows.reduce((all, row) => all + (row[figure] ?? 0n), 0n);
  const { counts } = addUp(postings);
  expect(sum('requests')).toBe(BigInt(postings.length));
  expect(sum('amount_pico')).toBe(cost);
  expect(sum('input_tokens')).toBe(BigInt(sumTokens(counts, INPUT_TOKEN_KINDS)));
  expect(sum('output_tokens')).toBe(BigInt(sumTokens(counts, OUTPUT_TOKEN_KINDS)));
});

test('a review keeps the lines that were reported', async () => {
  const reviews = await query<{ event: { reported_lines: unknown }; request_id: string }>(
    'SELECT request_id, event FROM billing.usage_review',
  );
  expect(reviews.length).toBe(postings.filter(({ reported }) => reported).length);
  for (const { request_id, event } of reviews)
    expect(event.reported_lines).toEqual(
      postings.find((each) => each.event.request_id === request_id)?.reported,
    );
});

test('a request of unknown cost is one, whichever of its lines nobody knows the cost of', async () => {
  const upstream = 'west';
  const terms = { prices: snapshot.catalogue.models[0]?.prices };
  const knowsOne = snapshotOfUnits();
  knowsOne.catalogue.upstreams = [
    upstreamSchema.parse({
      name: upstream,
      base_url: 'https://west.example',
      protocols: ['openai-chat'],
      costs: { m: terms },
    }),
  ];
  const counts = { input: 1 };
  const posted = [['m'], ['m', 'drawing'], ['drawing', 'drawing'], ['drawing', 'drawing', 'm']].map(
    (models) => {
      const lines = models.map((model) => ({ model, counts }));
      const [model = ''] = models;
      const event = usageEvent({ model, upstream, lines, occurred_at: new Date(now).toISOString() });
      const result = computePosting(event, knowsOne);
      if (!result.ok) throw new Error(result.reason);
      return result.value;
    },
  );
  expect(posted.map(({ upstreamCostPico }) => upstreamCostPico === null)).toEqual([false, true, true, true]);
  await postBatch(environment.database, posted, []);
  for (const groupBy of MARGIN_GROUPS) {
    const { groups, total } = await readMargins(environment.database, { groupBy });
    const unknown = groups.map(({ requests_of_unknown_cost }) => requests_of_unknown_cost);
    expect([total.requests_of_unknown_cost, unknown.reduce((sum, of) => sum + of, 0)]).toEqual([3, 3]);
  }
  const day = new Date(now).toISOString().slice(0, 10);
  const rows = await ourUsage(environment.database.manager, {
    upstream,
    timeZone: 'UTC',
    firstDay: day,
    lastDay: day,
    inputIncludesCached: true,
    asOf: 1_000,
  });
  expect(rows.map((row) => [row.model, row.requests, row.requests_of_unknown_cost]).toSorted()).toEqual([
    ['drawing', 0n, 1n],
    ['m', 0n, 0n],
    ['m-upstream', 4n, 2n],
  ]);
});
