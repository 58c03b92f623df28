import { waitFor } from '@tollgate/harness';
import { call, GOOD } from '../call.ts';
import {
  makeOwnPool,
  type OwnSimulator,
  ownName,
  putUpstream,
  startOwnSimulator,
  ask,
} from '../pools/own-pool.ts';
import { openOwnStack, type OwnStack } from './own-stack.ts';
import { type Sample, scrape, sumSamples, requireUrl } from './scrape.ts';

let at: OwnStack;
let simulator: OwnSimulator;
beforeAll(async () => {
  [at, simulator] = await Promise.all([openOwnStack(), startOwnSimulator()]);
}, 90_000);
afterAll(async () => {
  await simulator?.close();
  await at?.close();
});

const ofGateway = () => scrape(at.baseUrl);
const ofBilling = () => scrape(requireUrl(at.stack, 'billing'));
const authorization = () => ({ authorization: `Bearer ${at.apiKey}` });

/** How much a metric rises while something is done. */
async function rise(
  work: () => Promise<unknown>,
  ...metric: [string, Record<string, string>?]
): Promise<number> {
  const before = sumSamples(await ofGateway(), ...metric);
  await work();
  return sumSamples(await ofGateway(), ...metric) - before;
}

const chat = (body: object = {}, headers: Record<string, string> = authorization()) =>
  call(`${at.baseUrl}${GOOD.chat.path}`, { headers, body: { ...GOOD.chat.body, ...body } });

test('requests are counted by protocol, status and outcome, and their tokens by model and kind', async () => {
  const before = await ofGateway();
  const answer = await chat();
  await chat({ stream: true });
  const input = answer.json?.['usage']?.['prompt_tokens'] ?? Number.NaN;
  const after = await ofGateway();
  const rose = (name: string, labels: Record<string, string>) =>
    sumSamples(after, name, labels) - sumSamples(before, name, labels);
  const good = { protocol: 'openai-chat', status: '200', outcome: 'completed' };
  expect(rose('tollgate_gateway_requests_total', good)).toBe(2);
  expect(rose('tollgate_gateway_model_requests_total', { group: 'default', model: 'sim-chat' })).toBe(2);
  expect(rose('tollgate_gateway_tokens_total', { model: 'sim-chat', kind: 'input' })).toBe(2 * input);
  const timed = { protocol: 'openai-chat', stream: 'true' };
  expect(rose('tollgate_gateway_request_duration_seconds_count', timed)).toBe(1);
  expect(rose('tollgate_gateway_first_byte_seconds_count', { stream: 'true' })).toBe(1);
});

test('calls to upstreams are measured as the conventions for generative AI say', async () => {
  const labels = {
    gen_ai_operation_name: 'chat',
    gen_ai_provider_name: 'openai',
    gen_ai_request_model: 'sim-chat',
  };
  const before = await ofGateway();
  const answer = await chat();
  await chat({ stream: true });
  const after = await ofGateway();
  const rose = (name: string, more: Record<string, string> = {}) =>
    sumSamples(after, name, { ...labels, ...more }) - sumSamples(before, name, { ...labels, ...more });
  const input = answer.json?.['usage']?.['prompt_tokens'] ?? Number.NaN;
  expect(rose('gen_ai_client_operation_duration_seconds_count')).toBe(2);
  expect(rose('gen_ai_client_token_usage_sum', { gen_ai_token_type: 'input' })).toBe(2 * input);
  expect(rose('gen_ai_client_token_usage_count', { gen_ai_token_type: 'output' })).toBe(2);
});

test.each([
  ['a wrong key', () => chat({}, { authorization: 'Bearer sk-wrong' }), 'invalid_key'],
  ['a model that is not there', () => chat({ model: 'no-such-model' }), 'model_not_found'],
])('%s is counted as a refusal of its kind', async (_name, work, kind) => {
  expect(await rise(work, 'tollgate_gateway_refusals_total', { kind })).toBe(1);
});

test('what callers write is in no label: neither keys nor models that are not there', async () => {
  await chat({ model: 'model-of-a-caller' }, authorization());
  const text = await (await fetch(`${at.baseUrl}/metrics`)).text();
  expect(text).not.toContain('model-of-a-caller');
  expect(text).not.toContain(at.apiKey.slice(3, 20));
  expect(text).not.toContain(at.accountId);
});

