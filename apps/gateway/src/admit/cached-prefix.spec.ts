/*
 * What an agent that speaks Chat pays on a Claude model, where the relay marks the beginning of its requests for the
 * vendor's cache: from the request over the vendor's answer and its usage to the charge.
 */
import { computeCharge, groupSchema, modelSchema, poolSchema, upstreamSchema } from '@tollgate/catalogue';
import { createMeter, tokenBounds, withinBound } from '@tollgate/metering';
import { parseRatio } from '@tollgate/money';
import {
  CODECS,
  convertAnswer,
  convertRequest,
  createStateWrapper,
  findDialect,
  joinUpstreamUrl,
  parseJson,
  readOutput,
  upstreamPath,
} from '@tollgate/protocols';
import { keyRecord } from '../../testing/keys.ts';
import { priceSnapshot } from '../../testing/price-snapshot.ts';
import { upstreamHeadersWithKey } from '../../testing/upstream-headers.ts';
import { type RunningSimulator, startSimulator } from '@tollgate/simulator';
import { buildRoutingTable } from '../route/routing-table.ts';
import { createUpstreamClients } from '../upstreams/upstream-clients.ts';
import { reserve } from './reserve.ts';

const MODEL = 'claude-sonnet-5';
/** Pico-USD per token: 3, 0.3, 3.75, 6 and 15 USD for a million. */
const PRICES = {
  input: 3_000_000n,
  cache_read: 300_000n,
  cache_write: 3_750_000n,
  cache_write_1h: 6_000_000n,
  output: 15_000_000n,
};
const RATIO = '1.1';

const numbers = Object.fromEntries(Object.entries(PRICES).map(([kind, price]) => [kind, Number(price)]));
const snapshot = priceSnapshot({
  models: [
    modelSchema.parse({
      name: MODEL,
      vendor: 'anthropic',
      max_output_tokens: 1_000,
      context_window: 200_000,
      prices: {
        input_image: 0,
        input_audio: 0,
        output_reasoning: 0,
        output_audio: 0,
        output_image: 0,
        ...numbers,
      },
    }),
  ],
  groups: [groupSchema.parse({ name: 'g', ratio: RATIO, models: ['*'] })],
  upstreams: [
    upstreamSchema.parse({ name: 'u', base_url: 'https://u.example', protocols: ['anthropic-messages'] }),
  ],
  pools: [poolSchema.parse({ name: 'p', groups: ['*'], models: ['*'], members: [{ upstream: 'u' }] })],
});

/** An agent's second step; the vendor has kept what the first one began with. */
const agentAsks = (usage: object, stream: boolean) => ({
  model: MODEL,
  max_tokens: 500,
  ...(stream ? { stream, stream_options: { include_usage: true } } : {}),
  tools: [{ type: 'function', function: { name: 'look', description: 'Look. '.repeat(1_500) } }],
  messages: [
    { role: 'system', content: 'Be brief. '.repeat(1_000) },
    { role: 'user', content: 'What is in the folder?' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'c1', content: 'A file. '.repeat(500) },
    { role: 'user', content: `And in it? [[sim ${JSON.stringify({ text: 'Nothing.', usage })}]]` },
  ],
});

let simulator: RunningSimulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());

function holdFor(body: ReturnType<typeof agentAsks>) {
  const clients = createUpstreamClients(Buffer.alloc(32));
  const table = buildRoutingTable(snapshot, clients.update(snapshot.catalogue.upstreams));
  const read = readOutput(CODECS['openai-chat'].outputFields, body);
  if (!read.ok) throw new Error('the limits cannot be read');
  const reservation = reserve(table, {
    requestId: 'req_1',
    arrivedAt: Date.parse('2026-11-21T12:00:00Z'),
    key: keyRecord(),
    model: MODEL,
    protocol: 'openai-chat',
    extras: () => undefined,
    output: read.output,
    bound: tokenBounds(body),
  });
  if (!reservation?.hold) throw new Error('nothing is held');
  return { ...reservation, held: reservation.hold.amount };
}

