import { checkCredit } from './check-credit.ts';
import type { Evidence, Receipt, Served, Tokens, UsageRow } from './evidence.ts';
import { exactPrice } from './exact-price.ts';
import { createFindings, type Find } from './findings.ts';

/**
 * Holds the books against what clients were answered, what the upstream served and what the public prices say. A pure
 * function: the same evidence has the same findings, in words; none when all is right.
 */
export function checkRun(evidence: Evidence): readonly string[] {
  const { find, findings } = createFindings();
  const matched = matchRows(evidence, find);
  for (const [row, receipt] of matched) {
    checkWho(row, receipt, evidence, find);
    checkTokens(row, receipt, evidence, find);
    checkMoment(row, receipt, find);
    checkVersion(row, receipt, evidence, find);
  }
  for (const row of evidence.rows) checkPrice(row, evidence, find);
  checkLostAttempts(evidence, find);
  checkMissing(evidence, new Set([...matched.values()].map(({ n }) => n)), find);
  checkDuplicates(evidence, matched, find);
  checkCredit(evidence, find);
  return findings();
}

const servedBy = (evidence: Evidence): ReadonlyMap<number, readonly Served[]> =>
  Map.groupBy(evidence.served, ({ n }) => n);

/** The request of each row: by its id where the client has one, else by its tokens, which no other request has. */
function matchRows(evidence: Evidence, find: Find): ReadonlyMap<UsageRow, Receipt> {
  const byId = new Map<string, Receipt>();
  // Duplicates share an id: who has the whole answer knows most of it.
  for (const receipt of evidence.receipts)
    if (receipt.requestId !== undefined && (receipt.whole || !byId.has(receipt.requestId)))
      byId.set(receipt.requestId, receipt);
  const served = servedBy(evidence);
  const nameless = Map.groupBy(
    evidence.receipts.filter(({ requestId }) => requestId === undefined),
    (receipt) => `${receipt.customer}/${receipt.protocol}/${receipt.stream}`,
  );
  const customers = new Map(evidence.customers.map((customer) => [customer.keyId, customer.name]));
  const taken = new Set<number>();
  const matched = new Map<UsageRow, Receipt>();
  const seen = new Set<string>();
  for (const row of evidence.rows) {
    if (seen.has(row.requestId)) find('requests have more than one usage row', row.requestId);
    seen.add(row.requestId);
    const candidates = nameless.get(`${customers.get(row.keyId)}/${row.protocol}/${row.stream}`) ?? [];
    const receipt =
      byId.get(row.requestId) ??
      candidates.find(
        ({ n }) => !taken.has(n) && (served.get(n) ?? []).some(({ usage }) => equal(usage, row.tokens)),
      ) ??
      // Its tokens are an estimate: it is the one that arrived then.
      candidates
        .filter(({ n, sentMs, endedMs }) => !taken.has(n) && happenedIn(row, sentMs, endedMs + READ_ON_MS))
        .toSorted((a, b) => Math.abs(a.sentMs - row.occurredMs) - Math.abs(b.sentMs - row.occurredMs))[0];
    if (!receipt) find('usage rows belong to no request', row.requestId);
    else {
      taken.add(receipt.n);
      matched.set(row, receipt);
    }
  }
  return matched;
}

function checkWho(row: UsageRow, receipt: Receipt, { customers }: Evidence, find: Find): void {
  const customer = customers.find(({ name }) => name === receipt.customer);
  const billed = [row.accountId, row.keyId, row.group, row.model, row.protocol, row.stream];
  const true_ = [customer?.accountId, customer?.keyId, customer?.group, receipt.model];
  if (String(billed) !== String([...true_, receipt.protocol, receipt.stream]))
    find(
      'usage rows name another account, key, group, model, format or kind of answer than was asked',
      row.requestId,
    );
}