test('a request under way and its stream are in flight until it ends, also when its caller leaves', async () => {
  const gone = new AbortController();
  const slow = { chunk_delay_ms: 200, words: 1_000 };
  const answer = await fetch(`${at.baseUrl}${GOOD.chat.path}`, {
    method: 'POST',
    headers: { ...authorization(), 'content-type': 'application/json' },
    body: JSON.stringify({
      ...GOOD.chat.body,
      stream: true,
      messages: [{ role: 'user', content: `[[sim ${JSON.stringify(slow)}]]` }],
    }),
    signal: gone.signal,
  });
  expect(answer.status).toBe(200);
  const flying = async () => {
    const samples = await ofGateway();
    const names = ['tollgate_gateway_requests_in_flight', 'tollgate_gateway_streams_in_flight'];
    return names.map((name) => sumSamples(samples, name));
  };
  expect(await flying()).toEqual([1, 1]);
  const left = { outcome: 'client_aborted' };
  const before = sumSamples(await ofGateway(), 'tollgate_gateway_requests_total', left);
  gone.abort();
  await waitFor(async () => (await flying()).every((n) => n === 0), 'the end of the request');
  expect(sumSamples(await ofGateway(), 'tollgate_gateway_requests_total', left)).toBe(before + 1);
});

test('a limit that keeps requests out is counted by what it belongs to', async () => {
  const { key } = await call(`${at.baseUrl}/api/keys`, {
    method: 'POST',
    headers: { cookie: at.cookie },
    body: { name: 'one a minute', limits: { requests_per_minute: 1 } },
  }).then(({ json }) => json as unknown as { key: string });
  const headers = { authorization: `Bearer ${key}` };
  await chat({}, headers);
  expect(
    await rise(() => chat({}, headers), 'tollgate_gateway_admission_refusals_total', { by: 'key' }),
  ).toBe(1);
});

test('an upstream that fails is counted under its name and that of its credential, with its retries', async () => {
  const [bad, good] = [ownName('bad'), ownName('good')];
  await putUpstream(at, bad, simulator.url, [], {
    credentials: [{ name: 'main', secret: 'secret-of-bad' }],
  });
  await putUpstream(at, good, simulator.url, [], {
    credentials: [{ name: 'main', secret: 'secret-of-good' }],
  });
  await simulator.script({ status: 503 }, { credential: 'secret-of-bad' });
  const own = await makeOwnPool(at, {
    members: [
      { upstream: bad, priority: 0 },
      { upstream: good, priority: 1 },
    ],
  });
  expect((await ask(at.baseUrl, own)).status).toBe(200);
  const samples = await ofGateway();
  const counted = (name: string, labels: Record<string, string>) => sumSamples(samples, name, labels);
  expect(
    counted('tollgate_upstream_attempts_total', { upstream: bad, credential: 'main', outcome: 'failed' }),
  ).toBe(1);
  expect(counted('tollgate_upstream_failures_total', { upstream: bad, cause: 'status_503' })).toBe(1);
  expect(counted('tollgate_upstream_attempts_total', { upstream: good, outcome: 'answered' })).toBe(1);
  expect(counted('tollgate_upstream_state', { upstream: good, state: 'ready' })).toBe(1);
  expect(counted('tollgate_pool_retries_total', { pool: own.model })).toBe(1);
  const text = JSON.stringify(samples);
  expect(text).not.toContain('secret-of');
});

test('usage is unconfirmed until it is in the books, where its charge is counted', async () => {
  const charged = 'tollgate_usage_charged_micro_usd_total';
  const before = sumSamples(await ofBilling(), charged);
  await chat();
  await waitFor(async () => sumSamples(await ofBilling(), charged) > before, 'the charge');
  await waitFor(
    async () => {
      const samples = await ofGateway();
      const left = [
        'tollgate_gateway_usage_unconfirmed',
        'tollgate_gateway_spool_files',
        'tollgate_gateway_spool_bytes',
      ];
      return left.every((name) => sumSamples(samples, name) === 0);
    },
    'the confirmation',
    20_000,
  );
  const samples = await ofBilling();
  expect(sumSamples(samples, 'tollgate_usage_lag_seconds_count')).toBeGreaterThan(0);
  expect(sumSamples(samples, 'tollgate_usage_queue_jobs', { state: 'failed' })).toBe(0);
  expect(samples.some(({ name }) => name === 'tollgate_usage_queue_jobs')).toBe(true);
});

test('gateway and pricing name the same version of the prices', async () => {
  const version = (samples: readonly Sample[], service: string) =>
    sumSamples(samples, `tollgate_${service}_version`);
  await waitFor(async () => {
    const gateway = version(await ofGateway(), 'gateway_snapshot');
    return gateway > 0 && gateway === version(await scrape(requireUrl(at.stack, 'pricing')), 'pricing');
  }, 'the newest version');
});

test('the front door shows no metrics to who comes through a proxy', async () => {
  const answer = await fetch(`${at.baseUrl}/metrics`, { headers: { 'x-forwarded-for': '8.8.8.8' } });
  expect(await answer.text()).not.toContain('tollgate_');
});
