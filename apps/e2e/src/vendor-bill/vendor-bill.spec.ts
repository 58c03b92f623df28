/*
 * What vendors charge beside tokens is charged on to the last pico-USD. The simulator keeps a bill of its own, by the vendors'
 * rules and without any code of ours; here it is held against the books.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '@tollgate/chaos/random';
import { waitFor } from '@tollgate/harness';
import { type ClientProtocol, CLIENT_PROTOCOLS } from '@tollgate/vocabulary';
import { type Books, openBooks } from '../books.ts';
import { type Answer, call } from '../call.ts';
import { type OwnSimulator, requestId, startOwnSimulator } from '../pools/own-pool.ts';
import { admin, sharedStack } from '../shared-stack.ts';
import { CLOUD_DOOR_NAMES } from '../pools.ts';
import { CLOUD_FEATURES, type Feature, FEATURES } from './features.ts';
import {
  makeCustomer,
  makePricedModels,
  type PricedModels,
  type PricedPlace,
  readVendorBill,
} from './priced-models.ts';

const at = sharedStack();
let simulator: OwnSimulator;
let books: Books;
let priced: PricedModels;
beforeAll(async () => {
  simulator = await startOwnSimulator();
  books = openBooks(at.databaseUrl);
  priced = await makePricedModels(at, simulator.url);
});
afterAll(async () => {
  await books.close();
  await simulator.close();
});

const readBill = () => readVendorBill(simulator.url);

interface Sent extends Omit<Feature, 'what'> {
  readonly format: ClientProtocol;
  readonly stream: boolean;
  readonly mark: string;
  /** Of the upstream, where that is another. */
  readonly at?: PricedPlace;
  readonly key?: string;
}

