/*
 * Every SDK, unmodified, on an upstream of every format and of every cloud: whole, streaming, with tools and with thoughts. At
 * the end of each upstream what was billed for each of its requests is held against what the simulator counted for it.
 */
import Anthropic from '@anthropic-ai/sdk';
import { type Content, type FunctionCall, GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import { Agent, setGlobalDispatcher } from 'undici';
import { CLIENT_PROTOCOLS } from '@tollgate/vocabulary';
import { openBooks, type UsageRow } from '../books.ts';
import { sharedStack } from '../shared-stack.ts';
import { CLOUD_DOOR_NAMES, makePools, modelOn } from '../pools.ts';
import { type OwnSimulator, startOwnSimulator } from '../pools/own-pool.ts';
import { withoutParsed } from '../sdk/replay.ts';

// One SDK asks the global object for fetch's dispatcher, and a Jest test has a global object of its own.
setGlobalDispatcher(new Agent());

const at = sharedStack();
const books = openBooks(at.databaseUrl);
/** Every format at its own vendor, and where a cloud carries it. */
const PLACES = [...CLIENT_PROTOCOLS, ...CLOUD_DOOR_NAMES];
let key: string;
let simulator: OwnSimulator;
/** Ids of the requests that were answered by a model since they were last looked at. */
const answered: string[] = [];
const ownFetch = globalThis.fetch;
beforeAll(async () => {
  simulator = await startOwnSimulator();
  key = await makePools({ ...at, simulatorUrl: simulator.url }, 'every-format', PLACES);
  globalThis.fetch = async (...request) => {
    const response = await ownFetch(...request);
    const isCount = /count_?tokens|input_tokens/i.test(response.url);
    if (response.url.startsWith(at.baseUrl) && response.ok && !isCount)
      answered.push(response.headers.get('x-request-id') ?? '');
    return response;
  };
}, 60_000);
afterAll(async () => {
  globalThis.fetch = ownFetch;
  await Promise.all([books.close(), simulator.close()]);
});

interface Counted {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly cacheWrite1h: number;
  readonly output: number;
  readonly reasoning: number;
}

/** What the simulator counted for each request since it was last looked at. */
async function takeServed(): Promise<Counted[]> {
  const all = (await (await ownFetch(`${simulator.url}/__sim/served`)).json()) as { usage: Counted }[];
  const since = all.slice(seen);
  seen = all.length;
  return since.map(({ usage: { input, cacheRead, cacheWrite, cacheWrite1h, output, reasoning } }) => ({
    input,
    cacheRead,
    cacheWrite,
    cacheWrite1h,
    output,
    reasoning,
  }));
}
let seen = 0;

const toCounted = (row: UsageRow): Counted => {
  const count = (...kinds: readonly string[]) =>
    kinds.reduce((sum, kind) => sum + Number(row[`tokens_${kind}`] ?? 0), 0);
  const cached = { cacheRead: count('cache_read'), cacheWrite: count('cache_write') };
  const cacheWrite1h = count('cache_write_1h');
  return {
    input: count('input', 'input_image', 'input_audio') + cached.cacheRead + cached.cacheWrite + cacheWrite1h,
    ...cached,
    cacheWrite1h,
    output: count('output', 'output_reasoning'),
    reasoning: count('output_reasoning'),
  };
};

const schema = { type: 'object' as const, properties: { city: { type: 'string' } }, required: ['city'] };
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

/** Every request is billed by what the upstream reported, whatever was converted. */
async function expectBilled(
  requestId: string | null | undefined,
  input: number,
  output: number,
): Promise<void> {
  const row = await books.usage(requestId ?? '');
  expect(row).toMatchObject({ usage_source: 'upstream', outcome: 'completed' });
  expect([
    Number(row['tokens_input']),
    Number(row['tokens_output']) + Number(row['tokens_output_reasoning']),
  ]).toEqual([input, output]);
}

/** Converse counts thoughts among the rest of the output. */
const thoughtsAt = (place: string): number => (place === 'converse' ? 0 : 3);

describe.each(PLACES)('on the upstream %s', (place) => {
  const model = modelOn(place);

  describe('openai, Chat Completions', () => {
    const client = () => new OpenAI({ baseURL: `${at.baseUrl}/v1`, apiKey: key, maxRetries: 0 });
    const ask = (content: string) => ({ model, messages: [{ role: 'user' as const, content }] });
    const tools = [{ type: 'function' as const, function: { name: 'get_weather', parameters: schema } }];

    test('answers, with system text and an image', async () => {
      const { data, request_id } = await client()
        .chat.completions.create({
          model,
          messages: [
            { role: 'system', content: 'Be brief' },
            {
              role: 'user',
              content: [
                { type: 'text', text: 'Hello there' },
                { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` } },
              ],
            },
          ],
        })
        .withResponse();
      expect(data.choices[0]?.message.content).toBe('Echo: Hello there');
      expect(data.choices[0]?.finish_reason).toBe('stop');
      expect(data.usage).toMatchObject({ prompt_tokens: 4, completion_tokens: 3, total_tokens: 7 });
      await expectBilled(request_id, 4, 3);
    });

    test('streams', async () => {
      const stream = client().chat.completions.stream({
        ...ask('Hello there'),
        stream_options: { include_usage: true },
      });
      const completion = await stream.finalChatCompletion();
      expect(completion.choices[0]?.message.content).toBe('Echo: Hello there');
      expect(completion.usage).toMatchObject({ prompt_tokens: 2, completion_tokens: 3 });
    });

    test.each([false, true])(
      'calls two tools at once and takes their results (stream: %s)',
      async (stream) => {
        const two = [
          ...tools,
          { type: 'function' as const, function: { name: 'get_time', parameters: schema } },
        ];
        const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Use tools please' }];
        const first = stream
          ? await client().chat.completions.stream({ model, messages, tools: two }).finalChatCompletion()
          : await client().chat.completions.create({ model, messages, tools: two });
        const message = first.choices[0]?.message;
        const calls = (message?.tool_calls ?? []).flatMap((call) => (call.type === 'function' ? [call] : []));
        expect(calls.map((call) => [call.function.name, JSON.parse(call.function.arguments)])).toEqual([
          ['get_weather', { city: 'Paris' }],
          ['get_time', { city: 'Paris' }],
        ]);
        expect(first.choices[0]?.finish_reason).toBe('tool_calls');
        const second = await client().chat.completions.create({
          model,
          tools: two,
          messages: [
            ...messages,
            message as OpenAI.ChatCompletionMessageParam,
            ...calls.map((call) => ({
              role: 'tool' as const,
              tool_call_id: call.id,
              content: call.function.name,
            })),
          ],
        });
        expect(second.choices[0]?.message.content).toContain('get_weather');
        expect(second.choices[0]?.message.content).toContain('get_time');
      },
    );

    test.each([false, true])('thinks over two turns (stream: %s)', async (stream) => {
      const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Use tool please' }];
      const request = { model, messages, tools, reasoning_effort: 'high' as const };
      const first = stream
        ? await client().chat.completions.stream(request).finalChatCompletion()
        : await client().chat.completions.create(request);
      const message = first.choices[0]?.message;
      const [call] = message?.tool_calls ?? [];
      if (!message || !call) throw new Error('no tool was called');
      const second = await client().chat.completions.create({
        ...request,
        messages: [...messages, message, { role: 'tool', tool_call_id: call.id, content: 'Sunny' }],
      });
      expect(second.choices[0]?.message.content).toContain('Sunny');
      expect(second.usage?.completion_tokens_details?.reasoning_tokens).toBe(thoughtsAt(place));
    });
  });

  describe('openai, Responses', () => {
    const client = () => new OpenAI({ baseURL: `${at.baseUrl}/v1`, apiKey: key, maxRetries: 0 });
    const tools = [{ type: 'function' as const, name: 'get_weather', parameters: schema, strict: false }];

    test('answers, with instructions and an image', async () => {
      const { data, request_id } = await client()
        .responses.create({
          model,
          instructions: 'Be brief',
          input: [
            {
              role: 'user',
              content: [
                { type: 'input_text', text: 'Hello there' },
                { type: 'input_image', image_url: `data:image/png;base64,${PIXEL}`, detail: 'auto' },
              ],
            },
          ],
        })
        .withResponse();
      expect(data.output_text).toBe('Echo: Hello there');
      expect(data.status).toBe('completed');
      expect(data.usage).toMatchObject({ input_tokens: 4, output_tokens: 3, total_tokens: 7 });
      await expectBilled(request_id, 4, 3);
    });

    test('streams', async () => {
      const response = await client().responses.stream({ model, input: 'Hello there' }).finalResponse();
      expect(response.output_text).toBe('Echo: Hello there');
      expect(response.usage).toMatchObject({ input_tokens: 2, output_tokens: 3 });
    });

    test.each([false, true])('thinks and calls a tool over two turns (stream: %s)', async (stream) => {
      const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: 'Use tool please' }];
      const request = {
        model,
        input,
        tools,
        reasoning: { effort: 'high' as const, summary: 'auto' as const },
        include: ['reasoning.encrypted_content' as const],
        store: false,
      };
      const first = stream
        ? await client().responses.stream(request).finalResponse()
        : await client().responses.create(request);
      const call = first.output.find((item) => item.type === 'function_call');
      if (call?.type !== 'function_call') throw new Error('no tool was called');
      expect(JSON.parse(call.arguments)).toEqual({ city: 'Paris' });
      const second = await client().responses.create({
        ...request,
        input: [
          ...input,
          ...first.output.map((item) => withoutParsed(item) as OpenAI.Responses.ResponseInputItem),
          { type: 'function_call_output', call_id: call.call_id, output: 'Sunny' },
        ],
      });
      expect(second.output_text).toContain('Sunny');
      expect(second.usage?.output_tokens_details.reasoning_tokens).toBe(thoughtsAt(place));
    });

    /** Clients that do not say `store: false` name what they were answered, in place of sending it again. */
    const ASKED = { model, tools, reasoning: { effort: 'high' as const } };
    const QUESTION: OpenAI.Responses.ResponseInput = [{ role: 'user', content: 'Use tool please' }];
    const resultFor = ({ output }: OpenAI.Responses.Response): OpenAI.Responses.ResponseInputItem => {
      const call = output.find((item) => item.type === 'function_call');
      if (call?.type !== 'function_call') throw new Error('no tool was called');
      return { type: 'function_call_output', call_id: call.call_id, output: 'Sunny' };
    };

    test.each([false, true])('goes on from references to what was answered (stream: %s)', async (stream) => {
      const request = { ...ASKED, input: QUESTION };
      const first = stream
        ? await client().responses.stream(request).finalResponse()
        : await client().responses.create(request);
      expect(first.output.map(({ type }) => type)).toEqual(['reasoning', 'function_call']);
      const referred = first.output.map(({ id }) => ({ type: 'item_reference' as const, id: id ?? '' }));
      const { data: second, response } = await client()
        .responses.create({ ...ASKED, input: [...QUESTION, ...referred, resultFor(first)] })
        .withResponse();
      expect(second.output_text).toContain('Sunny');
      expect(response.headers.get('x-tollgate-dropped') ?? '').not.toContain('input');
    });

    test('goes on from the id of an answer', async () => {
      const first = await client().responses.create({ ...ASKED, input: QUESTION });
      const second = await client().responses.create({
        ...ASKED,
        previous_response_id: first.id,
        input: [resultFor(first)],
      });
      expect(second.output_text).toContain('Sunny');
      const third = await client().responses.create({
        model,
        previous_response_id: second.id,
        input: 'Recall',
      });
      expect(third.output_text).toMatch(/Use tool please.*Sunny.*Recall/);
    });

    test('says what to do where an answer is not kept', async () => {
      const input = [{ type: 'item_reference' as const, id: 'msg_0123456789abcdef' }];
      await expect(client().responses.create({ model, input })).rejects.toThrow(/store: false/);
    });
  });

  describe('@anthropic-ai/sdk', () => {
    const client = () => new Anthropic({ baseURL: at.baseUrl, apiKey: key, maxRetries: 0 });
    const tools = [{ name: 'get_weather', input_schema: schema }];

    test('answers, with system text and an image', async () => {
      const { data, request_id } = await client()
        .messages.create({
          model,
          max_tokens: 100,
          system: 'Be brief',
          messages: [
            {
              role: 'user',
              content: [
                { type: 'text', text: 'Hello there' },
                { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } },
              ],
            },
          ],
        })
        .withResponse();
      expect(data.content).toMatchObject([{ type: 'text', text: 'Echo: Hello there' }]);
      expect(data.stop_reason).toBe('end_turn');
      expect(data.usage).toMatchObject({ input_tokens: 4, output_tokens: 3 });
      await expectBilled(request_id, 4, 3);
    });

    test('streams', async () => {
      const message = await client()
        .messages.stream({ model, max_tokens: 100, messages: [{ role: 'user', content: 'Hello there' }] })
        .finalMessage();
      expect(message.content).toMatchObject([{ type: 'text', text: 'Echo: Hello there' }]);
      expect(message.usage).toMatchObject({ input_tokens: 2, output_tokens: 3 });
    });

    test.each([false, true])('thinks and calls a tool over two turns (stream: %s)', async (stream) => {
      const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'Use tool please' }];
      const request = {
        model,
        max_tokens: 3_000,
        messages,
        tools,
        thinking: { type: 'enabled' as const, budget_tokens: 2_000 },
      };
      const first = stream
        ? await client().messages.stream(request).finalMessage()
        : await client().messages.create(request);
      expect(first.stop_reason).toBe('tool_use');
      const call = first.content.find((block) => block.type === 'tool_use');
      if (call?.type !== 'tool_use') throw new Error('no tool was called');
      expect(call.input).toEqual({ city: 'Paris' });
      const second = await client().messages.create({
        ...request,
        messages: [
          ...messages,
          { role: 'assistant', content: first.content },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: call.id, content: 'Sunny' }] },
        ],
      });
      expect(JSON.stringify(second.content)).toContain('Sunny');
    });

    test('counts tokens', async () => {
      const answer = await client().messages.countTokens({
        model,
        messages: [{ role: 'user', content: 'Hello there' }],
      });
      expect(answer.input_tokens).toBeGreaterThan(0);
    });
  });

  describe('@google/genai', () => {
    const client = () => new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: at.baseUrl } });
    const declaration = { name: 'get_weather', parametersJsonSchema: schema };

    test('answers, with system text and an image', async () => {
      const answer = await client().models.generateContent({
        model,
        contents: [
          {
            role: 'user',
            parts: [{ text: 'Hello there' }, { inlineData: { mimeType: 'image/png', data: PIXEL } }],
          },
        ],
        config: { systemInstruction: 'Be brief' },
      });
      expect(answer.text).toBe('Echo: Hello there');
      expect(answer.candidates?.[0]?.finishReason).toBe('STOP');
      expect(answer.usageMetadata).toMatchObject({
        promptTokenCount: 4,
        candidatesTokenCount: 3,
        totalTokenCount: 7,
      });
    });

    test('streams', async () => {
      let text = '';
      let usage;
      for await (const chunk of await client().models.generateContentStream({
        model,
        contents: 'Hello there',
      })) {
        text += chunk.text ?? '';
        usage = chunk.usageMetadata ?? usage;
      }
      expect(text).toBe('Echo: Hello there');
      expect(usage).toMatchObject({ promptTokenCount: 2, candidatesTokenCount: 3 });
    });

    test.each([false, true])('thinks and calls a tool over two turns (stream: %s)', async (stream) => {
      const question = { role: 'user', parts: [{ text: 'Use tool please' }] };
      const request = {
        model,
        contents: [question] as Content[],
        config: {
          tools: [{ functionDeclarations: [declaration] }],
          thinkingConfig: { includeThoughts: true, thinkingBudget: 2_000 },
        },
      };
      const parts: Content['parts'] = [];
      let call: FunctionCall | undefined;
      const answers = stream
        ? await client().models.generateContentStream(request)
        : [await client().models.generateContent(request)];
      for await (const answer of answers) {
        parts.push(...(answer.candidates?.[0]?.content?.parts ?? []));
        call ??= answer.functionCalls?.[0];
      }
      expect(call).toMatchObject({ name: 'get_weather', args: { city: 'Paris' } });
      const functionResponse = {
        name: 'get_weather',
        ...(call?.id ? { id: call.id } : {}),
        response: { output: 'Sunny' },
      };
      const second = await client().models.generateContent({
        ...request,
        contents: [question, { role: 'model', parts }, { role: 'user', parts: [{ functionResponse }] }],
      });
      expect(second.text).toContain('Sunny');
    });

    test('counts tokens', async () => {
      expect(
        (await client().models.countTokens({ model, contents: 'Hello there' })).totalTokens,
      ).toBeGreaterThan(0);
    });
  });

  test('every request was billed exactly what its vendor counted', async () => {
    const ids = answered.splice(0);
    const rows = await Promise.all(ids.map((id) => books.usage(id)));
    for (const row of rows) expect(row).toMatchObject({ usage_source: 'upstream', outcome: 'completed' });
    const counted = await takeServed();
    // Converse counts thoughts among the rest of the output.
    const asTold = counted.map((each) => (place === 'converse' ? { ...each, reasoning: 0 } : each));
    expect(rows.map(toCounted)).toEqual(asTold);
    // Whole and streamed, of all four SDKs, with tools: none was left out.
    expect(ids.length).toBeGreaterThanOrEqual(25);
  });
});
