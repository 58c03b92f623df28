import { createHash } from 'node:crypto';
import { later, type LedgerEntry, type NewTransaction, type Posted } from './journal.ts';

/** An event that is posted with others of its account in one transaction, in which it has a number of its own. */
export interface LedgerEvent extends Pick<NewTransaction, 'accountId' | 'occurredAt' | 'entries'> {
  readonly kind: 'usage' | 'lost_attempt';
  /** What the digest of its transaction says of it, after its number. */
  readonly digested: string;
}

/** An event with its place in the books. */
export interface BookedEvent<E extends LedgerEvent = LedgerEvent> {
  readonly event: E;
  readonly number: number;
  /** ISO 8601: when it occurred, or the beginning of the open period if that is later. */
  readonly bookedAt: string;
}

/** Months of every time zone begin on one: what is booked in the same one is of the same month, wherever the account is. */
const QUARTER_MS = 15 * 60_000;

/**
 * One transaction for all events of a kind, an account and a quarter of an hour. It takes the numbers of its events, which
 * follow each other, and stands at the last of them; its entries are the sums of theirs, and its times the earliest.
 *
 * @param closed until when the books of accounts are closed.
 * @param first the number that the first event gets.
 */
export function sumEvents<E extends LedgerEvent>(
  events: readonly E[],
  closed: ReadonlyMap<string, string>,
  first: number,
): { readonly booked: BookedEvent<E>[]; readonly transactions: Posted[] } {
  const placed = events.map((event) => ({
    event,
    bookedAt: later(event.occurredAt, closed.get(event.accountId)),
  }));
  const groups = Map.groupBy(
    placed,
    ({ event: { kind, accountId }, bookedAt }) =>
      `${kind} ${accountId} ${Math.floor(Date.parse(bookedAt) / QUARTER_MS)}`,
  );
  const booked: BookedEvent<E>[] = [];
  const transactions: Posted[] = [];
  for (const group of groups.values()) {
    const ofGroup = group.map((each, index) => ({ ...each, number: first + booked.length + index }));
    booked.push(...ofGroup);
    transactions.push(sumGroup(ofGroup));
  }
  return { booked, transactions };
}

function sumGroup(group: readonly BookedEvent[]): Posted {
  const [one, last] = [group[0], group.at(-1)];
  if (!one || !last) throw new Error('a transaction of no events');
  const hash = createHash('sha256');
  for (const { event, number } of group) hash.update(`${number}\t${event.digested}\n`);
  return {
    number: last.number,
    numbers: group.length,
    bookedAt: earliest(group.map(({ bookedAt }) => bookedAt)),
    transaction: {
      kind: one.event.kind,
      accountId: one.event.accountId,
      occurredAt: earliest(group.map(({ event }) => event.occurredAt)),
      entries: sumEntries(group),
      digest: hash.digest('hex'),
    },
  };
}

function sumEntries(group: readonly BookedEvent[]): LedgerEntry[] {
  const sums = new Map<string, bigint>();
  for (const { event } of group)
    for (const { ledgerAccount, amountPico } of event.entries)
      sums.set(ledgerAccount, (sums.get(ledgerAccount) ?? 0n) + amountPico);
  return [...sums].map(([ledgerAccount, amountPico]) => ({ ledgerAccount, amountPico }));
}

function earliest(times: readonly string[]): string {
  let [first = ''] = times;
  let firstMs = Date.parse(first);
  for (const time of times) {
    const ms = Date.parse(time);
    if (ms >= firstMs) continue;
    first = time;
    firstMs = ms;
  }
  return first;
}
