import { setTimeout as sleep } from 'node:timers/promises';
import type { LeasedJob, UsageEvent } from '@tollgate/contracts';
import { createLogger } from '@tollgate/platform';
import { Registry } from 'prom-client';
import { NO_JOBS } from '../../testing/jobs.ts';
import { azureUpstream, buildTable, simulate, type Simulated, upstream } from '../../testing/forwarding.ts';
import { createRequestMetrics } from '../telemetry/request-metrics.ts';
import { askUpstream, findPlace } from './ask-upstream.ts';
import { type JobWatch, watchJobs } from './job-watch.ts';
import { pollJob } from './poll-jobs.ts';

let simulated: Simulated;
let built: ReturnType<typeof buildTable>;
let registry: Registry;
let watch: JobWatch;
beforeAll(async () => {
  simulated = await simulate();
  built = buildTable({
    upstreams: [
      upstream('one', simulated.url, ['ours'], { protocols: ['openai-responses'], reports_cost: true }),
    ],
    pool: { members: [{ upstream: 'one' }] },
  });
  registry = new Registry();
  watch = watchJobs({ registry, metrics: createRequestMetrics(registry), health: built.health });
});
afterAll(async () => {
  await built.close();
  await simulated.close();
});

const HOUR_MS = 3_600_000;
const place = () => built.table.targets[0]?.credential.place ?? '';

/** A job at the simulator, so many milliseconds old. */
async function begin(script: object, age_ms = 0): Promise<LeasedJob> {
  const answer = await fetch(`${simulated.url}/v1/responses`, {
    method: 'POST',
    headers: { authorization: 'Bearer ours' },
    body: JSON.stringify({
      model: 'm',
      background: true,
      input: `[[sim ${JSON.stringify(script)}]] Hello there`,
    }),
  });
  const { id } = (await answer.json()) as { id: string };
  return jobOf(id, age_ms);
}

const jobOf = (response_id: string, age_ms: number): LeasedJob => ({
  request_id: 'req_background',
  place: place(),
  response_id,
  age_ms,
  request: {
    occurred_at: '2026-11-22T10:00:00.000Z',
    account_id: '018f0000-0000-7000-8000-000000000002',
    key_id: '018f0000-0000-7000-8000-000000000001',
    group: 'g',
    model: 'm',
    pool: 'm',
    upstream: 'one',
    upstream_model: 'm',
    stream: false,
    snapshot_version: 7,
    snapshot_hash: '0'.repeat(64),
    request_tokens: 5,
    bound: { input: 50, output: 100, text_only: true },
    free: ['background'],
  },
});

/** What billing is told of a job that is polled once. @param of.isOurs nobody has told its end before. */
async function poll(
  job: LeasedJob,
  of: { readonly table?: typeof built.table; readonly isOurs?: boolean; readonly watch?: JobWatch } = {},
) {
  const { table = built.table, isOurs = true } = of;
  const heard: { status: string | null; events?: readonly UsageEvent[] }[] = [];
  await pollJob(job, {
    table: () => table,
    limitBytes: 100_000,
    watch: of.watch ?? watch,
    logger: createLogger('gateway', 'silent'),
    jobs: {
      ...NO_JOBS,
      polled: async (_requestId, status) => void heard.push({ status }),
      async end({ status, events }) {
        heard.push({ status, events });
        return isOurs;
      },
    },
  });
  return heard;
}

test('what goes on is told, and what has ended, with what it used', async () => {
  expect(await poll(await begin({ background_ms: 60_000 }))).toEqual([{ status: 'queued' }]);
  const job = await begin({ background_ms: 0, words: 7 });
  await sleep(20);
  const [end, ...more] = await poll(job);
  expect(more).toEqual([]);
  expect(end).toMatchObject({
    status: 'completed',
    events: [
      {
        request_id: 'req_background',
        snapshot_version: 7,
        model: 'm',
        upstream: 'one',
        outcome: 'completed',
        usage_source: 'upstream',
        lines: [{ model: 'm', counts: { input: 4, output: 7 } }],
        bound: { input: 50, output: 100, text_only: true },
      },
    ],
  });
});

test('what is reported beyond its bound is cut to it, and set aside', async () => {
  const job = await begin({ background_ms: 0, usage: { input: 10, output: 9_000_000 } });
  await sleep(20);
  const [end] = await poll(job);
  expect(end?.events).toMatchObject([
    {
      lines: [{ counts: { output: 100 } }],
      reported_lines: [{ counts: { output: 9_000_000 } }],
      disputed: true,
    },
  ]);
});

test.each([
  ['is the cost of the operator', 0.000123456789, '123456789'],
  // Ten times the list price of these few tokens is far less, and so is 1 USD.
  ['that cannot be is noted', 3, undefined],
])('what an upstream says that it charges %s', async (_what, cost, believed) => {
  const job = await begin({ background_ms: 0, cost });
  await sleep(20);
  const [end] = await poll(job);
  const [event] = end?.events ?? [];
  expect([event?.upstream_cost_pico, event?.disputed]).toEqual([
    believed,
    believed === undefined ? true : undefined,
  ]);
});