/** A whole answer is billed as it says itself; one that was left, by what the upstream did. */
function checkTokens(row: UsageRow, receipt: Receipt, evidence: Evidence, find: Find): void {
  const served = evidence.served.filter(({ n }) => n === receipt.n);
  if (receipt.whole) {
    if (receipt.usage && !equal(receipt.usage, row.tokens))
      find('whole answers are billed by other tokens than they say', describeUsage(row, receipt.usage));
    if (!served.some(({ usage }) => equal(usage, row.tokens)))
      find('whole answers are billed by other tokens than the upstream served', row.requestId);
    return;
  }
  const exact = served.some(({ usage }) => equal(usage, row.tokens));
  if (exact) return;
  if (sum(row.tokens, false) > boundOfInput(receipt) || sum(row.tokens, true) > receipt.maxTokens)
    find('broken answers are billed by more than the request can cost', describeUsage(row, {}));
  if (endedUnder(receipt, evidence)) return;
  const [least] = served.map(({ usage }) => usage).toSorted((a, b) => sum(a, true) - sum(b, true));
  if (
    receipt.left &&
    least &&
    (sum(row.tokens, true) < sum(least, true) || sum(row.tokens, false) < sum(least, false))
  )
    find(
      'answers that the client left are billed by less than the upstream served',
      describeUsage(row, least),
    );
}

/** A token has a byte at least; so many more are reserved for what a format adds. */
const boundOfInput = ({ bodyBytes }: Receipt): number => 2 * bodyBytes + 1_000;

const describeUsage = (row: UsageRow, usage: Tokens): string =>
  `${row.requestId}: ${JSON.stringify(row.tokens)}, not ${JSON.stringify(usage)}`;

/** Whether its gateway ended before it can have read the upstream of a client that had left to its end. */
const endedUnder = ({ gateway, sentMs, endedMs }: Receipt, { gatewayEnds }: Evidence): boolean =>
  gatewayEnds.some(
    (end) => end.gateway === gateway && end.atMs >= sentMs - CLOCK_MS && end.atMs <= endedMs + LONGEST_MS,
  );

/** The longest answer of a run takes two seconds, and a gateway may stand still for three meanwhile. */
const LONGEST_MS = 8_000;

/** Clocks of one machine differ by nothing; what is measured on the way takes a moment. */
const CLOCK_MS = 2_000;
/** After a client left, its upstream may be read on for so long; what a killed gateway left is never later. */
const READ_ON_MS = 70_000;

/** An event whose clock is not believed is booked when it comes out of queue or spool, which may be long after its answer. */
const happenedIn = (row: UsageRow, fromMs: number, toMs: number): boolean =>
  row.occurredMs >= fromMs - CLOCK_MS &&
  row.occurredMs <= (row.isClockWrong ? Math.max(toMs, row.postedMs) : toMs) + CLOCK_MS;

function checkMoment(row: UsageRow, receipt: Receipt, find: Find): void {
  if (!happenedIn(row, receipt.sentMs, receipt.endedMs + (receipt.whole ? 0 : READ_ON_MS)))
    find(
      'requests are booked at a moment at which they did not happen',
      `${row.requestId}: ${new Date(row.occurredMs).toISOString()}`,
    );
}

function checkVersion(row: UsageRow, receipt: Receipt, evidence: Evidence, find: Find): void {
  const publications = evidence.publications.toSorted((a, b) => a.version - b.version);
  const at = publications.findIndex(({ version }) => version === row.version);
  const next = publications[at + 1];
  // A gateway that stands still takes a request up after its client has left.
  const takenUpMs = receipt.endedMs + (receipt.whole ? 0 : LONGEST_MS);
  const tooEarly = at < 0 || (publications[at]?.fromMs ?? 0) > takenUpMs;
  const tooLate = next !== undefined && next.toMs + evidence.snapshotLagMs < receipt.sentMs;
  if (tooEarly || tooLate)
    find('requests are priced by a version that did not hold', `${row.requestId}: version ${row.version}`);
}

