import * as genai3 from '@google/genai';
import * as genai2 from '@google/genai-2';
import { Agent, setGlobalDispatcher } from 'undici';
import { sharedStack, makeKey } from '../shared-stack.ts';

// The SDK asks the global object for fetch's dispatcher, and a Jest test has a global object of its own.
setGlobalDispatcher(new Agent());

const at = sharedStack();
const declaration = {
  name: 'get_weather',
  description: 'The weather of a city',
  parametersJsonSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

describe.each([
  ['@google/genai 3', genai3],
  ['@google/genai 2', genai2 as unknown as typeof genai3],
])('%s', (_version, { GoogleGenAI, ApiError }) => {
  const connect = (apiKey = at.apiKey, baseUrl = at.baseUrl) =>
    new GoogleGenAI({ apiKey, httpOptions: { baseUrl, retryOptions: { attempts: 1 } } });
  const client = connect();
  const ask = { model: 'sim-gemini', contents: 'Hello there' };

  test('lists the models of the key, and shows one', async () => {
    const models = [];
    for await (const model of await client.models.list()) models.push(model.name);
    expect(models).toContain('models/sim-gemini');
    expect(models).not.toContain('models/sim-vip');
    expect((await client.models.get({ model: 'sim-gemini' })).name).toBe('models/sim-gemini');
  });

  test('answers', async () => {
    const answer = await client.models.generateContent(ask);
    expect(answer.text).toBe('Echo: Hello there');
    expect(answer.usageMetadata).toMatchObject({ promptTokenCount: 2, candidatesTokenCount: 3 });
  });

  test('counts tokens', async () => {
    expect((await client.models.countTokens(ask)).totalTokens).toBe(2);
  });

  test('streams', async () => {
    let text = '';
    let usage;
    for await (const chunk of await client.models.generateContentStream(ask)) {
      text += chunk.text ?? '';
      usage = chunk.usageMetadata ?? usage;
    }
    expect(text).toBe('Echo: Hello there');
    expect(usage).toMatchObject({ promptTokenCount: 2, candidatesTokenCount: 3 });
  });

  test.each([false, true])('calls a tool and takes its result (stream: %s)', async (stream) => {
    const question = { role: 'user', parts: [{ text: 'Use tool please' }] };
    const request = {
      model: 'sim-gemini',
      contents: [question] as genai3.Content[],
      config: { tools: [{ functionDeclarations: [declaration] }] },
    };
    let call: genai3.FunctionCall | undefined;
    let content: genai3.Content | undefined;
    const note = (answer: genai3.GenerateContentResponse) => {
      if (!answer.functionCalls?.[0]) return;
      [call] = answer.functionCalls;
      content = answer.candidates?.[0]?.content;
    };
    if (stream) for await (const chunk of await client.models.generateContentStream(request)) note(chunk);
    else note(await client.models.generateContent(request));
    if (!call || !content) throw new Error('no tool was called');
    expect(call).toMatchObject({ name: 'get_weather', args: { city: 'Paris' } });

    const functionResponse = {
      name: 'get_weather',
      ...(call.id ? { id: call.id } : {}),
      response: { weather: 'Sunny' },
    };
    const second = await client.models.generateContent({
      ...request,
      contents: [question, content, { role: 'user', parts: [{ functionResponse }] }],
    });
    expect(second.text).toContain('Sunny');
  });

  describe('raises its error class for', () => {
    test('400: a model that does not exist', async () => {
      const error = await client.models
        .generateContent({ ...ask, model: 'no-such' })
        .catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(ApiError);
      expect(error).toMatchObject({ status: 400 });
    });

    test('401: a key that does not exist', async () => {
      const error = await connect(`sk-${'x'.repeat(48)}`)
        .models.generateContent(ask)
        .catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(ApiError);
      expect(error).toMatchObject({ status: 401 });
    });

    test('404: a doubled prefix', async () => {
      const error = await connect(at.apiKey, `${at.baseUrl}/v1`)
        .models.generateContent(ask)
        .catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(ApiError);
      expect(error).toMatchObject({ status: 404 });
      expect((error as Error).message).toContain('Invalid URL (POST /v1/v1');
    });

    test('429: a limit of the key', async () => {
      const { key } = await makeKey(at, { limits: { requests_per_minute: 1 } });
      await connect(key).models.generateContent(ask);
      const error = await connect(key)
        .models.generateContent(ask)
        .catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(ApiError);
      expect(error).toMatchObject({ status: 429 });
    });
  });
});
