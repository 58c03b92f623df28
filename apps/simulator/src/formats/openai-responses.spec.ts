import OpenAI from 'openai';
import { type RunningSimulator, startSimulator } from '../simulator.ts';

let simulator: RunningSimulator;
let client: OpenAI;

beforeAll(async () => {
  simulator = await startSimulator();
  client = new OpenAI({ baseURL: `${simulator.url}/v1`, apiKey: 'test', maxRetries: 0 });
});
afterAll(() => simulator.close());

const tool = {
  type: 'function' as const,
  name: 'forecast',
  strict: false,
  parameters: { type: 'object', properties: { place: { type: 'string' } } },
};
const ask = { model: 'sim', instructions: 'You are brief.', input: 'Say something' };

test('answers, and a token is a word of the instructions or the input', async () => {
  const response = await client.responses.create(ask);
  expect(response.output_text).toBe('Echo: Say something');
  expect(response).toMatchObject({
    status: 'completed',
    usage: { input_tokens: 5, output_tokens: 3, total_tokens: 8 },
  });
});

test('streams numbered events, and the last holds what the plain call answers', async () => {
  const events: OpenAI.Responses.ResponseStreamEvent[] = [];
  for await (const event of await client.responses.create({ ...ask, stream: true })) events.push(event);
  expect(events.map(({ type }) => type)).toEqual([
    'response.created',
    'response.in_progress',
    'response.output_item.added',
    'response.content_part.added',
    ...Array.from({ length: 3 }, () => 'response.output_text.delta'),
    'response.output_text.done',
    'response.content_part.done',
    'response.output_item.done',
    'response.completed',
  ]);
  expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_event, index) => index));
  const last = events.at(-1);
  const { output, usage } = await client.responses.create(ask);
  expect(last).toMatchObject({ response: { output, usage } });
});

test('the input may be a conversation', async () => {
  const response = await client.responses.create({
    model: 'sim',
    input: [
      { role: 'user', content: 'What is new?' },
      { role: 'assistant', content: 'Nothing much.' },
      { role: 'user', content: [{ type: 'input_text', text: 'Go on' }] },
    ],
  });
  expect(response.output_text).toBe('Echo: Go on');
  expect(response.usage?.input_tokens).toBe(7);
});

test.each([false, true])('thinks when an effort is asked for, and counts it (stream: %s)', async (stream) => {
  const request = { model: 'sim', input: 'Think', reasoning: { effort: 'low' as const } };
  const response = stream
    ? await client.responses.stream(request).finalResponse()
    : await client.responses.create(request);
  expect(response.output).toMatchObject([
    { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Let me think.' }] },
    { type: 'message', content: [{ type: 'output_text', text: 'Echo: Think' }] },
  ]);
  expect(response.usage).toMatchObject({ output_tokens: 5, output_tokens_details: { reasoning_tokens: 3 } });
});

test.each([false, true])('calls a tool and takes its result (stream: %s)', async (stream) => {
  const create = (input: OpenAI.Responses.ResponseInput) =>
    stream
      ? client.responses.stream({ model: 'sim', input, tools: [tool] }).finalResponse()
      : client.responses.create({ model: 'sim', input, tools: [tool] });
  const question = { role: 'user' as const, content: 'Please use tool' };
  const first = await create([question]);
  const [call, ...others] = first.output;
  if (call?.type !== 'function_call') throw new Error('no tool was called');
  expect(others).toEqual([]);
  expect(call.name).toBe('forecast');
  expect(JSON.parse(call.arguments)).toEqual({ place: 'Paris' });
  expect(first.usage).toMatchObject({ input_tokens: 3, output_tokens: 5 });

  // What the SDK's helper adds for its caller is nothing that the API takes back.
  const { call_id, name, arguments: written, type } = call;
  const called = { type, call_id, name, arguments: written };
  const second = await create([question, called, { type: 'function_call_output', call_id, output: 'rain' }]);
  expect(second.output_text).toBe('The tool says: rain');
});

test.each([false, true])('a refusal is a part of its own (stream: %s)', async (stream) => {
  const request = { model: 'sim', input: '[[sim {"finish":"refusal","text":"I will not."}]]' };
  const { output } = stream
    ? await client.responses.stream(request).finalResponse()
    : await client.responses.create(request);
  expect(output).toMatchObject([{ content: [{ type: 'refusal', refusal: 'I will not.' }] }]);
});

test('counts the input before it is sent', async () => {
  const counted = await client.responses.inputTokens.count({ model: 'sim', input: 'one two three' });
  expect(counted).toMatchObject({ object: 'response.input_tokens', input_tokens: 3 });
});

test('errors are of the classes that the SDK knows', async () => {
  const catchError = (script: object) =>
    client.responses
      .create({ model: 'sim', input: `[[sim ${JSON.stringify(script)}]]` })
      .catch((reason: unknown) => reason);
  expect(await catchError({ status: 429 })).toBeInstanceOf(OpenAI.RateLimitError);
  expect(await catchError({ status: 400 })).toBeInstanceOf(OpenAI.BadRequestError);
  expect(await catchError({ status: 500 })).toBeInstanceOf(OpenAI.InternalServerError);
});

describe('what is kept', () => {
  const other = () => new OpenAI({ baseURL: `${simulator.url}/v1`, apiKey: 'another', maxRetries: 0 });
  const goOn = (by: OpenAI, previous_response_id: string) =>
    by.responses.create({ model: 'sim', input: 'And?', previous_response_id });
  const reference = (by: OpenAI, id: string) =>
    by.responses.create({
      model: 'sim',
      input: [
        { type: 'item_reference', id },
        { role: 'user', content: 'And?' },
      ],
    });

  test('its credential goes on from it, and no other', async () => {
    const { id, output } = await client.responses.create(ask);
    const item = output[0]?.id ?? '';
    expect((await goOn(client, id)).output_text).toBe('Echo: And?');
    expect((await reference(client, item)).output_text).toBe('Echo: And?');
    await expect(goOn(other(), id)).rejects.toMatchObject({
      status: 400,
      code: 'previous_response_not_found',
      param: 'previous_response_id',
      message: `400 Previous response with id '${id}' not found.`,
    });
    await expect(reference(other(), item)).rejects.toMatchObject({
      status: 404,
      message: `404 Item with id '${item}' not found.`,
    });
  });

  test('nothing is, where the request says so', async () => {
    const { id, output } = await client.responses.create({ ...ask, input: 'Keep nothing', store: false });
    await expect(goOn(client, id)).rejects.toMatchObject({ status: 400 });
    await expect(reference(client, output[0]?.id ?? '')).rejects.toMatchObject({
      status: 404,
      message: /Items are not persisted when `store` is set to false/,
    });
  });
});
