import type { Customer, CustomerEntry, Evidence } from './evidence.ts';
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

/** The customer's entry of a request is its row's cost. */
function checkEntries({ rows, entries }: Evidence, find: Find): void {
  const booked = new Map(entries.map(({ requestId, amount }) => [requestId, amount]));
  const billed = new Set(rows.map(({ requestId }) => requestId));
  for (const { requestId, amount } of entries)
    if (requestId !== null && !billed.has(requestId))
      find('the ledger took money for what is no request', `${requestId}: ${-amount}`);
  for (const { requestId, cost } of rows) {
    const amount = booked.get(requestId) ?? 0n;
    if (amount !== -cost)
      find('usage rows cost something else than the ledger says', `${requestId}: ${cost}, not ${-amount}`);
  }
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
