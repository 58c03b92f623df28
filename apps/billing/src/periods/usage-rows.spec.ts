// A month that is taken out of the usage log, or dropped, while somebody reads all usage is read once, where it was or where it is.
import type { EntityManager } from 'typeorm';
import { at, NEXT, OLD, OldBooks } from '../../testing/old-books.ts';
import { completeAudit } from '../../testing/complete-audit.ts';
import { requireAttached } from '../usage/detached-months.ts';
import { dropSlice, runDrop } from '../usage/drop-partition.ts';
import { usageRows, usageSums } from './usage-rows.ts';

let books: OldBooks;
beforeEach(async () => {
  books = await OldBooks.start();
  await books.post({ cost: 7, occurred_at: at(OLD) }, { cost: 11, occurred_at: at(NEXT) });
  await books.closeBooks();
});
afterEach(() => books.environment.stop());

/** A reader that something happens to once it has listed the months of the archive. */
const afterList = (manager: EntityManager, happens: () => Promise<unknown>): EntityManager => {
  let happened: Promise<unknown> | undefined;
  return {
    async query(sql: string, values?: unknown[]) {
      const answer: unknown = await manager.query(sql, values);
      if (sql.includes('billing_archive')) await (happened ??= happens());
      return answer;
    },
  } as EntityManager;
};
const readNumbers = async (manager: Pick<EntityManager, 'query'>): Promise<string[]> => {
  const rows = await usageRows(manager, ['number']);
  const found = (await manager.query(`${rows} ORDER BY number`)) as { number: string }[];
  return found.map(({ number }) => number);
};
const detach = () =>
  books.detach().then(
    () => 'detached',
    () => 'refused',
  );

test.each(['READ COMMITTED', 'REPEATABLE READ'] as const)(
  'between the list of months and their rows, %s',
  async (level) => {
    const { database } = books.environment;
    await database.transaction(level, async (manager) => {
      let outcome: string | undefined;
      const racing = afterList(manager, async () => (outcome = await detach()));
      expect(await readNumbers(racing)).toEqual(['1', '2']);
      expect(outcome).toBe('refused');
    });
    expect(await detach()).toBe('detached');
    expect(await readNumbers(database)).toEqual(['1', '2']);
  },
);

test('after a snapshot was taken, and before the months are listed', async () => {
  await books.environment.database.transaction('REPEATABLE READ', async (manager) => {
    await manager.query('SELECT FROM billing.journal');
    expect(await detach()).toBe('detached');
    expect(await readNumbers(manager)).toEqual(['1', '2']);
  });
});

describe('while its drop ends,', () => {
  const readCost = async (manager: EntityManager): Promise<unknown> => {
    const sums = await usageSums(manager, ['cost_pico']);
    return manager.query(`SELECT sum(cost_pico)::int AS cost FROM (${sums}) AS u`);
  };
  const drop = () => runDrop(books.environment.database, OLD);
  const end = () =>
    books.environment.database
      .transaction((manager) => dropSlice(manager, OLD, 10))
      .then(
        () => 'ended',
        () => 'refused',
      );
  beforeEach(async () => {
    await books.detach();
    await completeAudit(books.environment.database);
    await books.begin();
  });

  test.each(['READ COMMITTED', 'REPEATABLE READ'] as const)(
    'between the list of months and their rows, %s',
    async (level) => {
      const { database } = books.environment;
      await database.transaction((manager) => dropSlice(manager, OLD, 10));
      await database.transaction(level, async (manager) => {
        let outcome: string | undefined;
        const racing = afterList(manager, async () => (outcome = await end()));
        expect(await readCost(racing)).toEqual([{ cost: 18 }]);
        expect(outcome).toBe('refused');
      });
      expect(await end()).toBe('ended');
      expect(await readCost(database.manager)).toEqual([{ cost: 18 }]);
    },
  );

  test('between the look at a month that was taken out and its rows', async () => {
    const { database } = books.environment;
    await database.transaction((manager) => dropSlice(manager, OLD, 10));
    await database.transaction(async (manager) => {
      let outcome: string | undefined;
      const racing = afterList(manager, async () => (outcome = await end()));
      await expect(requireAttached(racing, {})).rejects.toMatchObject({
        response: { error: { code: 'month_detached' } },
      });
      expect(outcome).toBe('refused');
    });
  });

  test('after a snapshot was taken that has neither its rows nor what they came to', async () => {
    const { database } = books.environment;
    const read = (level: 'READ COMMITTED' | 'REPEATABLE READ') =>
      database.transaction(level, async (manager) => {
        await manager.query('SELECT FROM billing.journal');
        await drop();
        return readCost(manager);
      });
    await expect(read('REPEATABLE READ')).rejects.toMatchObject({
      response: { error: { code: 'service_busy' } },
    });
    expect(await read('READ COMMITTED')).toEqual([{ cost: 18 }]);
  });
});
