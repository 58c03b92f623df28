import type { ClientProtocol } from '@tollgate/vocabulary';
import { everyCut, goldenStream, SSE_STREAMS } from './golden/cuts.ts';
import { createResponseRewriter, createSseSplitter, type RewriteOptions } from './index.ts';

function rewrite(protocol: ClientProtocol, options: RewriteOptions, chunks: readonly Buffer[]): Buffer {
  const rewriter = createResponseRewriter(protocol, options);
  const parts = [...chunks.map((chunk) => rewriter.push(chunk)), rewriter.end()];
  return Buffer.concat(parts.filter((part) => part !== undefined));
}
const rewriteText = (protocol: ClientProtocol, options: RewriteOptions, text: string) =>
  rewrite(protocol, options, [Buffer.from(text)]).toString('utf8');

/** The upstream's name of the model in each golden stream, which stands nowhere else in it. */
const upstreamNames: Record<string, string> = {
  'openai-chat.sse': 'gpt-4.1-2025-04-14',
  'openai-responses.sse': 'gpt-5-2025-08-07',
  'anthropic-messages.sse': 'claude-sonnet-5-20260301',
  'gemini.sse': 'gemini-2.5-pro-002',
  'gemini.json': 'gemini-2.5-pro-002',
};
const protocolOf = (name: string) => name.replace(/\.\w+$/, '') as ClientProtocol;
const framingOf = (name: string) => (name.endsWith('.sse') ? 'sse' : 'json-array');

describe.each([...SSE_STREAMS, 'gemini.json'])('%s', (name) => {
  const bytes = goldenStream(name);
  const protocol = protocolOf(name);
  const stream = framingOf(name);

  test('passes as it is, event by whole event, when nothing is to change', () => {
    for (const chunks of everyCut(bytes)) {
      const rewriter = createResponseRewriter(protocol, { stream });
      const passed = chunks.flatMap((chunk) => rewriter.push(chunk) ?? []);
      const all = Buffer.concat([...passed, rewriter.end() ?? Buffer.alloc(0)]);
      expect(all.equals(bytes)).toBe(true);
      const ends = passed.map((part) => part.toString('latin1', part.length - 3));
      if (stream === 'sse') expect(ends.filter((end) => !/\n\r?\n$/.test(end))).toEqual([]);
    }
  });

  test('an event that never became whole is held back from a broken stream', () => {
    const rewriter = createResponseRewriter(protocol, { stream });
    const passed = rewriter.push(bytes.subarray(0, bytes.length - 20));
    const whole = createResponseRewriter(protocol, { stream });
    const before = whole.push(bytes.subarray(0, (passed ?? '').length));
    expect(passed).toEqual(before);
  });

  test('changes in the name of the model and in nothing else, wherever it is cut', () => {
    const upstream = upstreamNames[name] ?? '';
    const expected = bytes.toString('utf8').replaceAll(upstream, 'my/"модель"'.replaceAll('"', '\\"'));
    expect(bytes.toString('utf8')).toContain(upstream);
    const rewritten = [...everyCut(bytes)].map((chunks) =>
      rewrite(protocol, { stream, model: 'my/"модель"' }, chunks).toString('utf8'),
    );
    expect(rewritten[0]).toBe(expected);
    expect(rewritten.filter((each) => each !== expected)).toEqual([]);
  });

  test('is what it was when the name is the same', () => {
    const model = upstreamNames[name] ?? '';
    expect(rewrite(protocol, { stream, model }, [bytes])).toEqual(bytes);
  });
});

describe('usage that only the relay asked for', () => {
  const bytes = goldenStream('openai-chat.sse');
  const dataOf = (stream: Buffer) =>
    createSseSplitter()
      .push(stream)
      .flatMap(({ data }) => data ?? []);

  test.each([
    [{ stripUsage: true }, 'gpt-4.1-2025-04-14'],
    [{ stripUsage: true, model: 'mine' }, 'mine'],
  ])('is taken out of a Chat stream with %p, wherever it is cut', (options, model) => {
    const expected = dataOf(bytes).flatMap((data): (string | object)[] => {
      if (data === '[DONE]') return [data];
      const { usage, ...rest } = JSON.parse(data) as Record<string, unknown>;
      return usage === null ? [{ ...rest, model }] : [];
    });
    const whole = rewrite('openai-chat', { stream: 'sse', ...options }, [bytes]);
    expect(dataOf(whole).map((data) => (data === '[DONE]' ? data : (JSON.parse(data) as object)))).toEqual(
      expected,
    );
    const differing = [...everyCut(bytes)].filter(
      (chunks) => !rewrite('openai-chat', { stream: 'sse', ...options }, chunks).equals(whole),
    );
    expect(differing).toEqual([]);
  });

  test('goes alone when it stands beside choices', () => {
    const beside =
      'data: {"choices":[{"delta":{"content":"\\"usage\\""}}], "usage": {"prompt_tokens":1}}\n\n';
    expect(rewriteText('openai-chat', { stream: 'sse', stripUsage: true }, beside)).toBe(
      'data: {"choices":[{"delta":{"content":"\\"usage\\""}}]}\n\n',
    );
  });

  test('of the same name inside a choice stays', () => {
    const inner = 'data: {"choices":[{"delta":{"usage":1}}]}\n\n';
    expect(rewriteText('openai-chat', { stream: 'sse', stripUsage: true }, inner)).toBe(inner);
  });
});

