import fc from 'fast-check';
import { anyRequest } from './golden/arbitrary-request.ts';
import { convertCase, toOutcome } from './golden/cases.ts';
import { findDialect } from '../dialects/find-dialect.ts';
import { isObject, type JsonObject } from '../json.ts';
import { markCache } from './cache-marks.ts';

const MARK = { type: 'ephemeral' };
const LONG = 'word '.repeat(1_000);
const call = (id: string) => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id, type: 'function', function: { name: 'f', arguments: '{}' } }],
});
const tool = (description: string, name = 'f') => ({
  type: 'function',
  function: { name, description, parameters: { type: 'object', properties: {} } },
});

/** An agent's second step. */
const agent = (of: { tools: string; system: string; words: string }): JsonObject => ({
  model: 'm',
  tools: [tool('first', 'g'), tool(of.tools)],
  messages: [
    { role: 'system', content: of.system },
    { role: 'user', content: of.words },
    call('a'),
    { role: 'tool', tool_call_id: 'a', content: 'done' },
  ],
});

/** Where the marks of a request stand, by path. */
function marksOf(value: unknown, at = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((each, index) => marksOf(each, `${at}/${index}`));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === 'cache_control'
      ? [JSON.stringify(inner) === JSON.stringify(MARK) ? at : `${at} is wrong`]
      : marksOf(inner, `${at}/${key}`),
  );
}

function marksFor(
  body: JsonObject,
  upstreamModel = 'claude-sonnet-5',
): { marks: string[]; emulated: readonly string[] } {
  const outcome = toOutcome(
    convertCase('openai-chat', 'anthropic-messages', { body, upstreamModel, to: {} }),
  );
  if (!('request' in outcome)) throw new Error('it was refused');
  return { marks: marksOf(outcome.request), emulated: outcome.emulated };
}

test.each([
  [
    'everything that comes again',
    { tools: LONG, system: LONG, words: LONG },
    ['/tools/1', '/system/0', '/messages/0/content/0', '/messages/2/content/0'],
  ],
  [
    'nothing before the beginning is long enough',
    { tools: 'short', system: LONG, words: '?' },
    ['/system/0', '/messages/0/content/0', '/messages/2/content/0'],
  ],
  [
    'only what the long words of the user begin',
    { tools: '', system: '', words: LONG },
    ['/messages/0/content/0', '/messages/2/content/0'],
  ],
  ['nothing of what is too short', { tools: '', system: '', words: 'Hello.' }, []],
])('marks %s', (_what, of, marks) => {
  expect(marksFor(agent(of)).marks.toSorted()).toEqual(marks.toSorted());
});

const question = { model: 'm', messages: [{ role: 'user', content: LONG }] };
test.each([
  ['a single question', question, 'claude-sonnet-5', []],
  [
    'a question with a key for the cache',
    { ...question, prompt_cache_key: 'k' },
    'claude-sonnet-5',
    ['/messages/0/content/0'],
  ],
  [
    'a model that caches longer beginnings alone',
    { ...question, prompt_cache_key: 'k' },
    'claude-haiku-4-5',
    [],
  ],
  ['a model that is none of the vendor’s', { ...question, prompt_cache_key: 'k' }, 'kimi-k3', []],
])('%s', (_what, body, model, marks) => {
  expect(marksFor(body, model).marks).toEqual(marks);
});

test('the catalogue can turn it off', () => {
  const dialect = findDialect('anthropic-messages', 'claude-sonnet-5', { cache_marks: 'none' });
  const encoded = { messages: [{ role: 'user', content: [{ type: 'text', text: LONG }] }] };
  fc.assert(
    fc.property(anyRequest('openai-chat'), (request) => {
      expect(markCache(encoded, request, dialect, () => [])).toEqual(encoded);
    }),
  );
});

test('no conversation gets more than four marks, and nothing but marks is added', () => {
  const content = fc.constantFrom('Hello.', LONG);
  const turns = fc.array(fc.record({ role: fc.constantFrom('user', 'assistant', 'system'), content }), {
    minLength: 1,
    maxLength: 12,
  });
  fc.assert(
    fc.property(turns, fc.boolean(), (messages, hasTools) => {
      const body = { model: 'm', messages, ...(hasTools ? { tools: [tool(LONG)] } : {}) };
      const sent = (upstreamModel: string) =>
        toOutcome(convertCase('openai-chat', 'anthropic-messages', { body, upstreamModel, to: {} }));
      const marked = sent('claude-sonnet-4-5');
      expect(marksOf(marked).length).toBeLessThanOrEqual(4);
      const stripped = JSON.stringify(marked).replaceAll(`,"cache_control":${JSON.stringify(MARK)}`, '');
      expect(stripped.replace('claude-sonnet-4-5', 'other')).toBe(JSON.stringify(sent('other')));
    }),
  );
});

test.each([
  ['us.anthropic.claude-sonnet-5', 4],
  ['anthropic.claude-3-5-sonnet-20240620-v1:0', 0],
  ['anthropic.claude-3-haiku-20240307-v1:0', 0],
  ['anthropic.claude-instant-v1', 0],
  ['amazon.nova-pro-v1:0', 0],
  ['meta.llama3-3-70b-instruct-v1:0', 0],
  ['us.deepseek.r1-v1:0', 0],
  ['openai.gpt-oss-120b-1:0', 0],
])('Converse is sent marks for models that it caches for: %s', (upstreamModel, count) => {
  const body = agent({ tools: LONG, system: LONG, words: LONG });
  const outcome = toOutcome(convertCase('openai-chat', 'bedrock-converse', { body, upstreamModel, to: {} }));
  expect(JSON.stringify(outcome).match(/"cachePoint"/g) ?? []).toHaveLength(count);
});

test.each([
  ['1h', 'us.anthropic.claude-sonnet-4-5-20250929-v1:0', '1h'],
  ['5m', 'us.anthropic.claude-sonnet-4-5-20250929-v1:0', undefined],
  // A longer mark is refused there, and a shorter one is always good.
  ['1h', 'us.anthropic.claude-sonnet-4-20250514-v1:0', undefined],
  ['1h', 'us.anthropic.claude-opus-4-6-v1', undefined],
])('a client of Messages that marks for %s is cached by %s for %s', (asked, upstreamModel, ttl) => {
  const system = [{ type: 'text', text: LONG.repeat(4), cache_control: { type: 'ephemeral', ttl: asked } }];
  const messages = [
    { role: 'user', content: 'Hello.' },
    { role: 'assistant', content: 'Hello.' },
    { role: 'user', content: 'Go on.' },
  ];
  const body = { model: 'm', max_tokens: 9, system, messages };
  const outcome = toOutcome(
    convertCase('anthropic-messages', 'bedrock-converse', { body, upstreamModel, to: {} }),
  );
  const points = JSON.stringify(outcome).match(/"cachePoint":\{[^}]*\}/g) ?? [];
  expect(points.length).toBeGreaterThan(0);
  for (const point of points)
    expect(JSON.parse(`{${point}}`)).toEqual({ cachePoint: { type: 'default', ...(ttl ? { ttl } : {}) } });
});
