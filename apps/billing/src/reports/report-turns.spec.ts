import fc from 'fast-check';
import { createReportTurns } from './report-turns.ts';

const person = (user: number, account: number) => ({ user_id: `u${user}`, account_id: `a${account}` });
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('a person waits for their own reports, and not for those of another account', async () => {
  const turns = createReportTurns({ perPerson: 1, perAccount: 2, waiting: 1 });
  const end = await turns.take(person(1, 1));
  let begun = false;
  const second = turns.take(person(1, 1)).then((endSecond) => {
    begun = true;
    return endSecond;
  });
  await expect(turns.take(person(1, 1))).rejects.toMatchObject({ status: 429 });
  (await turns.take(person(2, 2)))();
  await settled();
  expect(begun).toBe(false);
  end();
  (await second)();
  expect(begun).toBe(true);
});

test('however reports come and end, no bound is passed, nobody is forgotten, and nothing is left', async () => {
  const limits = { perPerson: 2, perAccount: 3, waiting: 1_000 };
  const asked = fc.array(fc.record({ user: fc.nat(4), account: fc.nat(2), ends: fc.nat(3) }), {
    maxLength: 60,
  });
  await fc.assert(
    fc.asyncProperty(asked, async (reports) => {
      const turns = createReportTurns(limits);
      const running = new Map<string, number>();
      const max = new Map<string, number>();
      const count = (id: string, by: number) => {
        const now = (running.get(id) ?? 0) + by;
        running.set(id, now);
        max.set(id, Math.max(now, max.get(id) ?? 0));
      };
      await Promise.all(
        reports.map(async ({ user, account, ends }) => {
          const reader = person(user + account * 10, account);
          await turns.part(reader, async () => {
            for (const id of Object.values(reader)) count(id, 1);
            for (let turn = 0; turn < ends; turn += 1) await settled();
            for (const id of Object.values(reader)) count(id, -1);
          });
        }),
      );
      expect([...running.values()].every((left) => left === 0)).toBe(true);
      for (const [id, highest] of max)
        expect(highest).toBeLessThanOrEqual(id.startsWith('u') ? limits.perPerson : limits.perAccount);
    }),
    { numRuns: 50 },
  );
});

test('a report that fails gives its turn back', async () => {
  const turns = createReportTurns({ perPerson: 1, perAccount: 1, waiting: 1 });
  await expect(turns.part(person(1, 1), () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  (await turns.take(person(1, 1)))();
});
