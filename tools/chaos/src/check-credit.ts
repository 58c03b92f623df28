import type { Customer, CustomerEntry, Evidence, UsageRow } from './evidence.ts';
import type { Find } from './findings.ts';

const PICO_IN_MICRO = 1_000_000n;

/** Nobody spends what they do not have, nothing stays held, and Redis says what the books say. */
export function checkCredit(evidence: Evidence, find: Find): void {
  const entries = Map.groupBy(evidence.entries, ({ accountId }) => accountId);
  checkEntries(evidence, find);
  for (const customer of evidence.customers) {
    if (customer.mode === 'prepaid')
      checkPrepaid(customer, entries.get(customer.accountId) ?? [], evidence, find);
    if (customer.budget !== undefined) checkBudget(customer, customer.budget, evidence, find);
  }
  for (const hold of evidence.openHolds) find('holds are left though nothing is under way', hold);
  for (const { scope, left, held } of evidence.credit) {
    if (held !== 0n) find('credit is held though nothing is under way', `${scope}: ${held}`);
    const booked = bookedIn(scope, evidence);
    if (booked !== undefined && booked !== left)
      find('Redis says something else is left than the books', `${scope}: ${left}, not ${booked}`);
  }
}

/** The customer's entry of a transaction is what the rows of its numbers cost. */
function checkEntries({ rows, entries }: Evidence, find: Find): void {
  const byNumber = Map.groupBy(rows, ({ number }) => number);
  const booked = new Set<UsageRow>();
  for (const { firstNumber, number, accountId, amount, isOfRequests } of entries) {
    if (!isOfRequests) continue;
    const numbers = Array.from({ length: number - firstNumber + 1 }, (_, index) => firstNumber + index);
    const billed = numbers.flatMap((each) => byNumber.get(each) ?? []);
    const cost = billed.reduce((sum, row) => (row.accountId === accountId ? sum + row.cost : sum), 0n);
    for (const row of billed) if (row.accountId === accountId) booked.add(row);
    if (billed.length === 0) find('the ledger took money for what is no request', `${number}: ${-amount}`);
    else if (amount !== -cost)
      find('usage rows cost something else than the ledger says', `${number}: ${cost}, not ${-amount}`);
  }
  for (const row of rows)
    if (row.cost !== 0n && !booked.has(row))
      find('usage rows cost something else than the ledger says', `${row.requestId}: ${row.cost}, not 0`);
}

/** Never below zero, at no number of the journal, but by what was under way when Redis lost its data. */
function checkPrepaid(
  { name, accountId }: Customer,
  entries: readonly CustomerEntry[],
  evidence: Evidence,
  find: Find,
): void {
  const allowance = unseen(evidence, (row) => row.accountId === accountId);
  let balance = 0n;
  for (const { number, amount } of entries.toSorted((a, b) => a.number - b.number)) {
    balance += amount;
    if (balance < -allowance) {
      find('prepaid accounts were below zero', `${name} at number ${number}: ${balance} pico-USD`);
      return;
    }
  }
}

function checkBudget({ name, keyId }: Customer, budget: bigint, evidence: Evidence, find: Find): void {
  const allowance = unseen(evidence, (row) => row.keyId === keyId);
  const spent = evidence.rows.reduce((sum, row) => (row.keyId === keyId ? sum + row.cost : sum), 0n);
  if (spent > budget + allowance)
    find('keys spent more than their budgets', `${name}: ${spent} of ${budget} pico-USD`);
}

/** The cost of requests that were under way, or not yet in the books, when Redis lost what it knew of them. */
function unseen(evidence: Evidence, of: (row: Evidence['rows'][number]) => boolean): bigint {
  const sent = new Map(evidence.receipts.map(({ requestId, sentMs }) => [requestId, sentMs]));
  let sum = 0n;
  for (const row of evidence.rows) {
    const sentMs = sent.get(row.requestId) ?? row.occurredMs;
    if (of(row) && evidence.redisLossesMs.some((atMs) => sentMs <= atMs && row.postedMs >= atMs))
      sum += row.cost;
  }
  return sum;
}

/** What is left in a scope by the books, in whole micro-USD, rounded down; undefined for scopes of no customer. */
function bookedIn(scope: string, { customers, entries, rows }: Evidence): bigint | undefined {
  const [kind, id, window] = scope.split(':');
  if (kind === 'account' && customers.some(({ accountId, mode }) => accountId === id && mode === 'prepaid'))
    return floor(entries.reduce((sum, each) => (each.accountId === id ? sum + each.amount : sum), 0n));
  const budget = customers.find(({ keyId }) => keyId === id)?.budget;
  if (kind !== 'key' || window !== 'total' || budget === undefined) return undefined;
  return floor(budget - rows.reduce((sum, row) => (row.keyId === id ? sum + row.cost : sum), 0n));
}

const floor = (pico: bigint): bigint => {
  const down = pico / PICO_IN_MICRO;
  return pico < 0n && down * PICO_IN_MICRO !== pico ? down - 1n : down;
};
