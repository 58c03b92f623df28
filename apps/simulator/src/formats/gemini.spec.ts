import { ApiError, type Content, type GenerateContentParameters, GoogleGenAI } from '@google/genai';
import { Agent, setGlobalDispatcher } from 'undici';
import { type RunningSimulator, startSimulator } from '../simulator.ts';

// The SDK asks the global object for fetch's dispatcher, and a Jest test has a global object of its own.
setGlobalDispatcher(new Agent());

let simulator: RunningSimulator;
let client: GoogleGenAI;

beforeAll(async () => {
  simulator = await startSimulator();
  const httpOptions = { baseUrl: simulator.url, retryOptions: { attempts: 1 } };
  client = new GoogleGenAI({ apiKey: 'test', httpOptions });
});
afterAll(() => simulator.close());

const functionDeclarations = ['forecast', 'tides'].map((name) => ({
  name,
  parametersJsonSchema: {
    type: 'object',
    properties: { place: { type: 'string' }, days: { type: 'integer' } },
  },
}));
const ask: GenerateContentParameters = {
  model: 'sim',
  contents: [
    { role: 'user', parts: [{ text: 'What is new?' }] },
    { role: 'model', parts: [{ text: 'Nothing much.' }] },
    { role: 'user', parts: [{ text: 'Say something' }] },
  ],
  config: { systemInstruction: 'You are brief.' },
};

async function collect<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const each of stream) all.push(each);
  return all;
}

test('answers, and a token is a word of the system instruction or any content', async () => {
  const answer = await client.models.generateContent(ask);
  expect(answer.text).toBe('Echo: Say something');
  expect(answer.candidates?.[0]?.finishReason).toBe('STOP');
  expect(answer.usageMetadata).toEqual({
    promptTokenCount: 10,
    candidatesTokenCount: 3,
    totalTokenCount: 13,
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: 10 }],
  });
});

test('streams the same answer word by word, with a usage that grows', async () => {
  const pieces: unknown[] = [];
  for await (const { text, usageMetadata } of await client.models.generateContentStream(ask)) {
    pieces.push([text, usageMetadata?.promptTokenCount, usageMetadata?.candidatesTokenCount]);
  }
  expect(pieces).toEqual([
    ['Echo: ', 10, 1],
    ['Say ', 10, 2],
    ['something', 10, 3],
  ]);
});

test('thinks when it has a budget, marks the thought and counts it', async () => {
  const thinking = (thinkingBudget: number) =>
    client.models.generateContent({ ...ask, config: { thinkingConfig: { thinkingBudget } } });
  const answer = await thinking(100);
  expect(answer.candidates?.[0]?.content?.parts).toEqual([
    { text: 'Let me think.', thought: true },
    { text: 'Echo: Say something' },
  ]);
  expect(answer.usageMetadata).toMatchObject({ thoughtsTokenCount: 3, candidatesTokenCount: 3 });
  expect((await thinking(0)).usageMetadata).not.toHaveProperty('thoughtsTokenCount');
});

describe.each([false, true])('with tools (stream: %s)', (stream) => {
  async function send(contents: Content[], config: object = {}): Promise<{ parts: Content; text: string }> {
    const request = { model: 'sim', contents, config: { tools: [{ functionDeclarations }], ...config } };
    const answers = stream
      ? await collect(await client.models.generateContentStream(request))
      : [await client.models.generateContent(request)];
    const parts = answers.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? []);
    return { parts: { role: 'model', parts }, text: parts.map(({ text }) => text ?? '').join('') };
  }
  const callsOf = ({ parts }: Content) =>
    (parts ?? []).flatMap(({ functionCall }) => (functionCall ? [functionCall] : []));
  const user = (text: string): Content => ({ role: 'user', parts: [{ text }] });

  test('calls one, signs the call and takes its result', async () => {
    const { parts } = await send([user('Please use tool')]);
    const [call, ...others] = callsOf(parts);
    if (!call) throw new Error('no tool was called');
    expect(others).toEqual([]);
    expect(call).toMatchObject({ name: 'forecast', args: { place: 'Paris', days: 1 } });
    expect(parts.parts?.[0]?.thoughtSignature).toMatch(/.+/);

    const functionResponse = { id: call.id ?? '', name: 'forecast', response: { sky: 'rain' } };
    const answer = await send([
      user('Please use tool'),
      parts,
      { role: 'user', parts: [{ functionResponse }] },
    ]);
    expect(answer.text).toBe('The tool says: {"sky":"rain"}');
  });

  test('calls all when the user wants them, and one that is forced', async () => {
    const all = callsOf((await send([user('Use tools')])).parts);
    expect(all.map(({ name }) => name)).toEqual(['forecast', 'tides']);
    const toolConfig = { functionCallingConfig: { mode: 'ANY' } };
    expect(callsOf((await send([user('Hello')], { toolConfig })).parts)).toHaveLength(1);
    expect(callsOf((await send([user('Hello')])).parts)).toEqual([]);
  });
});

test('counts the input before it is sent', async () => {
  const counted = await client.models.countTokens({ model: 'sim', contents: ask.contents });
  expect(counted.totalTokens).toBe(7);
});

test('an empty answer still says how it ended', async () => {
  const contents = '[[sim {"text":""}]]';
  const [last, ...others] = await collect(
    await client.models.generateContentStream({ model: 'sim', contents }),
  );
  expect(others).toEqual([]);
  expect(last?.candidates?.[0]?.finishReason).toBe('STOP');
});

test.each([400, 429, 503])('an error with %d is an ApiError of the SDK', async (status) => {
  const contents = `[[sim {"status":${status}}]]`;
  const error = await client.models
    .generateContent({ model: 'sim', contents })
    .catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({ status });
});

test('audio and image tokens are told apart from text', async () => {
  const script = { usage: { input: 30, audio_in: 12, image_in: 8 } };
  const contents = `[[sim ${JSON.stringify(script)}]]`;
  const { usageMetadata } = await client.models.generateContent({ model: 'sim', contents });
  expect(usageMetadata?.promptTokensDetails).toEqual([
    { modality: 'TEXT', tokenCount: 10 },
    { modality: 'AUDIO', tokenCount: 12 },
    { modality: 'IMAGE', tokenCount: 8 },
  ]);
});
