import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EXPORT_KINDS, type ExportKind } from '@tollgate/api';
import { waitFor } from '@tollgate/harness';
import { parseUsd } from '@tollgate/money';
import { type Pair, type RunningBilling, startPair } from '../../testing/billing-service.ts';
import { SYNTHETIC_ACCOUNTS, syntheticSpan, fillSyntheticLedger } from '../../testing/synthetic-ledger.ts';
import { type At, countOpenFiles, download, exported } from '../../testing/exports.ts';
import type { TestEnvironment } from '../../testing/test-environment.ts';
import { addPerson, call, signIn } from '../../testing/people.ts';
import { readPrices } from '../../testing/pricing-process.ts';
import { snapshotWith, usageEvent } from '../../testing/usage-events.ts';
import { postBatch } from '../usage/post-batch.ts';
import { computePosting } from '../usage/posting.ts';

/** For what runs several exports, on a machine that has other work as well. */
const LONG_MS = 120_000;
/** So that three of them leave half of a processor to what is read meanwhile. */
const WRITER_PAUSE_MS = 20;
const span = syntheticSpan(100);

let pair: Pair;
let environment: TestEnvironment;
let billing: RunningBilling;
let directory: string;
let finance: At;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'tollgate-exports-'));
  pair = await startPair(() => Promise.resolve({ EXPORT_DIR: directory }));
  ({ environment, billing } = pair);
  await fillSyntheticLedger(environment.database, 100);
  await addPerson(environment, 'finance@billing.example', 'finance');
  finance = { url: billing.url, cookie: await signIn(billing.url, 'finance@billing.example') };
}, 120_000);
afterAll(async () => {
  await pair.stop();
  rmSync(directory, { recursive: true, force: true });
});

describe('a file', () => {
  let job: { id: string };
  let whole: Buffer;
  beforeAll(async () => {
    ({ job } = await exported(finance, { kind: 'usage', format: 'csv', ...syntheticSpan(100) }));
    whole = (await download(finance, job.id)).bytes;
  });

  test.each<[string, number, (bytes: Buffer) => Buffer, string]>([
    ['bytes=0-9', 206, (bytes) => bytes.subarray(0, 10), 'bytes 0-9/'],
    ['bytes=100-', 206, (bytes) => bytes.subarray(100), 'bytes 100-'],
    ['bytes=-7', 206, (bytes) => bytes.subarray(-7), 'bytes '],
    ['bytes=99999999-', 416, (bytes) => bytes.subarray(0, 0), 'bytes */'],
    ['lines=1-2', 200, (bytes) => bytes, ''],
  ])('answers the range %s with %i', async (range, status, expected, contentRange) => {
    const answer = await download(finance, job.id, 1, { range });
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-range') ?? '').toContain(contentRange);
    if (status !== 416) expect(answer.bytes.equals(expected(whole))).toBe(true);
  });

  test('is sent whole when the range was asked of another one', async () => {
    const { headers } = await download(finance, job.id);
    const of = (etag: string) => download(finance, job.id, 1, { range: 'bytes=0-9', 'if-range': etag });
    expect((await of(headers.get('etag') ?? '')).status).toBe(206);
    expect((await of('"another"')).status).toBe(200);
  });

  test('is closed again where it cannot be noted who takes it', async () => {
    const { database } = environment;
    await database.query(
      `ALTER TABLE billing.audit_log ADD CONSTRAINT no_download CHECK (action <> 'export.download') NOT VALID`,
    );
    expect((await download(finance, job.id)).status).toBe(500);
    await database.query('ALTER TABLE billing.audit_log DROP CONSTRAINT no_download');
    await waitFor(
      () => Promise.resolve(countOpenFiles(join(directory, job.id)) === 0),
      'the file to be closed',
    );
  });

  test('that is not there is said to be so', async () => {
    expect((await download(finance, job.id, 2)).status).toBe(404);
    rmSync(join(directory, job.id), { recursive: true });
    expect((await download(finance, job.id)).status).toBe(410);
  });
});

test.each([
  [{ kind: 'usage', format: 'csv', from: span.to, to: span.from }, 'to'],
  [{ kind: 'ledger', format: 'csv', ...span, model: 'model-1' }, 'model'],
  [{ kind: 'ledger', format: 'csv', ...span, key_id: SYNTHETIC_ACCOUNTS[0] }, 'key_id'],
  [{ kind: 'invoices', format: 'csv', ...span }, 'kind'],
])('%j is refused, and %s is named', async (body, param) => {
  const { status, body: answer } = await call(finance, 'POST', '/api/exports', body);
  expect([status, answer]).toMatchObject([400, { error: { param } }]);
});

test('an export that is done cannot be cancelled', async () => {
  const { job } = await exported(finance, { kind: 'usage', format: 'csv', ...syntheticSpan(1) });
  expect((await call(finance, 'DELETE', `/api/exports/${job.id}`)).status).toBe(409);
  expect(readdirSync(join(directory, job.id)).sort()).toEqual(['manifest.json', 'part-00001.csv']);
});

