import { checkRun } from './check-run.ts';
import type {
  CustomerEntry,
  Evidence,
  PriceList,
  Publication,
  Receipt,
  Served,
  UsageRow,
} from './evidence.ts';

// A small run that is right: two versions of prices, three customers, duplicates, a client that left. Each case changes one
// thing of it, as a fault of the programs would, and must be found.

const START = Date.UTC(2026, 10, 22, 12);
const [OPEN, PREPAID, BUDGET] = ['open', 'prepaid', 'budget'].map((name, index) => ({
  name,
  accountId: `account-${index}`,
  keyId: `key-${index}`,
  group: index === 0 ? 'vip' : 'default',
  mode: index === 1 ? ('prepaid' as const) : ('open' as const),
  budget: index === 2 ? 40_000_000n : undefined,
})) as [Customer, Customer, Customer];
type Customer = Evidence['customers'][number];

const prices = (input: bigint, output: bigint): PriceList => ({
  models: new Map([
    [
      'm',
      {
        prices: new Map([
          ['input', input],
          ['output', output],
        ]),
        tiers: [],
        requestMicro: 1n,
      },
    ],
  ]),
  groupRatios: new Map([
    ['default', '1'],
    ['vip', '0.333333333'],
  ]),
});
const PRICES = new Map([
  [1, prices(100_000n, 1_000_000n)],
  [2, prices(110_001n, 900_000n)],
  [3, prices(100_003n, 800_000n)],
]);
const PUBLICATIONS: Publication[] = [1, 2, 3].map((version) => ({
  version,
  fromMs: START + (version - 1) * 60_000,
  toMs: START + (version - 1) * 60_000,
}));

const receipt = (n: number, customer: Customer, more: Partial<Receipt> = {}): Receipt => ({
  n,
  customer: customer.name,
  gateway: 'http://one',
  model: 'm',
  protocol: 'openai-chat',
  stream: false,
  bodyBytes: 200,
  maxTokens: 100,
  sentMs: START + n * 1_000,
  endedMs: START + n * 1_000 + 500,
  status: 200,
  requestId: `req_${n}`,
  whole: true,
  usage: { input: 10 + n, output: 5 },
  breaks: false,
  left: false,
  idempotencyKey: undefined,
  replayed: false,
  unprotected: false,
  ...more,
});
/** Numbers in the ledger: two requests of one customer have one transaction. */
const NUMBERS = new Map([1, 4, 2, 3, 61, 62].map((n, index) => [n, index + 1]));
const numberOf = (n: number) => NUMBERS.get(n) ?? n;
const rowOf = (of: Receipt, customer: Customer, version: number, cost: bigint): UsageRow => ({
  requestId: of.requestId ?? `req_${of.n}`,
  number: numberOf(of.n),
  occurredMs: of.sentMs + 200,
  isClockWrong: false,
  postedMs: of.endedMs + 300,
  accountId: customer.accountId,
  keyId: customer.keyId,
  group: customer.group,
  model: 'm',
  protocol: 'openai-chat',
  stream: of.stream,
  version,
  tokens: { input: 10 + of.n, output: 5 },
  cost,
  outcome: 'completed',
});

