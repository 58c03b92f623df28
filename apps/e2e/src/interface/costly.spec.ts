/*
 * What vendors charge beside tokens has no price here, so that none of it is served. Requests go to upstreams of every
 * format, and the simulator says what reached it.
 */
import { randomUUID } from 'node:crypto';
import { waitFor } from '@tollgate/harness';
import { call } from '../call.ts';
import { admin, sharedStack, makeKey } from '../shared-stack.ts';
import {
  makeOwnPool,
  type OwnSimulator,
  startOwnSimulator,
  putUpstream,
  ownName,
} from '../pools/own-pool.ts';

const at = sharedStack();
let simulator: OwnSimulator;
beforeAll(async () => {
  simulator = await startOwnSimulator();
});
afterAll(() => simulator.close());

type Format = 'openai-chat' | 'openai-responses' | 'anthropic-messages' | 'gemini';

const OWN = {
  'openai-chat': { type: 'function', function: { name: 'look', parameters: { type: 'object' } } },
  'openai-responses': { type: 'function', name: 'look', parameters: { type: 'object' } },
  'anthropic-messages': { name: 'look', input_schema: { type: 'object' } },
  gemini: { functionDeclarations: [{ name: 'look' }] },
} as const;
const HOSTED = {
  'openai-chat': { type: 'web_search', web_search: {} },
  'openai-responses': { type: 'web_search' },
  'anthropic-messages': { type: 'web_search_20250305', name: 'web_search', max_uses: 100 },
  gemini: { googleSearch: {} },
} as const;
const TIER = {
  'openai-chat': { service_tier: 'priority' },
  'openai-responses': { service_tier: 'priority' },
  'anthropic-messages': { service_tier: 'priority' },
  gemini: { serviceTier: 'priority' },
} as const;

const bodyOf = (format: Format, model: string, mark: string, more: object, counts: boolean): object => {
  const rest = { ...(format === 'gemini' ? {} : { model }), ...more };
  if (format === 'openai-responses') return { input: mark, ...rest };
  if (format === 'gemini') return { contents: [{ role: 'user', parts: [{ text: mark }] }], ...rest };
  const limit = counts ? {} : { max_tokens: 20 };
  return { ...limit, messages: [{ role: 'user', content: mark }], ...rest };
};
const pathOf = (format: Format, model: string, action: 'whole' | 'stream' | 'count'): string =>
  ({
    'openai-chat': '/v1/chat/completions',
    'openai-responses': '/v1/responses',
    'anthropic-messages': action === 'count' ? '/v1/messages/count_tokens' : '/v1/messages',
    gemini: `/v1beta/models/${model}:${{ whole: 'generateContent', stream: 'streamGenerateContent', count: 'countTokens' }[action]}`,
  })[format];

/** The formats whose clients may count tokens. */
const COUNTED: readonly Format[] = ['anthropic-messages', 'gemini'];
const FORMATS = Object.keys(OWN) as Format[];

async function poolOn(format: Format, model: object = {}) {
  const name = ownName('costly');
  await putUpstream(at, name, simulator.url, [name], { protocols: [format] });
  // A Chat upstream with a tool of its own is none of OpenAI's.
  const named = format === 'openai-chat' ? 'glm-own' : 'own';
  return makeOwnPool(at, { members: [{ upstream: name }] }, { model, named });
}

async function send(
  format: Format,
  to: { key: string; model: string },
  more: object,
  action: 'whole' | 'stream' | 'count' = 'whole',
) {
  const mark = randomUUID();
  const streams = action === 'stream' && format !== 'gemini' ? { stream: true } : {};
  const body = JSON.stringify(bodyOf(format, to.model, mark, { ...more, ...streams }, action === 'count'));
  const answer = await call(`${at.baseUrl}${pathOf(format, to.model, action)}`, {
    headers: { authorization: `Bearer ${to.key}` },
    body,
  });
  const reached = (await simulator.requests()).filter(({ body: sent }) => sent.includes(mark));
  return { answer, body, reached };
}