test.each(['kind', 'status', 'rows', 'size', 'asked'] as const)(
  'exports in the order of %s come in pages that join, either way round',
  async (sort) => {
    await exported(finance, { kind: 'ledger', format: 'csv', ...syntheticSpan(1) });
    type Listed = { id: string; kind: string; status: string; bytes: number; created_at: string } & {
      rows: { done: number };
    };
    const ask = async (query: string) =>
      (await call<{ items: Listed[] }>(finance, 'GET', `/api/exports?${query}`)).body.items;
    const figure = { kind: 0, status: 0, rows: 1, size: 1, asked: 0 }[sort];
    const of = (job: Listed): string | number =>
      ({ kind: job.kind, status: job.status, rows: job.rows.done, size: job.bytes, asked: job.created_at })[
        sort
      ];
    for (const [minus, sign] of [
      ['', 1],
      ['-', -1],
    ] as const) {
      const whole = await ask(`sort=${minus}${sort}&limit=200`);
      const pages = await Promise.all(
        [0, 1, 2].map((at) => ask(`sort=${minus}${sort}&limit=1&offset=${at}`)),
      );
      expect(pages.flat().map(({ id }) => id)).toEqual(whole.slice(0, 3).map(({ id }) => id));
      const values = whole.map(of);
      const compare = (a: string | number, b: string | number) => (a < b ? -sign : Number(a > b) * sign);
      expect(values).toEqual(values.toSorted(compare));
      expect([typeof values[0], new Set(values).size > 1 || sort === 'status']).toEqual([
        figure ? 'number' : 'string',
        true,
      ]);
    }
  },
);

test('who has ten exports that are not finished waits for one of them', async () => {
  await addPerson(environment, 'busy@billing.example', 'admin');
  const busy = { url: billing.url, cookie: await signIn(billing.url, 'busy@billing.example') };
  await environment.database.query(
    `INSERT INTO billing.export_job (id, kind, format, audience, booked_from, booked_to, watermark, part_rows,
       provider_name, requested_by, not_before)
     SELECT ('0198f1c2-7d1e-7000-9000-' || lpad(n::text, 12, '0'))::uuid, 'usage', 'csv', 'books', now(),
       now() + interval '1 day', 0, 1, 'Tollgate', 'busy@billing.example', 'infinity' FROM generate_series(1, 10) AS n`,
  );
  const params = { kind: 'usage', format: 'csv', ...span };
  expect((await call(busy, 'POST', '/api/exports', params)).status).toBe(429);
  expect((await call(busy, 'DELETE', '/api/exports/0198f1c2-7d1e-7000-9000-000000000001')).status).toBe(204);
  expect((await call(busy, 'POST', '/api/exports', params)).status).toBe(202);
});

describe('a member', () => {
  let member: At;
  let accountId: string;
  beforeAll(async () => {
    const person = await addPerson(environment, 'member@billing.example', 'member');
    accountId = person.account_id;
    member = { url: billing.url, cookie: await signIn(billing.url, 'member@billing.example') };
    const posting = computePosting(usageEvent({ account_id: accountId }), snapshotWith({ input: 7 }, '1'));
    if (!posting.ok) throw new Error(posting.reason);
    await postBatch(environment.database, [posting.value], []);
  });

  const params = { kind: 'usage', format: 'jsonl', from: '2026-11-01T00:00:00Z', to: '2026-12-01T00:00:00Z' };

  test(
    'has the usage of the own account, without what upstreams are and charge',
    async () => {
      const { job, manifest } = await exported(member, params);
      const rows = (await download(member, job.id)).bytes.toString().trim().split('\n');
      expect(rows).toHaveLength(1);
      const row = JSON.parse(rows[0] ?? '') as Record<string, unknown>;
      expect(row).toMatchObject({ account_id: accountId, tokens_input: 3, cost_usd: '0.000000000021' });
      for (const name of ['pool', 'upstream', 'upstream_model', 'upstream_cost_usd'])
        expect(row).not.toHaveProperty(name);
      expect(manifest.sums).not.toHaveProperty('upstream_cost_pico');
    },
    LONG_MS,
  );

  test.each([
    { ...params, kind: 'ledger' },
    { ...params, kind: 'focus' },
    { ...params, account_id: SYNTHETIC_ACCOUNTS[0] },
  ])('is refused %j', async (body) => {
    expect((await call(member, 'POST', '/api/exports', body)).status).toBe(403);
  });

  test(
    'sees only what members of the account asked for',
    async () => {
      const { job: own } = await exported(member, params);
      const { job: ours } = await exported(finance, { ...params, account_id: accountId });
      const list = await call<{ items: { id: string }[] }>(member, 'GET', '/api/exports');
      const ids = list.body.items.map(({ id }) => id);
      expect(ids).toContain(own.id);
      expect(ids).not.toContain(ours.id);
      for (const path of ['', '/file', '/manifest'])
        expect((await call(member, 'GET', `/api/exports/${ours.id}${path}`)).status).toBe(404);
      expect((await call(member, 'DELETE', `/api/exports/${ours.id}`)).status).toBe(404);
      expect((await call(finance, 'GET', `/api/exports/${own.id}`)).status).toBe(200);
    },
    LONG_MS,
  );
});