const FIRST_COST = 2_366_667n;
const RECEIPTS: readonly (readonly [Receipt, Customer, number, bigint])[] = [
  [receipt(1, OPEN), OPEN, 1, FIRST_COST],
  [receipt(2, PREPAID), PREPAID, 1, 7_200_000n],
  [receipt(3, BUDGET), BUDGET, 1, 7_300_000n],
  [receipt(4, OPEN, { idempotencyKey: 'duplicates' }), OPEN, 1, 2_466_667n],
  [receipt(61, PREPAID), PREPAID, 2, 13_310_071n],
  [
    receipt(62, OPEN, { left: true, whole: false, usage: undefined, requestId: undefined, stream: true }),
    OPEN,
    2,
    4_473_357n,
  ],
];
const RIGHT: Evidence = {
  receipts: [
    ...RECEIPTS.map(([each]) => each),
    receipt(4, OPEN, { idempotencyKey: 'duplicates', replayed: true, requestId: 'req_4' }),
    receipt(5, PREPAID, { status: 429, whole: false, usage: undefined, requestId: 'req_5' }),
    receipt(6, OPEN, { status: 502, whole: false, usage: undefined, requestId: 'req_6', breaks: true }),
  ],
  served: RECEIPTS.map(([{ n }]): Served => ({ n, atMs: START, usage: { input: 10 + n, output: 5 } })),
  rows: RECEIPTS.map(([each, customer, version, cost]) => rowOf(each, customer, version, cost)),
  entries: [
    {
      number: 0,
      accountId: PREPAID.accountId,
      firstNumber: 0,
      isOfRequests: false,
      amount: 20_510_071n,
      postedMs: START,
    },
    ...RECEIPTS.filter(([{ n }]) => n !== 1).map(([{ n, endedMs }, { accountId }, , cost]) => ({
      number: numberOf(n),
      firstNumber: n === 4 ? numberOf(1) : numberOf(n),
      isOfRequests: true,
      accountId,
      amount: n === 4 ? -cost - FIRST_COST : -cost,
      postedMs: endedMs,
    })),
  ],
  prices: PRICES,
  publications: PUBLICATIONS,
  customers: [OPEN, PREPAID, BUDGET],
  redisLossesMs: [],
  gatewayEnds: [],
  lostAttempts: new Set(['req_6.1']),
  damagedIds: new Set(),
  credit: [
    { scope: `account:${PREPAID.accountId}`, left: 0n, held: 0n },
    { scope: `key:${BUDGET.keyId}:total`, left: 32n, held: 0n },
  ],
  openHolds: [],
  snapshotLagMs: 5_000,
};

const changeRow = (n: number, change: (row: UsageRow) => Partial<UsageRow>): Evidence => {
  const rows = RIGHT.rows.map((row) => (row.requestId === `req_${n}` ? { ...row, ...change(row) } : row));
  return { ...RIGHT, rows, entries: RIGHT.entries.map((entry) => sumOf(entry, rows)) };
};
const sumOf = (entry: CustomerEntry, rows: readonly UsageRow[]): CustomerEntry => {
  const ofEntry = rows.filter(({ number }) => number >= entry.firstNumber && number <= entry.number);
  return entry.isOfRequests
    ? { ...entry, amount: -ofEntry.reduce((sum, { cost }) => sum + cost, 0n) }
    : entry;
};
const without = (n: number): Evidence => {
  const rows = RIGHT.rows.filter(({ requestId }) => requestId !== `req_${n}`);
  const entries = RIGHT.entries.map((entry) => sumOf(entry, rows)).filter(({ amount }) => amount !== 0n);
  return { ...RIGHT, rows, entries };
};
const rowNumber = (n: number): UsageRow =>
  RIGHT.rows.find(({ requestId }) => requestId === `req_${n}`) as UsageRow;
const changeReceipt = (n: number, change: Partial<Receipt>): Receipt[] =>
  RIGHT.receipts.map((each) => (each.n === n ? { ...each, ...change } : each));

test('nothing is found in a run that is right', () => {
  expect(checkRun(RIGHT)).toEqual([]);
});

