import { call } from '../../testing/people.ts';
import { at, NEXT, OLD, serveOldBooks, type ServedBooks } from '../../testing/old-books.ts';
import { type UsageReading, readUsage } from '../rerate/usage-rows.ts';
import { runDrop } from './drop-partition.ts';
import { requireAttached, requireUnread } from './detached-months.ts';

let served: ServedBooks;
let books: ServedBooks['books'];
let billing: ServedBooks['billing'];
let cookie: string;
beforeEach(async () => {
  served = await serveOldBooks();
  ({ books, billing, cookie } = served);
});
afterEach(() => served.stop());

const ask = async (from: string, to: string, of: object = {}) => {
  const body = { kind: 'usage', format: 'csv', from, to, ...of };
  const answer = await call<{ error?: { code: string } }>(
    { url: billing.url, cookie },
    'POST',
    '/api/exports',
    body,
  );
  return answer.body.error?.code ?? answer.status;
};

test('usage that was taken out of the log, or dropped, is not left out of an export silently', async () => {
  await books.post({ cost: 7, occurred_at: at(OLD, '15', '10:07') }, { cost: 9, occurred_at: at(NEXT) });
  await books.takeOut();
  const find = async () => [
    await ask(at(OLD, '01'), at(NEXT, '01')),
    await ask(at(OLD, '01'), at(NEXT, '20'), { kind: 'focus' }),
    await ask(at(OLD, '15', '10:05'), at(OLD, '15', '10:08')),
    await ask(at(OLD, '01'), at(NEXT, '20'), { kind: 'ledger' }),
    await ask(at(OLD, '01'), at(NEXT, '20'), { account_id: books.accounts[1] }),
    await ask(at(OLD, '15', '10:15'), at(NEXT, '20')),
    await ask(at(OLD, '01'), at(OLD, '15', '10:00')),
  ];
  const found = ['month_detached', 'month_detached', 'month_detached', 202, 202, 202, 202];
  expect(await find()).toEqual(found);
  await books.begin();
  await runDrop(books.environment.database, OLD);
  expect(await find()).toEqual(found);
});

test('margins and re-ratings of it say so, and those of other days are answered', async () => {
  await books.post({ cost: 7, occurred_at: at(OLD) }, { cost: 9, occurred_at: at(NEXT) });
  const show = (query: string) =>
    call<{ error?: { code: string }; total?: { requests: number } }>(
      { url: billing.url, cookie },
      'GET',
      `/api/finance/margins${query}`,
    ).then(({ body }) => body.error?.code ?? body.total?.requests);
  const read = async (from: string) => {
    const range = { from, to: at(NEXT, '20') };
    const count = async function* (reading: UsageReading) {
      yield await reading.count();
    };
    try {
      for await (const counted of readUsage(
        books.environment.database,
        range,
        new AbortController().signal,
        count,
      ))
        return counted;
    } catch (error) {
      return (error as { response: { error: { code: string } } }).response.error.code;
    }
  };
  const find = async () => [
    await show(''),
    await show(`?from=${at(OLD, '01')}`),
    await show(`?from=${at(NEXT, '01')}`),
    await read(at(OLD, '01')),
    await read(at(NEXT, '01')),
  ];
  expect(await find()).toEqual([2, 2, 1, 2, 1]);
  await books.takeOut();
  expect(await find()).toEqual(['month_detached', 'month_detached', 1, 'month_detached', 1]);
});

test('a month is not taken out under whoever reads it', async () => {
  await books.post({ cost: 7, occurred_at: at(OLD) });
  await books.closeBooks();
  await books.environment.database.transaction('REPEATABLE READ', async (manager) => {
    await requireAttached(manager, {});
    await expect(books.detach()).rejects.toMatchObject({ response: { error: { code: 'service_busy' } } });
  });
  await books.detach();
});

test('a month stays in the log while an export that is not finished has usage of it', async () => {
  await books.post({ cost: 7, occurred_at: at(OLD) });
  await books.closeBooks();
  const open = async (state: string, change = '') => {
    await books.query('DELETE FROM billing.export_job');
    await books.query(
      `INSERT INTO billing.export_job (id, kind, format, audience, booked_from, booked_to, watermark, part_rows,
         provider_name, requested_by, status, claimed_by, claimed_at, heartbeat_at)
       VALUES (gen_random_uuid(), 'usage', 'csv', 'books', $1, $2, 1, 1000, 'p', 'a@b.example', $3, gen_random_uuid(), now(), now())`,
      [at(OLD, '01'), at(NEXT, '01'), state],
    );
    if (change !== '') await books.query(`UPDATE billing.export_job SET ${change}`);
  };
  await open('running');
  await expect(books.detach()).rejects.toMatchObject({ response: { error: { code: 'month_exported' } } });
  for (const change of [
    `kind = 'ledger'`,
    `account_id = '${books.accounts[1]}'`,
    'watermark = 0',
    `booked_to = '${at(OLD, '02')}'`,
  ]) {
    await open('running', change);
    await books.environment.database.transaction((manager) => requireUnread(manager, OLD));
  }
  await open('done');
  expect(await books.detach()).toMatchObject({ rows: 1 });
});
