// A month that is taken out of the usage log while somebody reads all usage is read once, where it was or where it is.
import type { EntityManager } from 'typeorm';
import { at, NEXT, OLD, OldBooks } from '../../testing/old-books.ts';
import { usageRows } from './usage-rows.ts';

let books: OldBooks;
beforeEach(async () => {
  books = await OldBooks.start();
  await books.post({ cost: 7, occurred_at: at(OLD) }, { cost: 11, occurred_at: at(NEXT) });
  await books.closeBooks();
});
afterEach(() => books.environment.stop());

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
      const racing = {
        async query(sql: string, values?: unknown[]) {
          const answer: unknown = await manager.query(sql, values);
          if (sql.includes('billing_archive')) outcome ??= await detach();
          return answer;
        },
      } as EntityManager;
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