test.each<[string, Evidence, string]>([
  [
    'tokens are doubled, and priced so',
    changeRow(2, () => ({ tokens: { input: 12, output: 10 }, cost: 12_200_000n })),
    'whole answers are billed by other tokens than they say',
  ],
  [
    'tokens are doubled where the client was not told',
    {
      ...changeRow(2, () => ({ tokens: { input: 12, output: 10 }, cost: 12_200_000n })),
      receipts: changeReceipt(2, { usage: undefined }),
    },
    'whole answers are billed by other tokens than the upstream served',
  ],
  [
    'prices are raised by half',
    changeRow(2, ({ cost }) => ({ cost: (cost * 3n) / 2n })),
    'usage rows cost something else than the public prices say',
  ],
  [
    'a price is off by one pico-USD',
    changeRow(1, ({ cost }) => ({ cost: cost - 1n })),
    'usage rows cost something else than the public prices say',
  ],
  ['an event is lost', without(3), 'answered requests have no usage row'],
  [
    'the event of a client that left is lost',
    without(62),
    'requests that the upstream served and the client left',
  ],
  [
    'an event is posted twice, under another id',
    { ...RIGHT, rows: [...RIGHT.rows, { ...rowNumber(2), requestId: 'req_other' }] },
    'usage rows belong to no request',
  ],
  [
    'an event is posted twice, under its id',
    { ...RIGHT, rows: [...RIGHT.rows, rowNumber(2)] },
    'requests have more than one usage row',
  ],
  [
    'the ratio of another group',
    changeRow(1, () => ({ cost: 7_100_000n })),
    'usage rows cost something else than the public prices say',
  ],
  [
    'another group, and its ratio',
    changeRow(1, () => ({ group: 'default', cost: 7_100_000n })),
    'usage rows name another account, key, group',
  ],
  [
    'prices that came later',
    changeRow(2, () => ({ version: 3, cost: 6_200_036n })),
    'requests are priced by a version that did not hold',
  ],
  [
    'prices that were long over',
    {
      ...changeRow(61, () => ({ version: 1, cost: 13_100_000n })),
      snapshotLagMs: 500,
    },
    'requests are priced by a version that did not hold',
  ],
  [
    'a version that nobody published',
    changeRow(2, () => ({ version: 9 })),
    'requests are priced by a version that did not hold',
  ],
  ['a hold is left', { ...RIGHT, openHolds: ['req_2'] }, 'holds are left though nothing is under way'],
  [
    'credit stays held',
    { ...RIGHT, credit: [{ scope: `account:${PREPAID.accountId}`, left: 0n, held: 7n }] },
    'credit is held though nothing is under way',
  ],
  [
    'Redis has more left than the books',
    { ...RIGHT, credit: [{ scope: `account:${PREPAID.accountId}`, left: 1n, held: 0n }] },
    'Redis says something else is left than the books',
  ],
  [
    'a prepaid account goes below zero',
    {
      ...RIGHT,
      entries: RIGHT.entries.map((e) => (e.number === 0 ? { ...e, amount: 20_510_070n } : e)),
      credit: [],
    },
    'prepaid accounts were below zero',
  ],
  [
    'a prepaid account goes below zero, and is paid up later',
    { ...RIGHT, entries: RIGHT.entries.map((e) => (e.number === 0 ? { ...e, number: 30 } : e)) },
    'prepaid accounts were below zero',
  ],
  [
    'a loss of Redis that came after excuses nothing',
    {
      ...RIGHT,
      entries: RIGHT.entries.map((e) => (e.number === 0 ? { ...e, amount: 1n } : e)),
      redisLossesMs: [START + 90_000],
      credit: [],
    },
    'prepaid accounts were below zero',
  ],
  [
    'a key spends more than its budget',
    { ...RIGHT, customers: [OPEN, PREPAID, { ...BUDGET, budget: 7_299_999n }], credit: [] },
    'keys spent more than their budgets',
  ],
  [
    'duplicates are billed twice',
    {
      ...RIGHT,
      receipts: [...RIGHT.receipts, receipt(4, OPEN, { idempotencyKey: 'duplicates', requestId: 'req_40' })],
      rows: [...RIGHT.rows, { ...rowNumber(4), requestId: 'req_40', number: 40 }],
      entries: [
        ...RIGHT.entries,
        {
          number: 40,
          firstNumber: 40,
          isOfRequests: true,
          accountId: OPEN.accountId,
          amount: -2_466_667n,
          postedMs: START,
        },
      ],
    },
    'requests of one Idempotency-Key are billed more than once',
  ],
  [
    'duplicates run twice, and one is not billed',
    {
      ...RIGHT,
      receipts: [...RIGHT.receipts, receipt(4, OPEN, { idempotencyKey: 'duplicates', requestId: 'req_40' })],
    },
    'requests of one Idempotency-Key ran more than once',
  ],
  [
    'a clock of 2036 is believed',
    changeRow(2, () => ({ occurredMs: Date.UTC(2036, 0) })),
    'requests are booked at a moment at which they did not happen',
  ],
  [
    'a clock that is known to be wrong is believed',
    changeRow(2, () => ({ isClockWrong: true, occurredMs: Date.UTC(2036, 0) })),
    'requests are booked at a moment at which they did not happen',
  ],
  [
    'a clock of 1970 is believed',
    changeRow(2, () => ({ occurredMs: 86_400_000 })),
    'requests are booked at a moment at which they did not happen',
  ],
  [
    'a digit of a spool line is changed',
    {
      ...changeRow(3, () => ({ tokens: { input: 987_654, output: 5 }, cost: 98_771_400_000n })),
      damagedIds: new Set(['req_3']),
    },
    'whole answers are billed by other tokens than they say',
  ],
  [
    'leaving early is cheaper',
    changeRow(62, () => ({ tokens: { input: 72, output: 2 }, cost: 3_573_357n })),
    'answers that the client left are billed by less than the upstream served',
  ],
  [
    'leaving early costs more than was held',
    changeRow(62, () => ({ tokens: { input: 72, output: 101 }, cost: 33_273_357n })),
    'broken answers are billed by more than the request can cost',
  ],
  [
    'an attempt that brought nothing is no cost',
    { ...RIGHT, lostAttempts: new Set() },
    'attempts that the upstream broke off are no cost',
  ],
  [
    'a customer pays for an attempt that brought nothing',
    {
      ...RIGHT,
      entries: [...RIGHT.entries, { ...RIGHT.entries[1], number: 90, firstNumber: 90 } as CustomerEntry],
    },
    'the ledger took money for what is no request',
  ],
  [
    'the ledger took something else',
    { ...RIGHT, entries: RIGHT.entries.map((e) => (e.number === numberOf(4) ? { ...e, amount: -1n } : e)) },
    'usage rows cost something else than the ledger says',
  ],
  [
    'another customer pays',
    changeRow(1, () => ({ accountId: BUDGET.accountId })),
    'usage rows name another account',
  ],
])('%s: that is found', (_what, evidence, finding) => {
  expect(checkRun(evidence).join('\n')).toContain(finding);
});

