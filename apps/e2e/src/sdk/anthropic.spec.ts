import Anthropic1 from '@anthropic-ai/sdk';
import Anthropic0 from '@anthropic-ai/sdk-0';
import { sharedStack, makeKey } from '../shared-stack.ts';

const at = sharedStack();
const tool = {
  name: 'get_weather',
  description: 'The weather of a city',
  input_schema: { type: 'object' as const, properties: { city: { type: 'string' } }, required: ['city'] },
};

describe.each([
  ['@anthropic-ai/sdk 1.x', Anthropic1],
  ['@anthropic-ai/sdk 0.137', Anthropic0 as unknown as typeof Anthropic1],
])('%s', (_version, Anthropic) => {
  const connect = (options: object = {}) =>
    new Anthropic({ baseURL: at.baseUrl, apiKey: at.apiKey, maxRetries: 0, ...options });
  const client = connect();
  const ask = {
    model: 'sim-claude',
    max_tokens: 100,
    messages: [{ role: 'user' as const, content: 'Hello there' }],
  };

  test('lists the models of the key, and shows one', async () => {
    const models = [];
    for await (const model of client.models.list()) models.push(model.id);
    expect(models).toContain('sim-claude');
    expect(models).not.toContain('sim-vip');
    expect(await client.models.retrieve('sim-claude')).toMatchObject({ id: 'sim-claude', type: 'model' });
  });

  test('pages through the models', async () => {
    const page = await client.models.list({ limit: 2 });
    expect(page.data).toHaveLength(2);
    expect(page.hasNextPage()).toBe(true);
  });

  test('answers', async () => {
    const { data, request_id } = await client.messages.create(ask).withResponse();
    expect(data.content).toMatchObject([{ type: 'text', text: 'Echo: Hello there' }]);
    expect(data.usage).toMatchObject({ input_tokens: 2, output_tokens: 3 });
    expect(request_id).toMatch(/^req_/);
  });

  test('takes the key as a bearer token too', async () => {
    const bearer = connect({ apiKey: null, authToken: at.apiKey });
    expect((await bearer.messages.create(ask)).stop_reason).toBe('end_turn');
  });

  test('counts tokens', async () => {
    const { model, messages } = ask;
    expect((await client.messages.countTokens({ model, messages })).input_tokens).toBe(2);
  });

  test('streams', async () => {
    const stream = client.messages.stream(ask);
    let text = '';
    stream.on('text', (part) => (text += part));
    const message = await stream.finalMessage();
    expect(text).toBe('Echo: Hello there');
    expect(message.usage).toMatchObject({ input_tokens: 2, output_tokens: 3 });
  });

  test.each([false, true])('calls a tool and takes its result (stream: %s)', async (stream) => {
    const messages: Anthropic1.MessageParam[] = [{ role: 'user', content: 'Use tool please' }];
    const request = { ...ask, messages, tools: [tool] };
    const first = stream
      ? await client.messages.stream(request).finalMessage()
      : await client.messages.create(request);
    const call = first.content.find((block) => block.type === 'tool_use');
    if (call?.type !== 'tool_use') throw new Error('no tool was called');
    expect(first.stop_reason).toBe('tool_use');
    expect(call.input).toEqual({ city: 'Paris' });
    const second = await client.messages.create({
      ...request,
      messages: [
        ...messages,
        { role: 'assistant', content: first.content },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: call.id, content: 'Sunny' }] },
      ],
    });
    expect(second.content).toMatchObject([{ type: 'text', text: 'The tool says: Sunny' }]);
  });

  describe('raises its own class for', () => {
    test('400: a model that does not exist', async () => {
      const error = await client.messages
        .create({ ...ask, model: 'no-such-model' })
        .catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(Anthropic.BadRequestError);
      expect(error).toMatchObject({ status: 400, type: 'invalid_request_error' });
    });

    test('401: a key that does not exist', async () => {
      const error = await connect({ apiKey: `sk-${'x'.repeat(48)}` })
        .messages.create(ask)
        .catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(Anthropic.AuthenticationError);
    });

    test('404: a base address that carries /v1 already', async () => {
      const error = await connect({ baseURL: `${at.baseUrl}/v1` })
        .messages.create(ask)
        .catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(Anthropic.NotFoundError);
      expect((error as Error).message).toContain('Invalid URL (POST /v1/v1/messages)');
    });

    test('429: a limit of the key', async () => {
      const { key } = await makeKey(at, { limits: { requests_per_minute: 1 } });
      const limited = connect({ apiKey: key });
      await limited.messages.create(ask);
      const error = await limited.messages.create(ask).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(Anthropic.RateLimitError);
      const { headers } = error as InstanceType<typeof Anthropic.RateLimitError>;
      expect(headers?.get('anthropic-ratelimit-requests-limit')).toBe('1');
      expect(Number(headers?.get('retry-after'))).toBeGreaterThan(0);
    });

    test('an error inside a stream', async () => {
      const content = '[[sim {"cut_after_chunks":4,"chunk_delay_ms":5,"words":10}]]';
      const stream = client.messages.stream({ ...ask, messages: [{ role: 'user', content }] });
      await expect(stream.finalMessage()).rejects.toBeInstanceOf(Anthropic.APIError);
    });
  });
});