describe.each(FORMATS)('a %s upstream', (upstream) => {
  let pool: { key: string; model: string };
  beforeAll(async () => {
    pool = await poolOn(upstream);
  });

  describe.each(FORMATS)('asked in %s', (format) => {
    test.each(['whole', 'stream', ...(COUNTED.includes(format) ? ['count'] : [])] as const)(
      'a tool of the vendor that is offered is left out (%s)',
      async (action) => {
        const { answer, reached } = await send(
          format,
          pool,
          { tools: [OWN[format], HOSTED[format]] },
          action as 'whole',
        );
        expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
        for (const { body } of reached) {
          expect(body).not.toMatch(/web_search|googleSearch/);
          if (action !== 'count') expect(body).toContain('look');
        }
        if (action !== 'count') {
          expect(reached).toHaveLength(1);
          expect(answer.headers.get('x-tollgate-dropped')).toBe(
            format === 'gemini' ? 'tools[1].googleSearch' : 'tools[1]',
          );
        }
      },
    );

    test('one that is the only tool, and a tier, are a 400 that names them', async () => {
      for (const more of [{ tools: [HOSTED[format]] }, TIER[format]]) {
        const { answer, reached } = await send(format, pool, more);
        expect(answer.status).toBe(400);
        expect(answer.text).toContain(Object.keys(more)[0]);
        expect(reached).toEqual([]);
      }
    });
  });

  test('a strict key gets a 400 for what is merely offered', async () => {
    const { key } = await makeKey(at, { group: pool.model, strict: true });
    const { answer, reached } = await send(
      upstream,
      { ...pool, key },
      { tools: [OWN[upstream], HOSTED[upstream]] },
    );
    expect(answer.status).toBe(400);
    expect(reached).toEqual([]);
  });

  test('what the operator gives away passes with its bytes untouched', async () => {
    const open = await poolOn(upstream, { features: { web_search: 'free', service_tier: 'free' } });
    const { answer, body, reached } = await send(upstream, open, {
      tools: [OWN[upstream], HOSTED[upstream]],
      ...TIER[upstream],
    });
    expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
    expect(reached.map((request) => request.body)).toEqual([body]);
    expect(answer.headers.get('x-tollgate-dropped')).toBeNull();
  });
});

test('auto is sent as the ordinary tier; a tier that the operator sets stays', async () => {
  const pool = await poolOn('openai-responses');
  const { reached } = await send('openai-responses', pool, { service_tier: 'auto' });
  expect(JSON.parse(reached[0]?.body ?? '')).toMatchObject({ service_tier: 'default' });
  const name = ownName('tiered');
  await putUpstream(at, name, simulator.url, [name], { set_parameters: { service_tier: 'priority' } });
  const set = await makeOwnPool(at, { members: [{ upstream: name }] });
  const sent = await send('openai-chat', set, { service_tier: 'auto' });
  expect(JSON.parse(sent.reached[0]?.body ?? '')).toMatchObject({ service_tier: 'priority' });
});

test.each([
  ['background', { background: true }],
  ['tools[0]', { tools: [{ type: 'image_generation' }] }],
] as const)('Responses: %s is a 400', async (param, more) => {
  const pool = await poolOn('openai-responses');
  const { answer, reached } = await send('openai-responses', pool, more);
  expect([answer.status, answer.json?.['error']?.['param']]).toEqual([400, param]);
  expect(reached).toEqual([]);
});

test('a model that stands in serves only what it has given away itself', async () => {
  const [dead, alive] = [ownName('dead'), ownName('alive')];
  await putUpstream(at, dead, 'http://127.0.0.1:9', [dead]);
  await putUpstream(at, alive, simulator.url, [alive]);
  const stand = await makeOwnPool(at, { members: [{ upstream: alive }] });
  const pool = await makeOwnPool(
    at,
    { members: [{ upstream: dead }] },
    { model: { features: { service_tier: 'free' } } },
  );
  await admin(at, 'PUT', `/api/catalogue/groups/${pool.model}`, {
    ratio: '1',
    models: [pool.model, stand.model],
    fallbacks: { [pool.model]: [stand.model] },
  });
  await waitFor(
    async () => (await send('openai-chat', pool, {})).answer.status === 200,
    'the one that stands in',
  );
  const refused = await send('openai-chat', pool, { service_tier: 'flex' });
  expect(refused.answer.status).toBeGreaterThanOrEqual(400);
  expect(refused.reached).toEqual([]);
});
