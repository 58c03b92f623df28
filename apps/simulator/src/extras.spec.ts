import {
  anthropicMessages,
  type Dialect,
  gemini,
  openaiChat,
  openaiResponses,
  parseData,
} from '../testing/dialects.ts';
import { type RunningSimulator, startSimulator } from './simulator.ts';

let simulator: RunningSimulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());

async function ask(dialect: Dialect, more: object, script: object, stream: boolean) {
  const written = `Hello [[sim ${JSON.stringify(script)}]]`;
  const answer = await fetch(simulator.url + dialect.path(stream), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...dialect.headers },
    body: JSON.stringify({ ...dialect.body(written, stream), ...more }),
  });
  const text = await answer.text();
  return { status: answer.status, text };
}

/** The events of a stream, or the whole answer alone. */
async function readAnswer(dialect: Dialect, more: object, script: object, stream: boolean) {
  const { status, text } = await ask(dialect, more, script, stream);
  if (status !== 200) throw new Error(text);
  if (!stream) return [JSON.parse(text) as object];
  return parseData(text)
    .filter((data) => data !== '[DONE]')
    .map((data) => JSON.parse(data) as object);
}

interface Item {
  readonly container_id?: string;
  readonly action?: { readonly type: string };
}

describe.each([false, true])('streaming: %s', (stream) => {
  test('Responses: tools run once each where they are offered, and the vendor counts them', async () => {
    const tools = [
      { type: 'web_search' },
      { type: 'file_search', vector_store_ids: [] },
      { type: 'code_interpreter', container: { type: 'auto' } },
      { type: 'image_generation', model: 'gpt-image-2' },
    ];
    const events = await readAnswer(openaiResponses, { tools, service_tier: 'fast' }, {}, stream);
    const response = {
      output: [
        { type: 'web_search_call', action: { type: 'search' } },
        { type: 'file_search_call' },
        { type: 'code_interpreter_call' },
        { type: 'image_generation_call' },
        { type: 'message' },
      ],
      service_tier: 'priority',
      tools: [{ type: 'image_generation', model: 'gpt-image-2' }],
      tool_usage: {
        web_search: { num_requests: 1 },
        image_gen: { input_tokens: 10, output_tokens: 272, total_tokens: 282 },
      },
    };
    expect(events.at(-1)).toMatchObject(stream ? { response } : response);
  });

  test('Responses: the vendor’s count may be left out; containers are used by turns', async () => {
    const script = {
      searches: 2,
      pages_opened: 2,
      containers: 2,
      code_calls: 5,
      tool_usage: false,
      tier: 'flex',
    };
    const events = await readAnswer(openaiResponses, {}, script, stream);
    const last = events.at(-1) as { response?: object };
    const response = (stream ? last.response : last) as { output: Item[] };
    expect(response).not.toHaveProperty('tool_usage');
    expect(response).toMatchObject({ service_tier: 'flex' });
    const actions = response.output.flatMap(({ action }) => (action ? [action.type] : []));
    expect(actions).toEqual(['search', 'search', 'open_page', 'find_in_page']);
    const containers = response.output.flatMap(({ container_id: id }) => (id === undefined ? [] : [id]));
    expect([containers.length, new Set(containers).size]).toEqual([5, 2]);
  });

  test('Messages: usage counts the tools, and says tier, region and speed', async () => {
    const tools = [
      { type: 'web_search_20250305', name: 'web_search' },
      { type: 'web_fetch_20250910', name: 'web_fetch' },
      { type: 'code_execution_20250825', name: 'code_execution' },
    ];
    const more = { tools, inference_geo: 'us', speed: 'fast' };
    const events = await readAnswer(anthropicMessages, more, { searches: 3 }, stream);
    const served = { service_tier: 'standard', speed: 'fast', inference_geo: 'us' };
    const counted = { server_tool_use: { web_search_requests: 3, web_fetch_requests: 1 } };
    const container = { id: expect.any(String) as string };
    if (stream) {
      expect(events[0]).toMatchObject({ message: { usage: served } });
      expect(events.at(-2)).toMatchObject({ delta: { container }, usage: counted });
    } else expect(events[0]).toMatchObject({ usage: { ...served, ...counted }, container });
    const blocks = stream
      ? events.flatMap((event) => ('content_block' in event ? [event.content_block] : []))
      : (events[0] as { content: object[] }).content;
    expect(blocks).toMatchObject([
      ...Array.from({ length: 3 }, () => [
        { type: 'server_tool_use', name: 'web_search' },
        { type: 'web_search_tool_result' },
      ]).flat(),
      { type: 'server_tool_use', name: 'web_fetch' },
      { type: 'web_fetch_tool_result' },
      { type: 'server_tool_use', name: 'code_execution' },
      { type: 'code_execution_tool_result' },
      { type: 'text' },
    ]);
  });

  test('Gemini: the end lists the queries, and usage says the tier in the words of either service', async () => {
    const more = { tools: [{ googleSearch: {} }], serviceTier: 'priority' };
    const events = await readAnswer(gemini, more, { searches: 2 }, stream);
    expect(events.at(-1)).toMatchObject({
      candidates: [{ groundingMetadata: { webSearchQueries: ['query 0', 'query 1'] } }],
      usageMetadata: { serviceTier: 'priority' },
    });
    const onVertex = await readAnswer(gemini, {}, { tier: 'flex', traffic_type: true }, stream);
    expect(onVertex.at(-1)).toMatchObject({ usageMetadata: { trafficType: 'ON_DEMAND_FLEX' } });
  });

  test.each([
    ['xai', { server_side_tool_usage_details: { web_search_calls: 2 } }],
    ['openrouter', { server_tool_use: { web_search_requests: 2 } }],
    ['perplexity', { num_search_queries: 2 }],
  ])('Chat: usage counts searches in the words of %s', async (search_words, usage) => {
    const script = { searches: 2, search_words, tier: 'priority' };
    const events = await readAnswer(openaiChat, {}, script, stream);
    expect(events.at(-1)).toMatchObject({ service_tier: 'priority', usage });
  });

  test('Chat: OpenAI’s models that search cite pages', async () => {
    const events = await readAnswer(openaiChat, { web_search_options: {} }, {}, stream);
    const cited = { annotations: [{ type: 'url_citation' }] };
    expect(stream ? events.at(-3) : events[0]).toMatchObject({
      choices: [stream ? { delta: cited } : { message: cited }],
    });
  });
});

test.each([
  ['openai-chat', openaiChat, { fetches: 1 }],
  ['openai-chat', openaiChat, { tier: 'fast' }],
  ['openai-responses', openaiResponses, { region: 'us' }],
  ['anthropic-messages', anthropicMessages, { file_searches: 1 }],
  ['gemini', gemini, { tier: 'scale' }],
])('%s: what a format has no word for is refused', async (_name, dialect, script) => {
  const { status, text } = await ask(dialect, {}, script, false);
  expect(status).toBe(400);
  expect(text).toContain('this format has no word for');
});
