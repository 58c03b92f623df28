/*
 * Many requests at random, over all that is sold: in the end the vendor's bill and the books are the same, and nobody who pays
 * beforehand has spent more than was paid.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '@tollgate/chaos/random';
import { waitFor } from '@tollgate/harness';
import { CLIENT_PROTOCOLS } from '@tollgate/vocabulary';
import { type Books, openBooks } from '../books.ts';
import type { Answer } from '../call.ts';
import { type OwnSimulator, startOwnSimulator } from '../pools/own-pool.ts';
import { sharedStack } from '../shared-stack.ts';
import { CLOUD_DOOR_NAMES } from '../pools.ts';
import { openRealtime } from '../realtime/realtime-client.ts';
import { MODELS as REALTIME_MODELS } from '../realtime/realtime-tests.ts';
import { makeTaskModels } from '../tasks/task-models.ts';
import { CLOUD_FEATURES } from './cloud-features.ts';
import { type Feature, FEATURES } from './features.ts';
import { makeCustomer, makePricedModels, type PricedModels, readVendorBill } from './priced-models.ts';
import { sendPriced, type Sent } from './send.ts';
import { sendTask, TASK_FEATURES, TASK_ROWS } from './task-features.ts';

const at = sharedStack();
let simulator: OwnSimulator;
/** Of tasks and sessions. */
let others: OwnSimulator;
let books: Books;
let priced: PricedModels;
let tasks: Awaited<ReturnType<typeof makeTaskModels>>;
beforeAll(async () => {
  [simulator, others] = [await startOwnSimulator(), await startOwnSimulator()];
  books = openBooks(at.databaseUrl);
  priced = await makePricedModels(at, simulator.url);
  tasks = await makeTaskModels(at, others.url, { ...TASK_FEATURES, voice: REALTIME_MODELS.voice });
});
afterAll(async () => {
  await books.close();
  await simulator.close();
  await others.close();
});

type Choose = <T>(among: readonly T[]) => T;
type Asked = Omit<Sent, 'stream' | 'mark'>;

function startRandom(seed: number) {
  const random = seededRandom(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  const choose: Choose = (among) => among[below(among.length)] as (typeof among)[number];
  return { random, below, choose };
}

/** Two features of a vendor at once, where they do not say the same fields. */
function drawFeatures(choose: Choose): Asked {
  const format = choose(CLIENT_PROTOCOLS);
  const [one, other] = [choose(FEATURES[format]), choose(FEATURES[format])];
  const fieldsOf = ({ more, script = {} }: Feature) => [...Object.keys(more), ...Object.keys(script)];
  const taken = new Set(fieldsOf(one));
  if (fieldsOf(other).some((field) => taken.has(field))) return { format, ...one };
  return {
    format,
    more: { ...one.more, ...other.more },
    parts: [...(one.parts ?? []), ...(other.parts ?? [])],
    script: { ...one.script, ...other.script },
  };
}

function drawCloudFeature(choose: Choose): Asked {
  const door = choose(CLOUD_DOOR_NAMES);
  return { ...choose(CLOUD_FEATURES[door]), at: door };
}

async function readBalance(accountId: string): Promise<bigint> {
  const sql = 'SELECT balance_pico::text AS pico FROM billing.account_balance WHERE account_id = $1';
  return BigInt((await books.one(sql, [accountId])).pico ?? '0');
}

const forgetBill = ({ url }: OwnSimulator) => fetch(`${url}/__sim/bill`, { method: 'DELETE' });

/** What a vendor bills, and for how many requests. */
async function sumBill({
  url,
}: OwnSimulator): Promise<{ readonly requests: number; readonly billed: bigint }> {
  const bills = await readVendorBill(url);
  expect(bills.flatMap(({ unpriced }) => unpriced)).toEqual([]);
  return {
    requests: bills.reduce((sum, each) => sum + each.requests, 0),
    billed: bills.reduce((sum, { amount_pico }) => sum + BigInt(amount_pico), 0n),
  };
}

/** What an account had is less by what the vendor bills, and by nothing more. */
async function expectSpent(accountId: string, before: bigint, billed: bigint) {
  const spent = async () => before - (await readBalance(accountId));
  await waitFor(async () => (await spent()) >= billed, `a charge of ${billed} pico-USD`, 30_000);
  expect(await spent()).toBe(billed);
}

test('fifty at once with tools and tiers never take more than was paid, and what they take is what the vendor bills', async () => {
  await forgetBill(simulator);
  const paid = 40n * 10n ** 12n;
  const { accountId, key } = await makeCustomer(at, priced.group, '40');
  const { random, choose } = startRandom(50);
  let lowest = paid;
  let left = 400;
  const statuses = new Map<number, number>();
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      const sent = { ...drawFeatures(choose), stream: random() < 0.5, mark: `p${left}`, key };
      const { status } = await sendPriced(at.baseUrl, priced, sent);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      const balance = await readBalance(accountId);
      if (balance < lowest) lowest = balance;
    }
  };
  await Promise.all(Array.from({ length: 50 }, worker));
  await expectSpent(accountId, paid, (await sumBill(simulator)).billed);
  expect(lowest).toBeGreaterThanOrEqual(0n);
  // Some were served, others asked for more than was left; where all at once is much, Redis may answer late.
  statuses.delete(503);
  expect([...statuses.keys()].sort()).toEqual([200, 429]);
}, 120_000);

