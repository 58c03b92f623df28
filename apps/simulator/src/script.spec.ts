import { ask, parseData, dialects, send } from '../testing/dialects.ts';
import { findScript, withoutScript } from './script.ts';
import { type RunningSimulator, startSimulator } from './simulator.ts';

let simulator: RunningSimulator;

beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());

interface Shape {
  readonly text: (body: unknown) => unknown;
  readonly finish: Readonly<Record<'stop' | 'length' | 'refusal', object>>;
  readonly error: (status: number) => object;
  /** What the format shows of the usage below; it cannot say everything. */
  readonly usage: object;
  readonly noUsage: (body: Record<string, unknown>) => void;
}

const usage = { input: 100, output: 40, cache_read: 20, cache_write: 10, cache_write_1h: 5, reasoning: 8 };
const message = (status: number) => `The simulator was told to fail with ${status}.`;
const at =
  (...path: (string | number)[]) =>
  (body: unknown): unknown =>
    path.reduce<unknown>((value, key) => (value as Record<string | number, unknown>)[key], body);
const without = (key: string) => (body: Record<string, unknown>) => expect(body).not.toHaveProperty(key);

const shapes: Record<string, Shape> = {
  'openai-chat': {
    text: at('choices', 0, 'message', 'content'),
    finish: {
      stop: { choices: [{ finish_reason: 'stop' }] },
      length: { choices: [{ finish_reason: 'length' }] },
      refusal: { choices: [{ finish_reason: 'content_filter' }] },
    },
    error: (status) => ({
      error: { message: message(status), type: 'server_error', param: null, code: null },
    }),
    usage: {
      prompt_tokens: 100,
      completion_tokens: 40,
      total_tokens: 140,
      prompt_tokens_details: { cached_tokens: 20, cache_write_tokens: 10 },
      completion_tokens_details: { reasoning_tokens: 8 },
    },
    noUsage: without('usage'),
  },
  'openai-responses': {
    text: at('output', 0, 'content', 0, 'text'),
    finish: {
      stop: { status: 'completed', incomplete_details: null },
      length: { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
      refusal: { status: 'completed', output: [{ content: [{ type: 'refusal', refusal: 'Echo: Hello' }] }] },
    },
    error: (status) => ({
      error: { message: message(status), type: 'server_error', param: null, code: null },
    }),
    usage: {
      input_tokens: 100,
      input_tokens_details: {
        cached_tokens: 20,
        cache_write_tokens: 15,
        cache_write_tokens_details: { ttl_12h_tokens: 5 },
      },
      output_tokens: 40,
      output_tokens_details: { reasoning_tokens: 8 },
      total_tokens: 140,
    },
    noUsage: (body) => expect(body['usage']).toBeNull(),
  },
  'anthropic-messages': {
    text: at('content', 0, 'text'),
    finish: {
      stop: { stop_reason: 'end_turn' },
      length: { stop_reason: 'max_tokens' },
      refusal: { stop_reason: 'refusal' },
    },
    error: (status) => ({ type: 'error', error: { type: 'api_error', message: message(status) } }),
    usage: {
      input_tokens: 65,
      cache_creation_input_tokens: 15,
      cache_read_input_tokens: 20,
      cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 5 },
      output_tokens: 40,
      output_tokens_details: { thinking_tokens: 8 },
    },
    noUsage: (body) => expect(body['usage']).toMatchObject({ input_tokens: 0, output_tokens: 0 }),
  },
  gemini: {
    text: at('candidates', 0, 'content', 'parts', 0, 'text'),
    finish: {
      stop: { candidates: [{ finishReason: 'STOP' }] },
      length: { candidates: [{ finishReason: 'MAX_TOKENS' }] },
      refusal: { candidates: [{ finishReason: 'SAFETY' }] },
    },
    error: (status) => ({ error: { code: status, message: message(status), status: 'INTERNAL' } }),
    usage: {
      promptTokenCount: 100,
      cachedContentTokenCount: 20,
      candidatesTokenCount: 32,
      thoughtsTokenCount: 8,
      totalTokenCount: 140,
    },
    noUsage: without('usageMetadata'),
  },
};

