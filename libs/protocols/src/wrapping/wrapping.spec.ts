import { readFileSync } from 'node:fs';
import { parseJson } from '../json.ts';
import { BETA_RULES } from './betas.ts';
import { findWrapping } from './find-wrapping.ts';

const bedrock = findWrapping({ 'anthropic-messages': 'bedrock' }, 'anthropic-messages');
const vertex = findWrapping({ 'anthropic-messages': 'vertex' }, 'anthropic-messages');
if (!bedrock || !vertex) throw new Error('there is no such wrapping');

const HEADERS = { 'anthropic-version': '2023-06-01', 'content-type': 'application/json' };
const text =
  '{ "model":"claude-x",  "max_tokens" : 5, "messages": [ {"role":"user","content":"ä"} ] , "stream":true}';

test('only the formats that an upstream states are wrapped', () => {
  expect(findWrapping({ 'anthropic-messages': 'bedrock' }, 'openai-chat')).toBeUndefined();
  expect(findWrapping(undefined, 'anthropic-messages')).toBeUndefined();
  expect(findWrapping({}, 'bedrock-converse')).toBeUndefined();
});

describe('Bedrock', () => {
  const wrap = (
    body: string,
    headers: Record<string, string> = {},
    action: 'generate' | 'count' = 'generate',
  ) => bedrock.wrap({ headers: { ...HEADERS, ...headers }, body: Buffer.from(body) }, { model: 'm', action });

  test('the model and the stream leave the body, the version enters it, and all else keeps its bytes', () => {
    const { body, headers, dropped } = wrap(text);
    expect(body.toString()).toBe(
      '{ "anthropic_version":"bedrock-2023-05-31","max_tokens" : 5, "messages": [ {"role":"user","content":"ä"} ]}',
    );
    expect(headers).toEqual({ 'content-type': 'application/json' });
    expect(dropped).toEqual([]);
  });

  test('ids of models stand in the path encoded once', () => {
    const path = (model: string, action: 'generate' | 'stream' | 'count') => bedrock.path({ model, action });
    expect(path('us.anthropic.claude-sonnet-4-20250514-v1:0', 'stream')).toBe(
      '/model/us.anthropic.claude-sonnet-4-20250514-v1%3A0/invoke-with-response-stream',
    );
    expect(path('arn:aws:bedrock:eu-west-1:1:inference-profile/a', 'generate')).toBe(
      '/model/arn%3Aaws%3Abedrock%3Aeu-west-1%3A1%3Ainference-profile%2Fa/invoke',
    );
    expect(path('m', 'count')).toBe('/model/m/count-tokens');
  });

  test('betas that it takes move into the body, renamed where it has another name, and the rest is told', () => {
    const { body, dropped } = wrap('{"model":"m","anthropic_beta":["context-1m-2025-08-07"]}', {
      'anthropic-beta':
        'interleaved-thinking-2025-05-14, prompt-caching-2024-07-31,advanced-tool-use-2025-11-20,tool-search-tool-2025-10-19',
    });
    expect(parseJson(body.toString())).toEqual({
      anthropic_version: 'bedrock-2023-05-31',
      anthropic_beta: [
        'interleaved-thinking-2025-05-14',
        'tool-search-tool-2025-10-19',
        'context-1m-2025-08-07',
      ],
    });
    expect(dropped).toEqual(['anthropic-beta:prompt-caching-2024-07-31']);
  });

  test('no list of betas is sent where none is left', () => {
    const { body, dropped } = wrap('{"anthropic_beta":[],"a":1}', {
      'anthropic-beta': 'files-api-2025-04-14',
    });
    expect(body.toString()).toBe('{"anthropic_version":"bedrock-2023-05-31","a":1}');
    expect(dropped).toEqual(['anthropic-beta:files-api-2025-04-14']);
  });

  test.each(['priority', 'flex'])('the tier %s is asked for in a header', (tier) => {
    const asked = `{"service_tier":"${tier}","max_tokens":1}`;
    const { body, headers, dropped } = wrap(asked);
    expect(body.toString()).toBe('{"anthropic_version":"bedrock-2023-05-31","max_tokens":1}');
    expect(headers).toMatchObject({ 'x-amzn-bedrock-service-tier': tier });
    expect(dropped).toEqual([]);
    expect(wrap(asked, {}, 'count').headers).not.toHaveProperty('x-amzn-bedrock-service-tier');
  });

  test.each([
    [{ 'x-amzn-bedrock-service-tier': 'flex' }, 'flex'],
    [{ 'x-amzn-bedrock-service-tier': 'default' }, 'standard'],
    [{}, undefined],
  ])('with the headers %j the usage of an answer says the tier %s', (headers, tier) => {
    const usage = { input_tokens: 1, ...(tier === undefined ? {} : { service_tier: tier }) };
    const answer = { type: 'message', usage: { input_tokens: 1 } };
    expect(bedrock.unwrap(answer, 200, headers)).toEqual(tier && { ...answer, usage });
    // What says it already is as it is.
    expect(bedrock.unwrap({ ...answer, usage }, 200, headers)).toBeUndefined();
    const begun = JSON.stringify({ type: 'message_start', message: answer });
    const payload = Buffer.from(JSON.stringify({ bytes: Buffer.from(begun).toString('base64') }));
    const event = bedrock.openFrames?.(headers)({ headers: { ':event-type': 'chunk' }, payload });
    expect(event).toBe(
      `event: message_start\ndata: ${JSON.stringify({ type: 'message_start', message: { ...answer, usage } })}\n\n`,
    );
  });

  test('what it takes in headers alone is left out and told', () => {
    const { body, dropped } = wrap('{"service_tier":"auto","max_tokens":1,"speed":"fast"}');
    expect(body.toString()).toBe('{"anthropic_version":"bedrock-2023-05-31","max_tokens":1}');
    expect(dropped).toEqual(['service_tier', 'speed']);
  });

  test('what is counted is a request that could be invoked', () => {
    const { body } = wrap('{"model":"m","messages":[]}', {}, 'count');
    const { input } = parseJson(body.toString()) as { input: { invokeModel: { body: string } } };
    expect(parseJson(Buffer.from(input.invokeModel.body, 'base64').toString())).toEqual({
      anthropic_version: 'bedrock-2023-05-31',
      max_tokens: 1,
      messages: [],
    });
    expect(bedrock.unwrap({ inputTokens: 7 }, 200)).toEqual({ input_tokens: 7 });
  });

  test('its refusals come in the envelope of the vendor, and answers as they are', () => {
    expect(bedrock.unwrap({ message: 'Too many requests' }, 429)).toMatchObject({
      type: 'error',
      error: { type: 'rate_limit_error', message: 'Too many requests' },
    });
    expect(bedrock.unwrap({ message: 'Input is too long for requested model.' }, 400)).toMatchObject({
      error: {
        type: 'invalid_request_error',
        message: expect.stringContaining('prompt is too long') as string,
      },
    });
    expect(bedrock.unwrap({ type: 'message', content: [] }, 200)).toBeUndefined();
  });

  const frame = (event: string, headers: Record<string, string> = { ':event-type': 'chunk' }) =>
    bedrock.openFrames?.({})({
      headers,
      payload: Buffer.from(JSON.stringify({ bytes: Buffer.from(event).toString('base64'), p: 'abc' })),
    });

  test('a frame is the event of the vendor, without what Bedrock adds', () => {
    const delta = '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"ä"}}';
    expect(frame(delta)).toBe(`event: content_block_delta\ndata: ${delta}\n\n`);
    expect(frame('{"type":"message_stop","amazon-bedrock-invocationMetrics":{"inputTokenCount":3}}')).toBe(
      'event: message_stop\ndata: {"type":"message_stop"}\n\n',
    );
    expect(frame('{"index":0,\n"type":"ping"}')).toBe('event: ping\ndata: {"index":0,"type":"ping"}\n\n');
    expect(frame('{"index":0}')).toBeUndefined();
    expect(bedrock.openFrames?.({})({ headers: {}, payload: Buffer.from('{}') })).toBeUndefined();
  });

  test.each([
    ['throttlingException', 'rate_limit_error'],
    ['modelStreamErrorException', 'api_error'],
    ['serviceUnavailableException', 'overloaded_error'],
    ['validationException', 'invalid_request_error'],
    ['modelTimeoutException', 'timeout_error'],
    ['novelException', 'api_error'],
  ])('a frame of a %s is an event of a %s', (name, type) => {
    const said = bedrock.openFrames?.({})({
      headers: { ':message-type': 'exception', ':exception-type': name },
      payload: Buffer.from('{"message":"So it is."}'),
    });
    expect(said).toMatch(/^event: error\ndata: \{"type":"error"/);
    expect(said).toContain(`"type":"${type}","message":"So it is."`);
  });
});

describe('Vertex', () => {
  const wrap = (body: string, action: 'generate' | 'count' = 'generate') =>
    vertex.wrap(
      {
        headers: {
          ...HEADERS,
          'anthropic-beta': 'web-search-2025-03-05, a-novelty,advanced-tool-use-2025-11-20',
        },
        body: Buffer.from(body),
      },
      { model: 'm', action },
    );

  test('the model leaves the body, the version enters it, betas that it takes stay in their header', () => {
    const { body, headers, dropped } = wrap(text);
    expect(body.toString()).toBe(
      '{ "anthropic_version":"vertex-2023-10-16","max_tokens" : 5, "messages": [ {"role":"user","content":"ä"} ] , "stream":true}',
    );
    expect(headers).toEqual({
      'content-type': 'application/json',
      'anthropic-beta': 'web-search-2025-03-05,tool-search-tool-2025-10-19',
    });
    expect(dropped).toEqual(['anthropic-beta:a-novelty']);
  });

  test('what is counted names its model, and no beta that is not counted with', () => {
    const { body, headers, dropped } = wrap('{"model":"m"}', 'count');
    expect(body.toString()).toBe('{"anthropic_version":"vertex-2023-10-16","model":"m"}');
    expect(headers).toEqual({ 'content-type': 'application/json' });
    expect(dropped).toHaveLength(3);
    expect(vertex.path({ model: 'm', action: 'count' })).toBe('/models/count-tokens:rawPredict');
    expect(vertex.path({ model: 'claude-sonnet-4@20250929', action: 'stream' })).toBe(
      '/models/claude-sonnet-4%4020250929:streamRawPredict',
    );
  });

  test('refusals of Google’s come in the envelope of the vendor', () => {
    const error = { code: 429, message: 'Quota exceeded.', status: 'RESOURCE_EXHAUSTED' };
    for (const said of [{ error }, [{ error }]])
      expect(vertex.unwrap(said, 429)).toMatchObject({
        error: { type: 'rate_limit_error', message: 'Quota exceeded.' },
      });
    expect(vertex.unwrap({ type: 'error', error: { type: 'x', message: 'y' } }, 400)).toBeUndefined();
  });
});

/** What Claude Code 2.1.329 sent, its texts shortened: the betas as they were, and one tool of each of its ways. */
interface Captured {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}
const captured = parseJson(
  readFileSync(new URL('../golden/claude-code-2.1.329.json', import.meta.url), 'utf8'),
) as Readonly<Record<string, Captured>>;

test.each([
  [
    'sonnet',
    'bedrock',
    [
      'interleaved-thinking-2025-05-14',
      'context-management-2025-06-27',
      'tool-search-tool-2025-10-19',
      'effort-2025-11-24',
    ],
    ['claude-code-20250219', 'thinking-token-count-2026-05-13'],
  ],
  [
    'sonnet',
    'vertex',
    ['interleaved-thinking-2025-05-14', 'context-management-2025-06-27', 'tool-search-tool-2025-10-19'],
    ['claude-code-20250219', 'thinking-token-count-2026-05-13', 'effort-2025-11-24'],
  ],
  [
    'opus',
    'bedrock',
    [
      'interleaved-thinking-2025-05-14',
      'context-management-2025-06-27',
      'mid-conversation-tool-changes-2026-07-01',
      'tool-search-tool-2025-10-19',
      'effort-2025-11-24',
    ],
    ['claude-code-20250219', 'per-turn-control-2026-07-01', 'thinking-token-count-2026-05-13'],
  ],
  [
    'opus',
    'vertex',
    [
      'interleaved-thinking-2025-05-14',
      'context-management-2025-06-27',
      'per-turn-control-2026-07-01',
      'tool-search-tool-2025-10-19',
    ],
    [
      'claude-code-20250219',
      'mid-conversation-tool-changes-2026-07-01',
      'thinking-token-count-2026-05-13',
      'effort-2025-11-24',
    ],
  ],
] as const)('of Claude Code’s betas for %s %s takes what it knows', (model, cloud, taken, left) => {
  const { headers, body } = captured[model] ?? { headers: {}, body: {} };
  const wrapped = { bedrock, vertex }[cloud].wrap(
    { headers: { ...headers }, body: Buffer.from(JSON.stringify(body)) },
    { model: 'm', action: 'stream' },
  );
  const sent = parseJson(wrapped.body.toString()) as Readonly<Record<string, unknown>>;
  const betas = cloud === 'bedrock' ? sent['anthropic_beta'] : wrapped.headers['anthropic-beta']?.split(',');
  expect(betas).toEqual(taken);
  expect(wrapped.dropped).toEqual(left.map((beta) => `anthropic-beta:${beta}`));
  expect(sent).toMatchObject({ context_management: body['context_management'], tools: body['tools'] });
});

test('every beta has its source', () => {
  for (const { source } of Object.values(BETA_RULES)) expect(source.length).toBeGreaterThan(10);
});