const REQUESTS = 2_000;
const AT_ONCE = 24;
/** Shares of them; the rest goes to vendors' own doors. */
const OF_TASKS = 0.25;
const OF_SESSIONS = 0.02;
const OF_CLOUDS = 0.3;

/** Whoever is told to come again shortly does, as every SDK: where all at once is much, Redis may answer late. */
async function insist(what: string, ask: () => Promise<Answer>): Promise<void> {
  let answer = await ask();
  for (let tries = 0; answer.status === 503 && tries < 5; tries += 1) {
    await sleep(1_000 * Number(answer.headers.get('retry-after') ?? 1));
    answer = await ask();
  }
  if (answer.status !== 200) throw new Error(`${what}: ${answer.text}`);
}

async function holdSession(text: string): Promise<void> {
  const session = await openRealtime(at.baseUrl, { key: tasks.key, model: tasks.names['voice'] ?? '' });
  const { response, error } = await session.ask(text);
  session.socket.close();
  if (response?.status !== 'completed') throw new Error(`a session: ${JSON.stringify(error)}`);
}

test(`${REQUESTS} random requests leave the same bill at the vendor and in the books`, async () => {
  await Promise.all([forgetBill(simulator), forgetBill(others)]);
  const before = [await readBalance(priced.accountId), await readBalance(tasks.accountId)] as const;
  const { random, below, choose } = startRandom(17);
  let left = REQUESTS;
  const askOne = async (mark: string): Promise<void> => {
    const kind = random();
    if (kind < OF_SESSIONS) return holdSession(mark);
    if (kind < OF_SESSIONS + OF_TASKS) {
      const { name, streams } = choose(TASK_ROWS);
      const of = { key: tasks.key, model: tasks.names[name] ?? '', mark, streams };
      return insist(name, () => sendTask(at.baseUrl, name, of));
    }
    const asked = kind < OF_SESSIONS + OF_TASKS + OF_CLOUDS ? drawCloudFeature(choose) : drawFeatures(choose);
    const [cache_read, cache_write, reasoning] = [below(10), below(10), below(10)];
    const usage = { input: 20 + below(20), output: 10 + below(90), cache_read, cache_write, reasoning };
    const sent = { ...asked, stream: random() < 0.5, mark, script: { usage, ...asked.script } };
    return insist(JSON.stringify(sent), () => sendPriced(at.baseUrl, priced, sent));
  };
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      await askOne(`n${left}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  const [ofModels, ofTasks] = [await sumBill(simulator), await sumBill(others)];
  expect(ofModels.requests + ofTasks.requests).toBe(REQUESTS);
  await expectSpent(priced.accountId, before[0], ofModels.billed);
  await expectSpent(tasks.accountId, before[1], ofTasks.billed);
}, 180_000);