test('what jobs used is counted with all requests, how fast they were is not, and what cannot be is noted', async () => {
  registry.resetMetrics();
  const target = built.health.target(built.table.targets[0]?.credential.targetId ?? '');
  const job = await begin({ background_ms: 0, usage: { input: 10, output: 9_000_000 } });
  await sleep(20);
  await poll(job);
  const text = await registry.metrics();
  expect(text).toMatch(/tollgate_gateway_tokens_total\{model="m",kind="output"\} \d+/);
  expect(text).toMatch(/tollgate_gateway_usage_beyond_bound_total\{upstream="one"\} \d+/);
  expect(text).toContain('tollgate_gateway_background_polls_total{outcome="lost"} 0');
  expect(text).not.toContain('tollgate_gateway_first_byte_seconds_count{');
  expect(target?.view().lastError?.reason).toBe('usage beyond what is possible');
});

test('an end that another gateway has told meanwhile is not counted again', async () => {
  const own = new Registry();
  const ofOwn = watchJobs({ registry: own, metrics: createRequestMetrics(own), health: built.health });
  const counted = async () =>
    [...(await own.metrics()).matchAll(/^tollgate_gateway_(tokens|usage_beyond|lost)\S* ([1-9]\d*)$/gm)].map(
      ([, name = '', count]) => `${name} ${count}`,
    );
  const job = await begin({ background_ms: 0, usage: { input: 10, output: 9_000_000 } });
  await sleep(20);
  for (const isOurs of [false, true, false]) await poll(job, { isOurs, watch: ofOwn });
  expect(await counted()).toEqual(['tokens 10', 'tokens 100', 'usage_beyond 1']);
  for (const isOurs of [false, true, false])
    await poll(jobOf('resp_gone', HOUR_MS), { isOurs, watch: ofOwn });
  expect(await counted()).toEqual(['tokens 10', 'tokens 100', 'usage_beyond 1', 'lost 1']);
});

test('a token that has ended is replaced, and the upstream asked once more', async () => {
  const azure = buildTable({
    upstreams: [azureUpstream(simulated.url, { protocols: ['openai-responses'] })],
    pool: { members: [{ upstream: 'azure' }] },
  });
  await fetch(`${simulated.url}/__sim/clouds`, { method: 'PUT', body: '{"refuse_next":1}' });
  const job = { ...jobOf('resp_gone', 1_000), place: azure.table.targets[0]?.credential.place ?? '' };
  const at = findPlace(azure.table, job.place);
  if (!at) throw new Error('there is no such place');
  expect(await askUpstream(at, job, 'show', { limitBytes: 100_000 })).toMatchObject({ status: 404 });
  await azure.close();
});

test('one that runs for a day is cancelled, and charged as far as it was', async () => {
  const job = await begin({ background_ms: 60_000, words: 7 }, 25 * HOUR_MS);
  const [end] = await poll(job);
  expect(end).toMatchObject({ status: 'cancelled', events: [{ outcome: 'client_aborted' }] });
});

test('one that its upstream does not know is asked for again, and later is the operator’s loss', async () => {
  expect(await poll(jobOf('resp_gone', 1_000))).toEqual([{ status: null }]);
  expect(await poll(jobOf('resp_gone', HOUR_MS))).toMatchObject([
    {
      status: 'expired',
      events: [
        { request_id: 'req_background.0', lost: 'status', lines: [{ counts: { input: 5, output: 100 } }] },
      ],
    },
  ]);
});

test('one whose upstream cannot be asked is kept for two days', async () => {
  await simulated.script({}, {});
  const job = { ...jobOf('resp_x', HOUR_MS), place: 'nowhere' };
  expect(await poll(job)).toEqual([{ status: null }]);
  expect(await poll({ ...job, age_ms: 49 * HOUR_MS })).toMatchObject([{ status: 'expired' }]);
});

test('an estimate stands for an answer that reports nothing', async () => {
  const job = await begin({ background_ms: 0, no_usage: true, words: 4 });
  await sleep(20);
  const [end] = await poll(job);
  expect(end?.events).toMatchObject([{ usage_source: 'estimated', lines: [{ counts: { input: 5 } }] }]);
});

test('an answer is asked for under the credential that it was made with, by its name there', async () => {
  const job = await begin({ background_ms: 10_000 });
  const at = findPlace(built.table, place());
  if (!at) throw new Error('there is no such place');
  const options = { limitBytes: 100_000, hops: 'a mark' };
  expect(await askUpstream(at, job, 'cancel', options)).toMatchObject({
    status: 200,
    json: { status: 'cancelled' },
  });
  expect(await askUpstream(at, job, 'delete', options)).toMatchObject({ status: 200 });
  expect(await askUpstream(at, job, 'show', options)).toMatchObject({ status: 404 });
  const [last] = (await simulated.requests()).slice(-1);
  expect(last).toMatchObject({
    url: `/v1/responses/${job.response_id}`,
    headers: { authorization: 'Bearer ours' },
  });
});
