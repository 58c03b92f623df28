import { createHash, randomUUID } from 'node:crypto';
import { waitFor } from '@tollgate/harness';
import pg from 'pg';
import type { Contestant } from './contestant.ts';
import { ANY_KEY } from './load.ts';
import { measure } from './measure.ts';
import { chatBody, httpMessage } from './requests.ts';
import type { Driver } from './runner.ts';
import type { Tollgate } from './tollgate.ts';

/** CPU a request of Tollgate's gateway, over something that grows. */
export interface Curve {
  readonly title: string;
  readonly unit: string;
  readonly points: readonly { readonly at: number; readonly cpu: number; readonly memoryMb: number }[];
}

interface Bench {
  readonly driver: Driver;
  readonly gateway: Contestant;
  readonly tollgate: Tollgate;
  readonly rounds: number;
  /** The least points, and fewer requests. */
  readonly quick: boolean;
}

const PATH = '/v1/chat/completions';
const KEYED = { authorization: `Bearer ${ANY_KEY}` };
const REQUESTS = 6_000;

export async function curves(bench: Bench): Promise<Curve[]> {
  return [await overKeys(bench), await overModels(bench), await overPrompts(bench), await overStreams(bench)];
}

async function point(
  { driver, gateway, rounds }: Bench,
  at: number,
  job: Parameters<Driver['run']>[1],
): Promise<Curve['points'][number]> {
  const outcome = (await measure(driver, [gateway], rounds, () => job)).tollgate;
  if (!outcome || 'failed' in outcome) throw new Error(`${at}: ${outcome?.failed ?? 'no run'}`);
  return { at, cpu: outcome.cpu, memoryMb: outcome.memoryMb };
}

async function overKeys(bench: Bench): Promise<Curve> {
  const counts = bench.quick ? [1, 10, 1_000] : [1, 10, 1_000, 100_000];
  const keys = await makeKeys(bench.tollgate, counts.at(-1) ?? 1);
  const message = httpMessage('POST', PATH, KEYED, chatBody({ model: 'lean', promptBytes: 800 }));
  const points = [];
  for (const count of counts) {
    const requests = Math.max(REQUESTS, count);
    const job = { requests, connections: 16, messages: [message], keys: keys.slice(0, count) };
    points.push(await point(bench, count, job));
  }
  return { title: 'Keys in use', unit: 'keys', points };
}

/** Rows as billing would write them: a hundred thousand calls of its API would take longer than all else. */
async function makeKeys({ databaseUrl, accountId }: Tollgate, count: number): Promise<string[]> {
  const keys = Array.from({ length: count }, (_, index) => `sk-${index.toString(36).padStart(48, '0')}`);
  const client = new pg.Client(databaseUrl);
  await client.connect();
  await client.query(
    `INSERT INTO billing.api_key (id, account_id, name, key_hash, masked, group_name)
     SELECT id, $2, 'bench', hash, 'sk-…', 'bench' FROM unnest($1::uuid[], $3::text[]) AS made (id, hash)`,
    [
      keys.map(() => randomUUID()),
      accountId,
      keys.map((key) => createHash('sha256').update(key).digest('hex')),
    ],
  );
  await client.end();
  return keys;
}

async function overModels(bench: Bench): Promise<Curve> {
  const { tollgate, gateway } = bench;
  const names = Array.from({ length: 1_000 }, (_, index) => `bench-${index}`);
  await tollgate.admin('PUT', '/api/catalogue/drafts/bench', {
    reason: 'A thousand models',
    changes: names.map((name) => ({
      op: 'put',
      section: 'models',
      entry: {
        name,
        vendor: 'openai',
        prices: { input: 1_000_000, output: 3_000_000 },
        max_output_tokens: 4_000,
      },
    })),
  });
  await tollgate.admin('POST', '/api/catalogue/drafts/bench/publish', {});
  await waitFor(async () => {
    const answer = await fetch(`${tollgate.baseUrl}/v1/models`, { headers: gateway.headers });
    return (await answer.text()).includes('bench-999');
  }, 'a thousand models');
  const points = [];
  for (const count of [10, 1_000]) {
    const messages = names
      .slice(0, count)
      .map((model) => httpMessage('POST', PATH, gateway.headers, chatBody({ model, promptBytes: 800 })));
    points.push(await point(bench, count, { requests: REQUESTS, connections: 16, messages }));
  }
  return { title: 'Models in use, of a thousand', unit: 'models', points };
}

async function overPrompts(bench: Bench): Promise<Curve> {
  const points = [];
  for (const kilobytes of [1, 16, 256, 4_096]) {
    const requests = Math.max(40, Math.min(REQUESTS, Math.round(60_000 / kilobytes)));
    const body = chatBody({ model: 'lean', promptBytes: kilobytes * 1_024 });
    const messages = [httpMessage('POST', PATH, bench.gateway.headers, body)];
    points.push(await point(bench, kilobytes, { requests, connections: 8, messages }));
  }
  return { title: 'Size of the prompt', unit: 'KB', points };
}

async function overStreams(bench: Bench): Promise<Curve> {
  const points = [];
  const chunks = 40;
  for (const streams of bench.quick ? [1, 100, 1_000] : [1, 100, 1_000, 5_000]) {
    const body = chatBody({ model: 'lean', promptBytes: 800, stream: { everyMs: 100, chunks } });
    const messages = [httpMessage('POST', PATH, bench.gateway.headers, body)];
    const { cpu, ...rest } = await point({ ...bench, rounds: 1 }, streams, {
      requests: Math.max(4, streams),
      connections: streams,
      messages,
    });
    points.push({ ...rest, cpu: cpu / chunks });
  }
  return { title: 'Streams at once, CPU per chunk', unit: 'streams', points };
}