test.each([
  [
    'openai-chat',
    '{"id":1, "model" : "up","choices":[{"model":"up"}]}',
    '{"id":1, "model" : "me","choices":[{"model":"up"}]}',
  ],
  [
    'openai-responses',
    '{"model":"up","output":[{"model":"up"}]}',
    '{"model":"me","output":[{"model":"up"}]}',
  ],
  ['openai-responses', '{"response":{"model":"up"}}', '{"response":{"model":"me"}}'],
  ['anthropic-messages', '{"model":"up","content":[]}', '{"model":"me","content":[]}'],
  ['anthropic-messages', '{"message":{"model":"up"}}', '{"message":{"model":"me"}}'],
  [
    'gemini',
    '{\n "modelVersion": "up",\n "model": "up"\n}\n',
    '{\n "modelVersion": "me",\n "model": "up"\n}\n',
  ],
  [
    'openai-chat',
    '{"mod\\u0065l":"up","mod\\u0065l2":"up","model":"up"}',
    '{"mod\\u0065l":"me","mod\\u0065l2":"up","model":"me"}',
  ],
  ['openai-chat', '{"model":"up"', '{"model":"up"'],
  ['openai-chat', '<html>model</html>', '<html>model</html>'],
  ['openai-chat', '', ''],
] as const)('the name is replaced in a whole %s answer: %s', (protocol, before, after) => {
  const bytes = Buffer.from(before);
  for (const chunks of everyCut(bytes)) {
    expect(rewrite(protocol, { stream: 'none', model: 'me' }, chunks).toString('utf8')).toBe(after);
  }
});

describe('a record of events', () => {
  const sse = (text: string) => rewriteText('openai-chat', { stream: 'sse', model: 'me' }, text);

  test.each([
    ['other fields', ': c\nid: 5\nevent: x\nretry: 1\ndata:{"model":"up"}\n\n'],
    ['CRLF', 'data: {"model":"up"}\r\n\r\n'],
    ['a byte order mark', '\u{feff}data: {"model":"up"}\n\n'],
    ['a name twice', 'data: {"model":"up","model":"up"}\n\n'],
  ])('with %s keeps all bytes but the name', (_, text) => {
    expect(sse(text)).toBe(text.replaceAll('"up"', '"me"'));
  });

  test('with data on several lines stays one record', () => {
    const text = sse('event: x\ndata: {\ndata:   "model": "up"\ndata: }\n\ndata: [DONE]\n\n');
    expect(createSseSplitter().push(Buffer.from(text))).toMatchObject([
      { event: 'x', data: '{\n  "model": "me"\n}' },
      { data: '[DONE]' },
    ]);
  });

  test.each(['data: {"model":"up"\n\n', 'data: {"\\x":1,"model":"up"}\n\n', 'data: model\n\n'])(
    'whose data is no JSON passes as it is: %j',
    (text) => expect(sse(text)).toBe(text),
  );
});

describe('a stream that ends without a blank line', () => {
  const whole = 'data: {"id":"1","model":"up","choices":[]}';
  const both = [{}, { model: 'mine' }];
  const rewritten = (input: string, options: { model?: string }) => {
    const rewriter = createResponseRewriter('openai-chat', { stream: 'sse', ...options });
    const parts = [rewriter.push(Buffer.from(input)), rewriter.end()].filter((part) => part !== undefined);
    return Buffer.concat(parts).toString().replaceAll('"mine"', '"up"');
  };

  test.each(both)('has its last event ended where that is whole: %j', (options) => {
    for (const last of [whole, 'data: [DONE]']) {
      for (const end of ['', '\n', '\n\n'])
        expect(rewritten(`${whole}\n\n${last}${end}`, options)).toBe(`${whole}\n\n${last}\n\n`);
    }
  });

  test.each(both)('has half an event left out: %j', (options) => {
    for (let cut = 1; cut < whole.length; cut += 1)
      expect(rewritten(`${whole}\n\n${whole.slice(0, cut)}`, options)).toBe(`${whole}\n\n`);
    expect(rewritten(`${whole}\n\ndata: [DO`, options)).toBe(`${whole}\n\n`);
  });
});

describe('events that are only a name', () => {
  const data = 'event: response.created\ndata: {"type":"response.created"}\n\n';
  const named = 'event: other\ndata: {"type":"other","text":"event: ping"}\n\n';

  test.each([
    'event: ping\n\n',
    'event:ping\r\n\r\n',
    'event: keepalive\ndata:\n\n',
    'id: 1\nevent: ping\n\n',
  ])('%j reaches no client of OpenAI', (ping) => {
    for (const protocol of ['openai-chat', 'openai-responses'] as const) {
      for (const model of [undefined, 'mine']) {
        const rewriter = createResponseRewriter(protocol, { stream: 'sse', ...(model ? { model } : {}) });
        const input = Buffer.from(`${ping}${data}${ping}${ping}${named}: comment\n\n${ping}`);
        const parts = [rewriter.push(input), rewriter.end()].filter((part) => part !== undefined);
        expect(Buffer.concat(parts).toString()).toBe(`${data}${named}: comment\n\n`);
      }
    }
  });

  test('reach clients of Anthropic as they came', () => {
    const rewriter = createResponseRewriter('anthropic-messages', { stream: 'sse' });
    expect(rewriter.push(Buffer.from('event: ping\n\n'))?.toString()).toBe('event: ping\n\n');
  });
});
