// Proves: a gateway whose clock is wrong, by minutes or by centuries, serves its callers, and what it serves is in the books
// at the moment at which it happened.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Books, openBooks } from '../../books.ts';
import { GOOD } from '../../call.ts';
import { type HostileArea, type HostileCase, must } from '../area.ts';
import { send } from '../send.ts';

const SECOND = 1_000;
const DAY = 86_400 * SECOND;
const YEAR = 365.25 * DAY;

const SHIFTS: Readonly<Record<string, number>> = {
  'ten minutes ahead': 600 * SECOND,
  'ten minutes behind': -600 * SECOND,
  'a day ahead': DAY,
  'a day behind': -DAY,
  'a month ahead': 31 * DAY,
  'a month behind': -31 * DAY,
  'ten years ahead': 10 * YEAR,
  'ten years behind': -10 * YEAR,
  'in 1970': DAY - Date.now(),
  'in 2099': Date.UTC(2099, 0) - Date.now(),
};

/** What is measured on the way, and what a clock may be wrong by before anybody looks. */
const ALLOWED_MS = 90 * SECOND;

export const gatewayClock: HostileArea = {
  name: 'clocks/gateway',
  proves: 'the clock of a gateway is not believed',
  // There is one clock.
  atOnce: 1,
  cases: ({ at, control }) =>
    Object.entries(SHIFTS).flatMap(([name, shiftMs]) =>
      [false, true].map((stream): HostileCase => ({
        name: `${name}, ${stream ? 'a stream' : 'a whole answer'}`,
        async run() {
          if (!control) throw new Error('this area needs a stack of its own');
          const books = openBooks(at.databaseUrl);
          try {
            await control.shiftClock(shiftMs);
            const sentMs = Date.now();
            const { status, headers, text } = await send(control.url, GOOD.chat.path, {
              headers: { authorization: `Bearer ${at.apiKey}` },
              body: { ...GOOD.chat.body, stream },
            });
            must(status === 200, () => `${status} ${text.slice(0, 200)}`);
            await control.shiftClock(0);
            const id = String(headers['x-request-id']);
            const occurredMs = await momentOf(books, id);
            must(occurredMs !== undefined, () => `${id} is not in the books`);
            must(
              Math.abs((occurredMs ?? 0) - sentMs) <= ALLOWED_MS,
              () => `${id} is booked at ${new Date(occurredMs ?? 0).toISOString()}`,
            );
          } finally {
            await control.shiftClock(0);
            await books.close();
          }
        },
      })),
    ),
};

async function momentOf(books: Books, id: string): Promise<number | undefined> {
  const sql = `SELECT (extract(epoch FROM max(occurred_at)) * 1000)::text AS ms FROM billing.usage WHERE request_id = $1`;
  for (let turn = 0; turn < 100; turn += 1) {
    const row = (await books.one(sql, [id])) as { readonly ms: string | null };
    if (row.ms !== null) return Number(row.ms);
    await sleep(100);
  }
  return undefined;
}