test('what may be missing, late or over is not found', () => {
  const late = changeRow(61, () => ({ version: 1, cost: 13_100_000n }));
  expect(checkRun({ ...late, credit: [] })).toEqual([]);
  const postedMs = START + 90_000;
  const unbelieved = changeRow(2, () => ({ isClockWrong: true, occurredMs: postedMs - 100, postedMs }));
  expect(checkRun(unbelieved)).toEqual([]);
  expect(checkRun({ ...without(3), damagedIds: new Set(['req_3']), credit: [] })).toEqual([]);
  expect(checkRun({ ...without(62), damagedIds: new Set(['req_62']), credit: [] })).toEqual([]);
  expect(checkRun({ ...without(62), damagedIds: new Set(['req_3']), credit: [] })).toHaveLength(1);
  const broken = {
    ...without(2),
    receipts: changeReceipt(2, { whole: false, usage: undefined }),
    credit: [],
  };
  expect(checkRun(broken)).toEqual([]);
  const ended = { gatewayEnds: [{ gateway: 'http://one', atMs: START + 63_000 }], credit: [] };
  const shorter = changeRow(62, () => ({ tokens: { input: 72, output: 2 }, cost: 3_573_357n }));
  expect(checkRun({ ...without(62), ...ended })).toEqual([]);
  expect(checkRun({ ...shorter, ...ended })).toEqual([]);
  const elsewhere = { ...ended, gatewayEnds: [{ gateway: 'http://two', atMs: START + 63_000 }] };
  expect(checkRun({ ...without(62), ...elsewhere })).toHaveLength(1);
  const lost = {
    ...RIGHT,
    entries: RIGHT.entries.map((e) => (e.number === 0 ? { ...e, amount: 13_310_071n } : e)),
  };
  expect(checkRun({ ...lost, redisLossesMs: [START + 2_200], credit: [] })).toEqual([]);
});
