import OpenAI from 'openai';
import { type RunningSimulator, startSimulator } from '../simulator.ts';

let simulator: RunningSimulator;
let client: OpenAI;

beforeAll(async () => {
  simulator = await startSimulator();
  client = new OpenAI({ baseURL: `${simulator.url}/v1`, apiKey: 'test', maxRetries: 0 });
});
afterAll(() => simulator.close());

const parameters = {
  type: 'object',
  properties: { place: { type: 'string' }, days: { type: 'integer' }, metric: { type: 'boolean' } },
};
const tools = ['forecast', 'tides'].map((name) => ({
  type: 'function' as const,
  function: { name, parameters },
}));
const messages: OpenAI.ChatCompletionMessageParam[] = [
  { role: 'system', content: 'You are brief.' },
  { role: 'user', content: 'What is new?' },
  { role: 'assistant', content: 'Nothing much.' },
  { role: 'user', content: [{ type: 'text', text: 'Say something' }] },
];

test('answers, and a token is a word of any message', async () => {
  const { choices, usage } = await client.chat.completions.create({ model: 'sim', messages });
  expect(choices).toMatchObject([
    { index: 0, message: { role: 'assistant', content: 'Echo: Say something' }, finish_reason: 'stop' },
  ]);
  expect(usage).toMatchObject({ prompt_tokens: 10, completion_tokens: 3, total_tokens: 13 });
});

test('streams the same answer word by word, with usage in a last chunk when it is asked for', async () => {
  for (const include_usage of [true, false]) {
    const pieces: string[] = [];
    const usages: unknown[] = [];
    for await (const chunk of await client.chat.completions.create({
      model: 'sim',
      messages,
      stream: true,
      stream_options: { include_usage },
    })) {
      pieces.push(chunk.choices[0]?.delta.content ?? '');
      if (chunk.usage) usages.push([chunk.choices, chunk.usage]);
    }
    expect(pieces.filter(Boolean)).toEqual(['Echo: ', 'Say ', 'something']);
    expect(usages).toMatchObject(include_usage ? [[[], { prompt_tokens: 10, completion_tokens: 3 }]] : []);
  }
});

test('the stream helper assembles what the plain call answers', async () => {
  const streamed = await client.chat.completions
    .stream({ model: 'sim', messages, stream_options: { include_usage: true } })
    .finalChatCompletion();
  const whole = await client.chat.completions.create({ model: 'sim', messages });
  expect(streamed.choices[0]?.message.content).toBe(whole.choices[0]?.message.content);
  expect([streamed.id, streamed.usage]).toEqual([whole.id, whole.usage]);
});

test('thinks when an effort is asked for, and counts it', async () => {
  const { choices, usage } = await client.chat.completions.create({
    model: 'sim',
    messages: [{ role: 'user', content: 'Think' }],
    reasoning_effort: 'low',
  });
  expect(choices[0]?.message).toMatchObject({ content: 'Echo: Think', reasoning_content: 'Let me think.' });
  expect(usage).toMatchObject({ completion_tokens: 5, completion_tokens_details: { reasoning_tokens: 3 } });
});

describe.each([false, true])('with tools (stream: %s)', (stream) => {
  const ask = (request: OpenAI.ChatCompletionCreateParamsNonStreaming) =>
    stream
      ? client.chat.completions.stream({ ...request, stream: true }).finalChatCompletion()
      : client.chat.completions.create(request);
  const callsOf = ({ choices }: OpenAI.ChatCompletion) =>
    (choices[0]?.message.tool_calls ?? []).flatMap((call) => (call.type === 'function' ? [call] : []));

  test('calls one with arguments of the right types, and takes its result', async () => {
    const question = { role: 'user' as const, content: 'Please use tool' };
    const first = await ask({ model: 'sim', messages: [question], tools });
    const [call, ...others] = callsOf(first);
    if (!call) throw new Error('no tool was called');
    expect(others).toEqual([]);
    expect(first.choices[0]).toMatchObject({ finish_reason: 'tool_calls', message: { content: null } });
    expect(call.function.name).toBe('forecast');
    expect(JSON.parse(call.function.arguments)).toEqual({ place: 'Paris', days: 1, metric: true });

    const result = { role: 'tool' as const, tool_call_id: call.id, content: 'rain until noon' };
    const second = await ask({
      model: 'sim',
      messages: [question, { role: 'assistant', tool_calls: [call] }, result],
      tools,
    });
    expect(second.choices[0]).toMatchObject({
      finish_reason: 'stop',
      message: { content: 'The tool says: rain until noon' },
    });
  });

  test('calls all when the user wants them, each under an id of its own', async () => {
    const answer = await ask({ model: 'sim', messages: [{ role: 'user', content: 'Use tools' }], tools });
    const calls = callsOf(answer);
    expect(calls.map((call) => call.function.name)).toEqual(['forecast', 'tides']);
    expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
  });

  test('calls one that is forced, and none that nobody wants', async () => {
    const messages = [{ role: 'user' as const, content: 'Hello' }];
    expect(callsOf(await ask({ model: 'sim', messages, tools, tool_choice: 'required' }))).toHaveLength(1);
    expect(callsOf(await ask({ model: 'sim', messages, tools }))).toEqual([]);
  });
});

test('a tool call counts as five tokens', async () => {
  const request = { model: 'sim', messages: [{ role: 'user' as const, content: 'Use tools' }], tools };
  const { usage } = await client.chat.completions.create(request);
  expect(usage).toMatchObject({ prompt_tokens: 2, completion_tokens: 10 });
});

test('errors are of the classes that the SDK knows', async () => {
  const catchError = (script: object) =>
    client.chat.completions
      .create({ model: 'sim', messages: [{ role: 'user', content: `[[sim ${JSON.stringify(script)}]]` }] })
      .catch((reason: unknown) => reason);
  expect(await catchError({ status: 429 })).toBeInstanceOf(OpenAI.RateLimitError);
  expect(await catchError({ status: 401 })).toMatchObject({ status: 401, code: 'invalid_api_key' });
  expect(await catchError({ status: 503 })).toBeInstanceOf(OpenAI.InternalServerError);
  expect(await catchError({ cut_before_headers: true })).toBeInstanceOf(OpenAI.APIConnectionError);
});
