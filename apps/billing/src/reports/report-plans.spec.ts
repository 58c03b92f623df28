// What is worked out of the log of a span by other prices, or beside an upstream's invoice, in books that the planner believes to
// have a hundred million requests.
import { LAST, type LargeBooks, ROWS_A_MONTH, startLargeBooks } from '../../testing/large-books.ts';
import { sumWork } from '../../testing/plans.ts';
import { ourUsage } from '../reconciliation/our-usage.ts';
import { sumRequests } from '../requests/request-totals.ts';
import { rerate } from '../rerate/rerate.ts';

let books: LargeBooks;
beforeAll(async () => {
  books = await startLargeBooks();
}, 240_000);
afterAll(() => books.stop());

const DAYS = 5;
/** An index of blocks finds some rows beside those of the time. */
const OF_DAYS = (ROWS_A_MONTH / 28) * (DAYS + 2);

test.each(['everybody', 'an account', 'a model'])(
  'a re-rating of some days of %s reads these days',
  async (whose) => {
    const [from, to] = ['05', '10'].map((day) => `${books.months[1]}-${day}T00:00:00Z`) as [string, string];
    const range = {
      from,
      to,
      accountId: whose === 'an account' ? books.accountId : undefined,
      model: whose === 'a model' ? 'acme-code' : undefined,
    };
    books.explainer.ran();
    const news: unknown[] = [];
    const reading = rerate(books.explainer.database, range, () => () => 1n, new AbortController().signal);
    for await (const line of reading) news.push(line);
    const ran = books.explainer.ran();
    expect(news.at(-1)).toMatchObject({ total: { unpriced_requests: 0 } });
    const [count, rows] = [/SELECT count/, /SELECT account_id/].map((of) =>
      sumWork(ran.filter(({ statement }) => of.test(statement))),
    );
    for (const work of [count, rows]) {
      expect(work?.rows.log).toBeGreaterThan(0);
      expect(work?.rows.log).toBeLessThan(OF_DAYS);
      expect([work?.whole, work?.sorted]).toEqual([[], 0]);
    }
  },
);

test.each(['everybody', 'an account'])(
  'requests of some days of %s are added up from these days',
  async (whose) => {
    const [from, to] = ['05', '10'].map((day) => `${books.months[1]}-${day}T00:00:00Z`);
    books.explainer.ran();
    const { requests } = await sumRequests(books.explainer.database, {
      from,
      to,
      accountId: whose === 'an account' ? books.accountId : undefined,
    });
    const { rows, whole } = sumWork(books.explainer.ran());
    expect(requests).toBeGreaterThan(50);
    expect(whole).toEqual([]);
    expect(rows.log).toBeLessThan(OF_DAYS);
  },
);

test("our usage of an invoice's days reads these days", async () => {
  const question = {
    upstream: 'east',
    timeZone: 'UTC',
    firstDay: `${books.months[1]}-05`,
    lastDay: `${books.months[1]}-09`,
    inputIncludesCached: false,
    asOf: LAST,
  };
  books.explainer.ran();
  const days = await ourUsage(books.explainer.database.manager, question);
  const { rows, whole, sorted } = sumWork(books.explainer.ran());
  expect(new Set(days.map(({ day }) => day)).size).toBe(DAYS);
  expect(whole).toEqual([]);
  // One more on either side.
  expect(rows.log).toBeLessThan(OF_DAYS);
  expect(sorted).toBeLessThan(OF_DAYS);
});
