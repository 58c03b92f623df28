import OpenAI7 from 'openai';
import OpenAI6 from 'openai-6';
import { sharedStack, makeKey } from '../shared-stack.ts';
import { withoutParsed } from './replay.ts';

const at = sharedStack();
const tool = {
  name: 'get_weather',
  description: 'The weather of a city',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
const chatTool = { type: 'function' as const, function: tool };
const responseTool = { type: 'function' as const, strict: false, ...tool };

describe.each([
  ['openai 7', OpenAI7],
  ['openai 6', OpenAI6 as unknown as typeof OpenAI7],
])('%s', (_version, OpenAI) => {
  const client = new OpenAI({ baseURL: `${at.baseUrl}/v1`, apiKey: at.apiKey, maxRetries: 0 });

  test('lists the models of the key, and shows one', async () => {
    const models = [];
    for await (const model of client.models.list()) models.push(model.id);
    expect(models).toContain('sim-chat');
    expect(models).not.toContain('sim-vip');
    expect(await client.models.retrieve('sim-chat')).toMatchObject({ id: 'sim-chat', object: 'model' });
  });

  describe('Chat Completions', () => {
    const ask = { model: 'sim-chat', messages: [{ role: 'user' as const, content: 'Hello there' }] };

    test('answers', async () => {
      const { data, request_id } = await client.chat.completions.create(ask).withResponse();
      expect(data.choices[0]?.message.content).toBe('Echo: Hello there');
      expect(data.usage).toMatchObject({ prompt_tokens: 2, completion_tokens: 3, total_tokens: 5 });
      expect(request_id).toMatch(/^req_/);
    });

    test('streams, with usage only when it was asked for', async () => {
      const read = async (stream_options?: { include_usage: boolean }) => {
        const stream = await client.chat.completions.create({
          ...ask,
          stream: true,
          ...(stream_options ? { stream_options } : {}),
        });
        let text = '';
        let usage;
        for await (const chunk of stream) {
          text += chunk.choices[0]?.delta.content ?? '';
          usage = chunk.usage ?? usage;
        }
        return { text, usage };
      };
      expect(await read()).toEqual({ text: 'Echo: Hello there', usage: undefined });
      expect(await read({ include_usage: true })).toMatchObject({
        text: 'Echo: Hello there',
        usage: { prompt_tokens: 2, completion_tokens: 3 },
      });
    });

    test('the stream helper assembles the same message', async () => {
      const completion = await client.chat.completions.stream(ask).finalChatCompletion();
      expect(completion.choices[0]?.message.content).toBe('Echo: Hello there');
    });

    test.each([false, true])('calls a tool and takes its result (stream: %s)', async (stream) => {
      const messages: OpenAI7.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Use tool please' }];
      const request = { model: 'sim-chat', messages, tools: [chatTool] };
      const first = stream
        ? await client.chat.completions.stream(request).finalChatCompletion()
        : await client.chat.completions.create(request);
      const message = first.choices[0]?.message;
      const [call] = message?.tool_calls ?? [];
      if (!message || call?.type !== 'function') throw new Error('no tool was called');
      expect(first.choices[0]?.finish_reason).toBe('tool_calls');
      expect(JSON.parse(call.function.arguments)).toEqual({ city: 'Paris' });
      const second = await client.chat.completions.create({
        ...request,
        messages: [
          ...messages,
          message,
          { role: 'tool', tool_call_id: call.id, content: 'Sunny, 21 degrees' },
        ],
      });
      expect(second.choices[0]?.message.content).toBe('The tool says: Sunny, 21 degrees');
    });
  });

  describe('Responses', () => {
    test('answers', async () => {
      const response = await client.responses.create({ model: 'sim-responses', input: 'Hello there' });
      expect(response.output_text).toBe('Echo: Hello there');
      expect(response.usage).toMatchObject({ input_tokens: 2, output_tokens: 3, total_tokens: 5 });
    });

    test('streams', async () => {
      const stream = await client.responses.create({
        model: 'sim-responses',
        input: 'Hello there',
        stream: true,
      });
      const types: string[] = [];
      let text = '';
      for await (const event of stream) {
        types.push(event.type);
        if (event.type === 'response.output_text.delta') text += event.delta;
      }
      expect(text).toBe('Echo: Hello there');
      expect([types[0], types.at(-1)]).toEqual(['response.created', 'response.completed']);
    });

    test.each([false, true])('calls a tool and takes its result (stream: %s)', async (stream) => {
      const input: OpenAI7.Responses.ResponseInput = [{ role: 'user', content: 'Use tool please' }];
      const request = { model: 'sim-responses', input, tools: [responseTool] };
      const first = stream
        ? await client.responses.stream(request).finalResponse()
        : await client.responses.create(request);
      const call = first.output.find((item) => item.type === 'function_call');
      if (call?.type !== 'function_call') throw new Error('no tool was called');
      expect(JSON.parse(call.arguments)).toEqual({ city: 'Paris' });
      const second = await client.responses.create({
        ...request,
        input: [
          ...input,
          withoutParsed(call),
          { type: 'function_call_output', call_id: call.call_id, output: 'Sunny' },
        ],
      });
      expect(second.output_text).toBe('The tool says: Sunny');
    });
  });

  describe('raises its own class for', () => {
    const ask = (model = 'sim-chat', apiKey = at.apiKey) =>
      new OpenAI({ baseURL: `${at.baseUrl}/v1`, apiKey, maxRetries: 0 }).chat.completions.create({
        model,
        messages: [{ role: 'user', content: 'Hello' }],
      });

    test('400: a model that does not exist', async () => {
      const error = await ask('no-such-model').catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(OpenAI.BadRequestError);
      expect(error).toMatchObject({ status: 400, code: 'model_not_found', param: 'model' });
    });

    test('401: a key that does not exist', async () => {
      const error = await ask('sim-chat', `sk-${'x'.repeat(48)}`).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(OpenAI.AuthenticationError);
      expect(error).toMatchObject({ status: 401, code: 'invalid_api_key' });
    });

    test('404: a doubled prefix', async () => {
      const doubled = new OpenAI({ baseURL: `${at.baseUrl}/v1/v1`, apiKey: at.apiKey, maxRetries: 0 });
      const error = await doubled.models.list().catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(OpenAI.NotFoundError);
      expect((error as Error).message).toContain('Invalid URL (GET /v1/v1/models)');
    });

    test('429: a limit of the key, with the time to wait', async () => {
      const { key } = await makeKey(at, { limits: { requests_per_minute: 1 } });
      await ask('sim-chat', key);
      const error = await ask('sim-chat', key).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(OpenAI.RateLimitError);
      const { headers } = error as InstanceType<typeof OpenAI.RateLimitError>;
      expect(Number(headers?.get('retry-after'))).toBeGreaterThan(0);
    });

    test('an error inside a stream', async () => {
      const stream = await client.chat.completions.create({
        model: 'sim-chat',
        stream: true,
        messages: [{ role: 'user', content: '[[sim {"cut_after_chunks":3,"chunk_delay_ms":5,"words":10}]]' }],
      });
      const read = async () => {
        let text = '';
        for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
        return text;
      };
      await expect(read()).rejects.toBeInstanceOf(OpenAI.APIError);
    });
  });
});
