// The sources of exports are opened and read as a thread of an export does it, from books that the planner believes to have a hundred
// million requests: the first count, each page, and the groups of FOCUS.
import type { ExportFormat } from '@tollgate/api';
import type { PriceSnapshot } from '@tollgate/catalogue';
import {
  LAST,
  type LargeBooks,
  OWN_A_MONTH,
  ROWS_A_MONTH,
  startLargeBooks,
} from '../../testing/large-books.ts';
import { MODELS } from '../../testing/many-usage-rows.ts';
import { sumWork } from '../../testing/plans.ts';
import { snapshotWith } from '../../testing/usage-events.ts';
import type { ExportFilters, ExportPlan } from './export-job.ts';
import { focusSource } from './sources/focus.ts';
import { ledgerSource } from './sources/ledger.ts';
import type { ExportSource, Readers } from './sources/source.ts';
import { usageSource } from './sources/usage.ts';

let books: LargeBooks;
beforeAll(async () => {
  books = await startLargeBooks();
}, 240_000);
afterAll(() => books.stop());

const ALL: ExportFilters = { from: '-infinity', to: 'infinity', accountId: null, model: null, keyId: null };
const month = (index: number) => books.months.at(index) ?? '';
const ofMonth = (): ExportFilters => ({
  ...ALL,
  accountId: books.accountId,
  from: `${month(1)}-01T00:00:00Z`,
  to: `${month(2)}-01T00:00:00Z`,
});

const PART_ROWS = 1_000;
const toPlan = (kind: ExportPlan['kind'], format: ExportFormat, filters: ExportFilters): ExportPlan => ({
  id: '0198f1c2-7d1e-7000-8000-000000000099',
  kind,
  format,
  audience: 'books',
  filters,
  watermark: LAST,
  partRows: PART_ROWS,
  providerName: 'Tollgate',
});

const open = { usage: usageSource, ledger: ledgerSource };
/** As posting has priced the rows. */
const snapshot: PriceSnapshot = snapshotWith({ input: 2, output: 14 }, '1');
const [model] = snapshot.catalogue.models;
const models = [...MODELS, 'acme-rare'].flatMap((name) => (model ? [{ ...model, name }] : []));
const findSnapshot = () => Promise.resolve({ ...snapshot, catalogue: { ...snapshot.catalogue, models } });

async function openExplained(
  openSource: (readers: Readers) => Promise<ExportSource>,
): Promise<{ source: ExportSource; work: ReturnType<typeof sumWork> }> {
  const reader = await books.explainer.connect();
  books.explainer.ran();
  const source = await openSource([reader]);
  return { source, work: sumWork(books.explainer.ran()) };
}

/** What each page from behind a number on has the database do, and how many rows they have. */
async function readPages(source: ExportSource, afterKey: number) {
  let rows = 0;
  for await (const page of source.pages({ afterKey, partRows: PART_ROWS, rowsInPart: 0 })) rows += page.rows;
  return { rows, pages: books.explainer.ran().map((statement) => sumWork([statement])) };
}

const KINDS = ['usage', 'ledger'] as const;

test.each(KINDS)('the first count of the %s of a month of an account reads its own rows', async (kind) => {
  const { source, work } = await openExplained((readers) =>
    open[kind](readers, toPlan(kind, 'csv', ofMonth())),
  );
  const entries = kind === 'ledger' ? 4 * OWN_A_MONTH : 0;
  expect(source.total).toBe(kind === 'ledger' ? entries : OWN_A_MONTH);
  expect([work.whole, work.sorted]).toEqual([[], 0]);
  expect(work.rows.log).toBe(kind === 'usage' ? OWN_A_MONTH : 0);
  expect(work.rows.transactions).toBe(kind === 'ledger' ? OWN_A_MONTH : 0);
  expect(work.rows.entries).toBe(entries);
});

test.each(KINDS)(
  'the first count of all %s there is reads each row once, and sorts nothing',
  async (kind) => {
    const { source, work } = await openExplained((readers) => open[kind](readers, toPlan(kind, 'csv', ALL)));
    expect(source.total).toBe(kind === 'ledger' ? 4 * LAST : LAST);
    expect(work.sorted).toBe(0);
    expect(work.rows.log).toBeCloseTo(kind === 'usage' ? LAST : 0, 0);
    expect(work.rows.transactions).toBe(kind === 'ledger' ? LAST : 0);
    expect(work.rows.entries).toBe(kind === 'ledger' ? 4 * LAST : 0);
  },
);

const cases = KINDS.flatMap((kind) =>
  (['csv', 'jsonl', 'parquet'] as const).map((format) => [kind, format] as const),
);

test.each(cases)(
  'a page of %s as %s reads the rows of the page, and of a full file no more',
  async (kind, format) => {
    const after = LAST - 3_000;
    const { source } = await openExplained((readers) => open[kind](readers, toPlan(kind, format, ALL)));
    const { rows, pages } = await readPages(source, after);
    expect(rows).toBe(kind === 'ledger' ? 4 * 3_000 : 3_000);
    expect(pages.length).toBeGreaterThanOrEqual(3);
    for (const page of pages) {
      expect(page.whole).toEqual([]);
      // And the row behind, by which it is known that the last number is whole.
      expect(page.rows.log).toBeLessThanOrEqual(kind === 'usage' ? PART_ROWS + 1 : 0);
      expect(page.rows.transactions).toBeLessThanOrEqual(kind === 'ledger' ? PART_ROWS / 4 + 3 : 0);
      expect(page.rows.entries).toBeLessThanOrEqual(kind === 'ledger' ? PART_ROWS + 8 : 0);
      expect(page.sorted).toBeLessThanOrEqual(kind === 'ledger' && format === 'parquet' ? PART_ROWS : 0);
    }
  },
);

test.each(KINDS)('a page of the %s of an account passes over the numbers of the page', async (kind) => {
  const filters = { ...ALL, accountId: books.accountId };
  const { source } = await openExplained((readers) => open[kind](readers, toPlan(kind, 'csv', filters)));
  const { rows, pages } = await readPages(source, 2 * ROWS_A_MONTH);
  expect(rows).toBe(kind === 'ledger' ? 4 * OWN_A_MONTH : OWN_A_MONTH);
  const numbers = kind === 'usage' ? 4_096 : 1_024;
  for (const page of pages) {
    expect([page.whole, page.sorted]).toEqual([[], 0]);
    expect(page.rows.log + page.rows.transactions).toBeLessThanOrEqual(numbers + books.months.length);
    expect(page.rows.entries).toBeLessThanOrEqual(kind === 'ledger' ? 4 * OWN_A_MONTH : 0);
  }
});

test('FOCUS reads its rows for the prices and once more for the charges, and puts no others in order', async () => {
  const database = await books.explainer.connect();
  const { source, work } = await openExplained(([reader]) =>
    focusSource(reader, database, toPlan('focus', 'csv', ofMonth()), findSnapshot),
  );
  const { rows, pages } = await readPages(source, 0);
  expect(rows).toBeGreaterThan(OWN_A_MONTH / 2);
  const read = [work, ...pages].reduce((sum, each) => sum + each.rows.log, 0);
  // Otherwise one of the two would be there that nobody sees.
  expect(read).toBeGreaterThan(OWN_A_MONTH);
  for (const each of [work, ...pages]) {
    expect(each.whole).toEqual([]);
    expect(each.rows.log).toBeLessThanOrEqual(OWN_A_MONTH + 1);
    expect(each.sorted).toBeLessThanOrEqual(OWN_A_MONTH);
  }
});
