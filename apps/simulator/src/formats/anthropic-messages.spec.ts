import Anthropic from '@anthropic-ai/sdk';
import { type RunningSimulator, startSimulator } from '../simulator.ts';

let simulator: RunningSimulator;
let client: Anthropic;

beforeAll(async () => {
  simulator = await startSimulator();
  client = new Anthropic({ baseURL: simulator.url, apiKey: 'test', maxRetries: 0 });
});
afterAll(() => simulator.close());

const tools: Anthropic.Tool[] = ['forecast', 'tides'].map((name) => ({
  name,
  input_schema: { type: 'object', properties: { place: { type: 'string' }, days: { type: 'number' } } },
}));
const ask = {
  model: 'sim',
  max_tokens: 100,
  system: [{ type: 'text' as const, text: 'You are brief.' }],
  messages: [
    { role: 'user' as const, content: 'What is new?' },
    { role: 'assistant' as const, content: 'Nothing much.' },
    { role: 'user' as const, content: [{ type: 'text' as const, text: 'Say something' }] },
  ],
};

test('answers, and a token is a word of the system text or any message', async () => {
  expect(await client.messages.create(ask)).toMatchObject({
    type: 'message',
    role: 'assistant',
    content: [{ type: 'text', text: 'Echo: Say something' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 10, output_tokens: 3, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
  });
});

test('streams its events in the order of the format, with the usage at both ends', async () => {
  const events: Anthropic.RawMessageStreamEvent[] = [];
  for await (const event of await client.messages.create({ ...ask, stream: true })) events.push(event);
  expect(events.filter(({ type }) => String(type) !== 'ping').map(({ type }) => type)).toEqual([
    'message_start',
    'content_block_start',
    ...Array.from({ length: 3 }, () => 'content_block_delta'),
    'content_block_stop',
    'message_delta',
    'message_stop',
  ]);
  expect(events[0]).toMatchObject({ message: { content: [], usage: { input_tokens: 10 } } });
  expect(events.at(-2)).toMatchObject({ delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 3 } });
});

test.each([{ ...ask }, { ...ask, thinking: { type: 'adaptive' as const } }])(
  'the stream helper assembles what the plain call answers (%#)',
  async (request) => {
    const streamed = await client.messages.stream(request).finalMessage();
    const whole = await client.messages.create(request);
    expect(streamed.content).toEqual(whole.content);
    expect([streamed.id, streamed.stop_reason]).toEqual([whole.id, whole.stop_reason]);
    expect(streamed.usage.output_tokens).toBe(whole.usage.output_tokens);
  },
);

test('thinks when told to, signs it and counts it', async () => {
  const { content, usage } = await client.messages.create({
    ...ask,
    max_tokens: 4_000,
    thinking: { type: 'enabled', budget_tokens: 1_024 },
  });
  expect(content).toMatchObject([
    { type: 'thinking', thinking: 'Let me think.', signature: expect.stringMatching(/.+/) as unknown },
    { type: 'text', text: 'Echo: Say something' },
  ]);
  expect(usage).toMatchObject({ output_tokens: 6, output_tokens_details: { thinking_tokens: 3 } });
});

describe.each([false, true])('with tools (stream: %s)', (stream) => {
  const send = (messages: Anthropic.MessageParam[], more: object = {}) => {
    const request = { model: 'sim', max_tokens: 100, messages, tools, ...more };
    return stream ? client.messages.stream(request).finalMessage() : client.messages.create(request);
  };
  const callsOf = ({ content }: Anthropic.Message) =>
    content.flatMap((block) => (block.type === 'tool_use' ? [block] : []));

  test('calls one and takes its result', async () => {
    const question = { role: 'user' as const, content: 'Please use tool' };
    const first = await send([question]);
    const [call, ...others] = callsOf(first);
    if (!call) throw new Error('no tool was called');
    expect(others).toEqual([]);
    expect(first).toMatchObject({ stop_reason: 'tool_use', usage: { output_tokens: 5 } });
    expect(call).toMatchObject({ name: 'forecast', input: { place: 'Paris', days: 1 } });

    const result = [{ type: 'text' as const, text: 'rain until noon' }];
    const second = await send([
      question,
      { role: 'assistant', content: first.content },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: call.id, content: result }] },
    ]);
    expect(second.content).toMatchObject([{ type: 'text', text: 'The tool says: rain until noon' }]);
  });

  test('calls all when the user wants them, and one that is forced', async () => {
    const all = callsOf(await send([{ role: 'user', content: 'Use tools' }]));
    expect(all.map(({ name }) => name)).toEqual(['forecast', 'tides']);
    expect(new Set(all.map(({ id }) => id)).size).toBe(2);
    const hello = [{ role: 'user' as const, content: 'Hello' }];
    expect(callsOf(await send(hello, { tool_choice: { type: 'any' } }))).toHaveLength(1);
    expect(callsOf(await send(hello))).toEqual([]);
  });
});

test('counts the input before it is sent', async () => {
  const { model, system, messages } = ask;
  expect(await client.messages.countTokens({ model, system, messages })).toEqual({ input_tokens: 10 });
});

test('errors are of the classes that the SDK knows', async () => {
  const catchError = (script: object) => {
    const content = `[[sim ${JSON.stringify(script)}]]`;
    return client.messages
      .create({ model: 'sim', max_tokens: 9, messages: [{ role: 'user', content }] })
      .catch((reason: unknown) => reason);
  };
  expect(await catchError({ status: 429 })).toBeInstanceOf(Anthropic.RateLimitError);
  expect(await catchError({ status: 529 })).toMatchObject({ status: 529, type: 'overloaded_error' });
  expect(await catchError({ status: 500 })).toBeInstanceOf(Anthropic.InternalServerError);
});

test('an error event in a stream is an error of the SDK', async () => {
  const messages = [{ role: 'user' as const, content: '[[sim {"text":"a b c","error_event_at":3}]]' }];
  const stream = client.messages.stream({ model: 'sim', max_tokens: 9, messages });
  await expect(stream.finalMessage()).rejects.toThrow('The simulator was told to break off.');
});