function checkPrice(row: UsageRow, { prices }: Evidence, find: Find): void {
  const list = prices.get(row.version);
  try {
    const exact = list && exactPrice(list, row.model, row.group, row.tokens);
    if (exact !== row.cost)
      find(
        'usage rows cost something else than the public prices say',
        `${row.requestId}: ${row.cost}, not ${exact ?? 'priced'} by version ${row.version}`,
      );
  } catch (error) {
    find('usage rows cannot be priced by the public prices', (error as Error).message);
  }
}

/** What an upstream broke off it may bill: each is the operator's cost, once, and no customer's. */
function checkLostAttempts(evidence: Evidence, find: Find): void {
  const { receipts, lostAttempts, rows } = evidence;
  for (const receipt of receipts) {
    const { requestId, breaks, status } = receipt;
    if (!breaks || status !== 502 || requestId === undefined || endedUnder(receipt, evidence)) continue;
    if (!lostAttempts.has(`${requestId}.1`))
      find('attempts that the upstream broke off are no cost', requestId);
  }
  for (const { requestId } of rows)
    if (lostAttempts.has(requestId)) find('attempts that brought nothing are billed', requestId);
}

function checkMissing(evidence: Evidence, billed: ReadonlySet<number>, find: Find): void {
  const ids = new Set(evidence.rows.map(({ requestId }) => requestId));
  const served = servedBy(evidence);
  const known = new Set(evidence.receipts.map(({ requestId }) => requestId));
  // Of clients that left before they had an id: nobody knows which of them these are.
  let damaged = [...evidence.damagedIds].filter((id) => !ids.has(id) && !known.has(id)).length;
  for (const receipt of evidence.receipts) {
    const { requestId, whole, left, n } = receipt;
    if (requestId !== undefined && (ids.has(requestId) || evidence.damagedIds.has(requestId))) continue;
    if (whole) find('answered requests have no usage row', requestId ?? `request ${n}`);
    else if (
      left &&
      served.has(n) &&
      !billed.has(n) &&
      !isDuplicate(receipt) &&
      !endedUnder(receipt, evidence) &&
      (damaged -= 1) < 0
    )
      find(
        'requests that the upstream served and the client left have no usage row',
        `request ${n}: ${JSON.stringify({ ...receipt, served: served.get(n) })}`,
      );
  }
}

const isDuplicate = ({ idempotencyKey }: Receipt): boolean => idempotencyKey !== undefined;

/** Requests of one Idempotency-Key: one run and one charge, unless the answer said that nothing protects it. */
function checkDuplicates(evidence: Evidence, matched: ReadonlyMap<UsageRow, Receipt>, find: Find): void {
  const charges = Map.groupBy(matched.values(), ({ idempotencyKey }) => idempotencyKey);
  const duplicates = Map.groupBy(
    evidence.receipts.filter(isDuplicate),
    ({ idempotencyKey }) => idempotencyKey,
  );
  for (const [key, group] of duplicates) {
    const from = Math.min(...group.map(({ sentMs }) => sentMs));
    const to = Math.max(...group.map(({ endedMs }) => endedMs));
    const isExcused =
      group.some(({ unprotected }) => unprotected) ||
      evidence.redisLossesMs.some((atMs) => atMs >= from - CLOCK_MS && atMs <= to);
    if (isExcused) continue;
    if ((charges.get(key)?.length ?? 0) > 1)
      find('requests of one Idempotency-Key are billed more than once', String(key));
    const runs = new Set(group.filter(({ whole }) => whole).map(({ requestId }) => requestId));
    if (runs.size > 1) find('requests of one Idempotency-Key ran more than once', String(key));
  }
}

const equal = (a: Tokens, b: Tokens): boolean =>
  [...Object.keys(a), ...Object.keys(b)].every((kind) => (a[kind] ?? 0) === (b[kind] ?? 0));

const sum = (tokens: Tokens, output: boolean): number =>
  Object.entries(tokens).reduce(
    (all, [kind, count]) => all + (kind.startsWith('output') === output ? count : 0),
    0,
  );