describe.each(dialects.map((dialect) => [dialect.name, dialect] as const))('%s', (name, dialect) => {
  const shape = shapes[name];
  if (!shape) throw new Error(`nothing is known of ${name}`);
  const answerWith = async (script: object, stream = false) => {
    const { status, headers, text } = await ask(simulator.url, dialect, { text: 'Hello', script, stream });
    return { status, headers, text };
  };
  const bodyWith = async (script: object) =>
    JSON.parse((await answerWith(script)).text) as Record<string, unknown>;

  test.each([500, 502, 599])("status %d answers in the format's own envelope", async (status) => {
    for (const stream of [false, true]) {
      const answer = await answerWith({ status }, stream);
      expect(answer.status).toBe(status);
      expect(JSON.parse(answer.text)).toMatchObject(shape.error(status));
      expect(answer.headers.has('retry-after')).toBe(false);
    }
  });

  test('retry_after_s is a header of the error, and of nothing else', async () => {
    expect((await answerWith({ status: 429, retry_after_s: 7 })).headers.get('retry-after')).toBe('7');
    expect((await answerWith({ retry_after_s: 7 })).headers.has('retry-after')).toBe(false);
  });

  test('text and words say what the answer is', async () => {
    expect(shape.text(await bodyWith({ text: 'exactly\nthis  text' }))).toBe('exactly\nthis  text');
    expect(shape.text(await bodyWith({ words: 3 }))).toBe('word1 word2 word3');
    expect(shape.text(await bodyWith({ words: 3, text: 'text wins' }))).toBe('text wins');
  });

  test('without either the answer echoes the question, less the script in it', async () => {
    expect(shape.text(await bodyWith({ finish: 'stop' }))).toBe('Echo: Hello');
  });

  test('usage is reported as told, as far as the format can say it', async () => {
    const { usage: told, usageMetadata } = await bodyWith({ usage });
    expect(told ?? usageMetadata).toMatchObject(shape.usage);
  });

  test('no_usage leaves it out', async () => {
    shape.noUsage(await bodyWith({ no_usage: true }));
    const plain = await answerWith({ text: 'a' }, true);
    const { text } = await answerWith({ text: 'a', no_usage: true }, true);
    const counts = /"(prompt_tokens|input_tokens|promptTokenCount)":[1-9]/;
    expect(plain.text).toMatch(counts);
    expect(text).not.toMatch(counts);
  });

  test.each(['stop', 'length', 'refusal'] as const)(
    'finish %s is in the answer and in the stream',
    async (finish) => {
      expect(await bodyWith({ finish })).toMatchObject(shape.finish[finish]);
      const events = parseData((await answerWith({ finish }, true)).text).filter((data) => data !== '[DONE]');
      const reason = /content_filter|"refusal"|SAFETY/;
      const text = events.join('\n');
      if (finish === 'refusal') expect(text.replaceAll('"refusal":null', '')).toMatch(reason);
      else expect(text.replaceAll('"refusal":null', '')).not.toMatch(reason);
      expect(/max_output_tokens"\}|max_tokens|MAX_TOKENS|"finish_reason":"length"/.test(text)).toBe(
        finish === 'length',
      );
    },
  );

  test('first_delay_ms comes before the answer', async () => {
    const startedAt = performance.now();
    expect((await answerWith({ first_delay_ms: 150 })).status).toBe(200);
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(145);
  });

  test('cut_before_headers ends the connection without an answer', async () => {
    await expect(answerWith({ cut_before_headers: true })).rejects.toThrow('fetch failed');
  });

  test('hang never answers, and others are answered meanwhile', async () => {
    const aborted = new AbortController();
    const hanging = send(simulator.url, dialect, { script: { hang: true }, signal: aborted.signal });
    const first = await Promise.race([hanging, answerWith({ first_delay_ms: 200 })]);
    expect(await bodyOf(first)).toContain('Echo: Hello');
    aborted.abort();
    await expect(hanging).rejects.toThrow('aborted');
  });

  test('a script that cannot be read is refused with the reason', async () => {
    for (const script of [{ status: 200 }, { unknown: 1 }, { words: -1 }, { usage: { input: 'many' } }]) {
      const answer = await answerWith(script);
      expect(answer.status).toBe(400);
      expect(answer.text).toContain('The script cannot be read');
    }
  });

  test('a script in the header goes before one in the text', async () => {
    const headers = { 'x-sim-script': '{"text":"from the header"}' };
    const answer = await ask(simulator.url, dialect, { headers, script: { text: 'from the text' } });
    expect(shape.text(JSON.parse(answer.text))).toBe('from the header');
    const broken = await ask(simulator.url, dialect, { headers: { 'x-sim-script': '{' } });
    expect(broken.status).toBe(400);
  });

  test('a default script holds for all until it is taken away, and yields field by field', async () => {
    await setDefault({ text: 'default', finish: 'length' });
    expect(shape.text(await bodyWith({}))).toBe('default');
    const own = await bodyWith({ text: 'own' });
    expect(shape.text(own)).toBe('own');
    expect(own).toMatchObject(shape.finish.length);
    await setDefault(undefined);
    expect(shape.text(await bodyWith({}))).toBe('Echo: Hello');
  });
});

async function setDefault(script: object | undefined): Promise<void> {
  const answer = await fetch(`${simulator.url}/__sim/script`, {
    method: script ? 'PUT' : 'DELETE',
    ...(script ? { body: JSON.stringify(script) } : {}),
  });
  expect(answer.status).toBe(204);
}

const bodyOf = (answer: Response | { text: string }) =>
  answer instanceof Response ? answer.text() : Promise.resolve(answer.text);

test('a script is found anywhere in a text, over several lines, and only the first counts', () => {
  const text = 'Say [[sim {"text":\n"a"}]] and [[sim {"text":"b"}]]';
  expect(findScript(text, undefined, {})).toEqual({ text: 'a' });
  expect(withoutScript('[[sim {"words":1}]] Hello')).toBe('Hello');
  expect(findScript('[[sim nothing]]', undefined, { words: 1 })).toEqual({ words: 1 });
});