function send({
  format,
  stream,
  mark,
  more,
  script,
  at: served = format,
  key = priced.key,
}: Sent): Promise<Answer> {
  const model = priced.models[served];
  const text = `${mark} [[sim ${JSON.stringify(script ?? {})}]]`;
  const path = {
    'openai-chat': '/v1/chat/completions',
    'openai-responses': '/v1/responses',
    'anthropic-messages': '/v1/messages',
    gemini: `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
  }[format];
  return call(`${at.baseUrl}${path}`, {
    headers: { authorization: `Bearer ${key}` },
    body: { ...bodyOf(format, model, text), ...(stream && format !== 'gemini' ? { stream } : {}), ...more },
  });
}

function bodyOf(format: ClientProtocol, model: string, text: string): object {
  if (format === 'openai-responses') return { model, input: text };
  if (format === 'gemini') return { contents: [{ role: 'user', parts: [{ text }] }] };
  return { model, max_tokens: 500, messages: [{ role: 'user', content: text }] };
}

/** Some of each kind of token, so that what multiplies them is seen. */
const USAGE = { input: 30, output: 40, cache_read: 10, cache_write: 5, reasoning: 7 };

describe.each(CLIENT_PROTOCOLS)('%s', (format) => {
  describe.each([false, true])('streaming: %s', (stream) => {
    test.each([{ what: 'tokens alone', more: {} }, ...FEATURES[format]])(
      '$what: the books charge what the vendor does',
      async ({ more, script }: Omit<Feature, 'what'>) => {
        const mark = randomUUID();
        const answer = await send({ format, stream, mark, more, script: { usage: USAGE, ...script } });
        await expectCharged(answer, mark);
      },
    );
  });
});

describe.each(CLOUD_DOOR_NAMES)('behind %s', (door) => {
  describe.each([false, true])('streaming: %s', (stream) => {
    test.each(CLOUD_FEATURES[door])(
      'asked in $format, $what: the books charge what the cloud does',
      async ({ format, more, script }) => {
        const mark = randomUUID();
        const asked = { format, at: door, stream, mark, more, script: { usage: USAGE, ...script } };
        await expectCharged(await send(asked), mark);
      },
    );
  });
});

test.each([false, true])(
  'less latency, which the operator has set, costs what Bedrock charges for it; streaming: %s',
  async (stream) => {
    const mark = randomUUID();
    const asked = { format: 'openai-chat', at: 'converse-faster', stream, mark, more: {} } as const;
    await expectCharged(await send({ ...asked, script: { usage: USAGE } }), mark);
    const [sent] = (await simulator.requests()).filter(({ body }) => body.includes(mark));
    expect(sent?.body).toContain('"performanceConfig":{"latency":"optimized"}');
  },
);

/** What the vendor bills is what the books charge. */
async function expectCharged(answer: Answer, mark: string) {
  expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
  const bills = await readBill();
  const charged = bills.flatMap(({ latest }) => latest).find(({ asked }) => asked === mark);
  expect(bills.flatMap(({ unpriced }) => unpriced)).toEqual([]);
  const row = await books.usage(requestId(answer));
  expect(row.cost_pico).toBe(charged?.amount_pico);
  expect(BigInt(row.cost_pico)).toBeGreaterThan(0n);
  return row;
}

const PAIRS = CLIENT_PROTOCOLS.flatMap((from) =>
  CLIENT_PROTOCOLS.filter((to) => to !== from).map((to) => [from, to] as const),
);

describe.each(PAIRS)('a request in %s at an upstream of %s', (format, served) => {
  test.each([false, true])(
    'a tier is charged where it is carried, and listed where it is not; streaming: %s',
    async (stream) => {
      const mark = randomUUID();
      const { field, carriedTo } = TIERS[format];
      const more = { [field]: 'priority' };
      const answer = await send({ format, at: served, stream, mark, more, script: { usage: USAGE } });
      const row = await expectCharged(answer, mark);
      const isCarried = carriedTo.includes(served);
      expect(row['service_tier']).toBe(isCarried ? 'priority' : 'standard');
      const dropped = (answer.headers.get('x-tollgate-dropped') ?? '').split(',').map((each) => each.trim());
      expect(dropped.includes(field)).toBe(!isCarried);
    },
  );

  test('a tool of the vendor is refused by its name, and nothing is sent', async () => {
    const mark = randomUUID();
    const answer = await send({ format, at: served, stream: false, mark, more: { tools: [TOOLS[format]] } });
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('tools')]);
    const bill = await readBill();
    expect(bill.flatMap(({ latest }) => latest).filter(({ asked }) => asked === mark)).toEqual([]);
  });
});

/** How a tier is asked for, and which formats take it over. */
const TIERS: Readonly<
  Record<ClientProtocol, { readonly field: string; readonly carriedTo: readonly ClientProtocol[] }>
> = {
  'openai-chat': { field: 'service_tier', carriedTo: ['openai-responses'] },
  'openai-responses': { field: 'service_tier', carriedTo: ['openai-chat'] },
  'anthropic-messages': { field: 'service_tier', carriedTo: [] },
  gemini: { field: 'serviceTier', carriedTo: [] },
};
const TOOLS: Readonly<Record<ClientProtocol, object>> = {
  'openai-chat': { type: 'openrouter:web_search' },
  'openai-responses': { type: 'web_search' },
  'anthropic-messages': { type: 'web_search_20250305', name: 'web_search', max_uses: 2 },
  gemini: { googleSearch: {} },
};

test.each([
  [0.000123456789, '123456789'],
  // Ten times the list price of these few tokens is far less, and so is 1 USD.
  [3, null],
])('an upstream that says it charges %d USD', async (cost, believed) => {
  for (const stream of [false, true]) {
    const script = { usage: USAGE, cost };
    const answer = await send({ format: 'openai-chat', stream, mark: randomUUID(), more: {}, script });
    const row = await books.usage(requestId(answer));
    expect(row['upstream_cost_pico']).toBe(believed);
  }
  if (believed === null)
    await waitFor(async () => {
      const { upstreams } = await admin(at, 'GET', '/api/catalogue/health');
      return upstreams.some(
        ({ upstream, gateways }) =>
          upstream === priced.models['openai-chat'] &&
          gateways.some(({ last_error }) => last_error?.reason === 'usage beyond what is possible'),
      );
    }, 'the note in the health of the upstream');
});

test('fifty at once with tools and tiers never take more than was paid, and what they take is what the vendor bills', async () => {
  await fetch(`${simulator.url}/__sim/bill`, { method: 'DELETE' });
  const paid = 40n * 10n ** 12n;
  const { accountId, key } = await makeCustomer(at, priced.group, '40');
  const random = seededRandom(50);
  const choose = <T>(among: readonly T[]): T => among[Math.floor(random() * among.length)] as T;
  let lowest = paid;
  let left = 400;
  const statuses = new Map<number, number>();
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      const format = choose(CLIENT_PROTOCOLS);
      const [ofTools, ofTier] = [choose(FEATURES[format]), choose(FEATURES[format])];
      const more = { ...ofTier.more, ...ofTools.more };
      const script = onlyTools(more, { usage: USAGE, ...ofTier.script, ...ofTools.script });
      const stream = random() < 0.5;
      const { status } = await send({ format, stream, mark: `p${left}`, more, script, key });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      const balance = await readBalance(accountId);
      if (balance < lowest) lowest = balance;
    }
  };
  await Promise.all(Array.from({ length: 50 }, worker));
  const billed = (await readBill()).reduce((sum, { amount_pico }) => sum + BigInt(amount_pico), 0n);
  await waitFor(
    async () => (await readBalance(accountId)) <= paid - billed,
    `a charge of ${billed} pico-USD`,
    30_000,
  );
  expect(await readBalance(accountId)).toBe(paid - billed);
  expect(lowest).toBeGreaterThanOrEqual(0n);
  // Some were served, others asked for more than was left; where all at once is much, Redis may answer late.
  statuses.delete(503);
  expect([...statuses.keys()].sort()).toEqual([200, 429]);
}, 120_000);

const REQUESTS = 2_000;
const AT_ONCE = 24;
/** The share of them that goes to clouds. */
const OF_CLOUDS = 0.4;

/** What is asked, and where: at a vendor's own door two of its features at once. */
function drawRequest(
  isOfCloud: boolean,
  choose: <T>(among: readonly T[]) => T,
): Omit<Sent, 'stream' | 'mark'> {
  if (isOfCloud) {
    const door = choose(CLOUD_DOOR_NAMES);
    const { what: _what, ...feature } = choose(CLOUD_FEATURES[door]);
    return { ...feature, at: door };
  }
  const format = choose(CLIENT_PROTOCOLS);
  const [ofTools, ofTier] = [choose(FEATURES[format]), choose(FEATURES[format])];
  return {
    format,
    more: { ...ofTier.more, ...ofTools.more },
    script: { ...ofTier.script, ...ofTools.script },
  };
}

test(`${REQUESTS} random requests leave the same bill at the vendor and in the books`, async () => {
  await fetch(`${simulator.url}/__sim/bill`, { method: 'DELETE' });
  const before = await readBalance();
  const random = seededRandom(17);
  const below = (limit: number) => Math.floor(random() * limit);
  const choose = <T>(among: readonly T[]): T => among[below(among.length)] as T;
  let left = REQUESTS;
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      const drawn = drawRequest(random() < OF_CLOUDS, choose);
      const [cache_read, cache_write, reasoning] = [below(10), below(10), below(10)];
      const usage = { input: 20 + below(20), output: 10 + below(90), cache_read, cache_write, reasoning };
      const { script: scripted, ...asked } = drawn;
      const sent = { ...asked, stream: random() < 0.5, mark: `n${left}` };
      const script = onlyTools(sent.more, { usage, ...scripted });
      let answer = await send({ ...sent, script });
      // Whoever is told to come again shortly does, as every SDK: where all at once is much, Redis may answer late.
      for (let tries = 0; answer.status === 503 && tries < 5; tries += 1) {
        await sleep(1_000 * Number(answer.headers.get('retry-after') ?? 1));
        answer = await send({ ...sent, script });
      }
      if (answer.status !== 200) throw new Error(`${JSON.stringify(sent)}: ${answer.text}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  const bills = await readBill();
  expect(bills.flatMap(({ unpriced }) => unpriced)).toEqual([]);
  expect(bills.reduce((sum, { requests }) => sum + requests, 0)).toBe(REQUESTS);
  const billed = bills.reduce((sum, { amount_pico }) => sum + BigInt(amount_pico), 0n);
  let charged = 0n;
  await waitFor(
    async () => {
      const after = await readBalance();
      charged = after > before ? after - before : before - after;
      return charged >= billed;
    },
    `a charge of ${billed} pico-USD`,
    30_000,
  );
  expect(charged).toBe(billed);
}, 180_000);

async function readBalance(accountId = priced.accountId): Promise<bigint> {
  const sql = 'SELECT balance_pico::text AS pico FROM billing.account_balance WHERE account_id = $1';
  return BigInt((await books.one(sql, [accountId])).pico ?? '0');
}

/** Of two features that both bring tools those of one are sent: the other's are not used either. */
function onlyTools(more: object, script: object): object {
  const offered = JSON.stringify(more);
  const uses: Readonly<Record<string, RegExp>> = {
    searches: /web_search|search_parameters|googleSearch/,
    pages_opened: /web_search/,
    fetches: /web_fetch/,
    file_searches: /file_search/,
    containers: /code_interpreter|code_execution/,
    code_calls: /code_interpreter|code_execution/,
    drawing: /image_generation/,
    // What was drawn can be told by tokens alone.
    tool_usage: /^(?!.*image_generation)/,
    tier: /service_?tier/i,
  };
  return Object.fromEntries(
    Object.entries(script).filter(([field]) => uses[field] === undefined || uses[field].test(offered)),
  );
}