/** The vendor's answer to what an agent asks, as bytes, and how it is read. */
async function askClaude(body: ReturnType<typeof agentAsks>, stream: boolean) {
  const converted = convertRequest({
    from: 'openai-chat',
    to: 'anthropic-messages',
    body,
    stream,
    framing: stream ? 'sse' : 'none',
    dialect: findDialect('anthropic-messages', MODEL, { max_output_tokens: 1_000 }),
    includeUsage: true,
    strict: false,
    model: MODEL,
    upstreamModel: MODEL,
    defaultMaxTokens: 1_000,
    states: createStateWrapper(Buffer.alloc(32)),
  });
  if (!converted.ok) throw new Error(converted.error.message);
  const path = upstreamPath('anthropic-messages', { model: MODEL, action: converted.action });
  const answer = await fetch(joinUpstreamUrl(simulator.url, path), {
    method: 'POST',
    headers: {
      ...upstreamHeadersWithKey('anthropic-messages'),
      'content-type': 'application/json',
    },
    body: converted.body.toString('utf8'),
  });
  const bytes = Buffer.from(await answer.arrayBuffer());
  expect([answer.status, bytes.toString('utf8')]).toEqual([200, expect.anything()]);
  return { sent: converted.body.toString('utf8'), plan: converted.plan, bytes };
}

const USAGE = { input: 30, cache_read: 5_000, cache_write: 1_500, cache_write_1h: 200, output: 12 };

test.each([false, true])(
  'is charged for what was written, read and new, exactly (stream: %s)',
  async (stream) => {
    // The simulator is told all of the input, as OpenAI counts it.
    const body = agentAsks({ ...USAGE, input: 6_730 }, stream);
    const { sent, plan, bytes } = await askClaude(body, stream);
    // The tools, the system text, and what the user's side said last.
    expect(sent.match(/"cache_control":\{"type":"ephemeral"\}/g)).toHaveLength(4);

    const meter = createMeter('anthropic-messages', { stream: stream ? 'sse' : 'none', requestEstimate: 1 });
    meter.feed(bytes);
    meter.end();
    const { tokens, source } = meter.finish('complete');
    expect({ tokens, source }).toEqual({ tokens: USAGE, source: 'upstream' });

    const { boundOf, costOf, held } = holdFor(body);
    expect(withinBound(tokens, boundOf(MODEL)).beyond).toBe(false);
    // (30 x 3 + 5,000 x 0.3 + 1,500 x 3.75 + 200 x 6 + 12 x 15) x 1.1 micro-USD
    expect(
      computeCharge({ counts: tokens }, { prices: numbers, tiers: [], request_price: 0 }, [
        parseRatio(RATIO),
      ]),
    ).toBe(9_454_500_000n);
    expect(costOf([{ model: MODEL, counts: tokens }])).toBe(9_455);
    expect(held).toBeGreaterThanOrEqual(9_455);

    if (stream) return;
    const converted = convertAnswer(plan, bytes);
    expect(converted.ok && parseJson(converted.body.toString('utf8'))).toMatchObject({
      usage: {
        prompt_tokens: 6_730,
        completion_tokens: 12,
        prompt_tokens_details: { cached_tokens: 5_000 },
      },
    });
  },
);

test.each(['input', 'cache_read', 'cache_write', 'cache_write_1h'] as const)(
  'the hold covers a request all of which is %s',
  (kind) => {
    const { boundOf, costOf, held } = holdFor(agentAsks({}, false));
    const { input, output } = boundOf(MODEL);
    expect(output).toBe(500);
    const max = costOf([{ model: MODEL, counts: { [kind]: input, output } }]);
    expect(held).toBeGreaterThanOrEqual(max);
    if (kind === 'cache_write_1h') expect(held).toBe(max);
  },
);