describe('while three writers post', () => {
  const december = { from: '2026-12-01T00:00:00Z', to: '2027-01-01T00:00:00Z' };
  const accountId = SYNTHETIC_ACCOUNTS[0];
  const writing = new AbortController();
  let batches = 0;
  let writers: Promise<unknown>;

  beforeAll(async () => {
    const snapshot = await readPrices(billing.config);
    const { groups, models } = snapshot.catalogue;
    const ofCatalogue = { group: groups[0]?.name ?? '', model: models[0]?.name ?? '' };
    let made = 0;
    const post = async () => {
      while (!writing.signal.aborted) {
        const batch = Array.from({ length: 10 }, () => {
          made += 1;
          const occurred_at = new Date(Date.parse(december.from) + made * 10_000).toISOString();
          const tokens = { input: made, output: 5 };
          const event = usageEvent({ ...ofCatalogue, account_id: accountId, occurred_at, tokens });
          const posting = computePosting(event, snapshot);
          if (!posting.ok) throw new Error(posting.reason);
          return posting.value;
        });
        await postBatch(environment.database, batch, []);
        batches += 1;
        await sleep(WRITER_PAUSE_MS);
      }
    };
    writers = Promise.all([post(), post(), post()]);
  });
  afterAll(async () => {
    writing.abort();
    await writers;
  });

  type Row = Readonly<Record<string, string | number>>;
  const sumUsd = (rows: readonly Row[], name: string) =>
    rows.reduce((sum, row) => sum + parseUsd(String(row[name])), 0n);
  /** Requests of the books, each as its number, what it cost in pico-USD, and its tokens. */
  type Booked = readonly (readonly [number: number, costPico: bigint, tokens: number])[];
  const sumCosts = (booked: Booked) => booked.reduce((sum, [, costPico]) => sum + costPico, 0n);

  const requireSame: Readonly<Record<ExportKind, (rows: readonly Row[], booked: Booked) => void>> = {
    usage(rows, booked) {
      const cost = (row: Row) => parseUsd(String(row['cost_usd']));
      const tokens = (row: Row) => Number(row['tokens_input']) + Number(row['tokens_output']);
      expect(rows.map((row) => [row['number'], cost(row), tokens(row)])).toEqual(booked);
    },
    ledger(rows, booked) {
      const ofCustomer = rows.filter((row) => row['ledger_account'] === `customer:${accountId}`);
      expect(ofCustomer.length).toBeLessThan(booked.length);
      const numbersOf = ({ first_number, number }: Row) => {
        const first = Number(first_number);
        return Array.from({ length: Number(number) - first + 1 }, (_, place) => first + place);
      };
      expect(ofCustomer.flatMap(numbersOf)).toEqual(booked.map(([number]) => number));
      expect(sumUsd(ofCustomer, 'amount_usd')).toBe(-sumCosts(booked));
      expect(sumUsd(rows, 'amount_usd')).toBe(0n);
    },
    focus(rows, booked) {
      expect(sumUsd(rows, 'BilledCost')).toBe(sumCosts(booked));
      expect(rows.reduce((sum, row) => sum + Number(row['x_TokenCount']), 0)).toBe(
        booked.reduce((sum, [, , tokens]) => sum + tokens, 0),
      );
    },
  };

  test.each(EXPORT_KINDS)(
    'an export of %s has what the books had at its watermark',
    async (kind) => {
      const before = batches;
      await waitFor(() => batches > before + 2, 'some batches before an export');
      const body = { kind, format: 'jsonl', ...december, account_id: accountId };
      const { job, manifest } = await exported(finance, body);
      const rows = (await download(finance, job.id)).bytes.toString().trim().split('\n');
      const found: { number: string; cost_pico: string; tokens: string; last_number: string }[] =
        await environment.database.query(
          `SELECT number, cost_pico, tokens_input + tokens_output AS tokens, last_number FROM billing.usage, billing.journal
           WHERE number <= $1 AND account_id = $2 AND booked_at >= $3 ORDER BY number`,
          [manifest.watermark, accountId, december.from],
        );
      requireSame[kind](
        rows.map((row) => JSON.parse(row) as Row),
        found.map((row) => [Number(row.number), BigInt(row.cost_pico), Number(row.tokens)]),
      );
      expect(Number(found[0]?.last_number)).toBeGreaterThan(manifest.watermark);
    },
    LONG_MS,
  );
});
