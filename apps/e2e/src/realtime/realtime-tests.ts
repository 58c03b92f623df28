import { waitFor } from '@tollgate/harness';
import { type Books, openBooks } from '../books.ts';
import { type Customer, openAccount } from '../credit/customers.ts';
import { type OwnSimulator, startOwnSimulator } from '../pools/own-pool.ts';
import type { TestStack } from '../shared-stack.ts';
import { makeTaskModels } from '../tasks/task-models.ts';
import { openRealtime, type RealtimeClient } from './realtime-client.ts';

const protocols = ['openai-responses'];
export const MODELS = {
  voice: {
    model: {
      operations: ['realtime'],
      prices: {
        input: 4_000_000,
        input_audio: 32_000_000,
        input_image: 5_000_000,
        cache_read: 400_000,
        cache_read_audio: 500_000,
        cache_read_image: 600_000,
        output: 16_000_000,
        output_audio: 64_000_000,
      },
      context_window: 32_000,
      max_output_tokens: 4_096,
    },
    upstream: { protocols },
    atVendor: {
      per_million: {
        input: '4',
        audio_input: '32',
        image_input: '5',
        cached_input: '0.4',
        cached_audio_input: '0.5',
        cached_image_input: '0.6',
        output: '16',
        audio_output: '64',
      },
    },
  },
  ears: {
    model: { prices: { input: 2_500_000, input_audio: 6_000_000, output: 10_000_000 } },
    upstream: { protocols },
    atVendor: { per_million: { input: '2.5', audio_input: '6', output: '10' } },
  },
  'whisper-1': {
    model: { prices: { input: 0, output: 0 }, unit_prices: { audio_milliseconds: 100_000 } },
    upstream: { protocols },
    atVendor: { per_million: {}, per_thousand: { audio_millisecond: '0.0001' } },
  },
};

/** What is counted of sessions. */
export const REALTIME_SHOWS = [
  'input',
  'input_audio',
  'input_image',
  'cache_read',
  'cache_read_audio',
  'cache_read_image',
  'output',
  'output_audio',
  'audio_milliseconds',
  'standard',
] as const;

type Made = Awaited<ReturnType<typeof makeTaskModels<keyof typeof MODELS>>>;

/** A model for sessions with an upstream of its own, and what its books and its bill say. */
export interface RealtimeTests {
  readonly simulator: OwnSimulator;
  readonly books: Books;
  readonly made: Made;
  open(
    of?: { key?: string; script?: object; model?: string },
    more?: { query?: string; subprotocols?: string[] },
  ): Promise<RealtimeClient>;
  newCustomer(grant?: string): Promise<Customer>;
  /** What an account was charged. */
  bookedOf(accountId: string): Promise<Record<string, string>>;
  /** Resolves once an account has so many lines of usage. */
  rows(accountId: string, count: number): Promise<unknown>;
  /** In pico-USD, of all that used the model. */
  bill(): Promise<bigint>;
  closeSessions(): void;
  end(): Promise<void>;
}

export async function startRealtimeTests(at: TestStack): Promise<RealtimeTests> {
  const simulator = await startOwnSimulator();
  const books = openBooks(at.databaseUrl);
  const made = await makeTaskModels(at, simulator.url, MODELS);
  const sessions: RealtimeClient[] = [];
  const bookedOf = (accountId: string) =>
    books.one(
      `SELECT count(*)::int AS rows, coalesce(sum(cost_pico), 0)::text AS cost,
              count(*) FILTER (WHERE operation = 'realtime')::int AS realtime
       FROM billing.usage WHERE account_id = $1`,
      [accountId],
    );
  return {
    simulator,
    books,
    made,
    bookedOf,
    async open(of = {}, more = {}) {
      const headers = of.script ? { 'x-sim-script': JSON.stringify(of.script) } : {};
      const whom = { key: of.key ?? made.key, model: of.model ?? made.names.voice, ...more };
      const opened = await openRealtime(at.baseUrl, whom, { headers });
      sessions.push(opened);
      return opened;
    },
    newCustomer: (grant = '100') => openAccount(at, { mode: 'prepaid', grant }, { group: made.group }),
    rows: (accountId, count) =>
      waitFor(async () => Number((await bookedOf(accountId))['rows']) === count, `${count} rows`, 20_000, 50),
    async bill() {
      const answer = await fetch(`${simulator.url}/__sim/bill`);
      const bills = (await answer.json()) as { credential: string; amount_pico: string }[];
      return BigInt(bills.find(({ credential }) => credential === made.names.voice)?.amount_pico ?? '0');
    },
    closeSessions() {
      for (const { socket } of sessions.splice(0)) socket.terminate();
    },
    async end() {
      await books.close();
      await simulator.close();
    },
  };
}
