import type { ClientProtocol } from '@tollgate/vocabulary';
import fc from 'fast-check';
import { decodeRequest, type ExplicitOutput } from './index.ts';

// What upstreams read is written here once more, as their decoders do it, and compared with what is held for.

type Body = Readonly<Record<string, unknown>>;

const bodies: Readonly<Record<ClientProtocol, Body>> = {
  'openai-chat': { model: 'm', messages: [{ role: 'user', content: 'hi' }] },
  'openai-responses': { model: 'm', input: 'hi' },
  'anthropic-messages': { model: 'm', max_tokens: 1, messages: [{ role: 'user', content: 'hi' }] },
  gemini: { contents: [{ parts: [{ text: 'hi' }] }] },
};

const decode = (protocol: ClientProtocol, change: Body) =>
  decodeRequest(protocol, Buffer.from(JSON.stringify({ ...bodies[protocol], ...change })), {
    pathModel: 'm',
  });

function outputOf(protocol: ClientProtocol, change: Body): ExplicitOutput | string {
  const decoded = decode(protocol, change);
  return decoded.ok ? decoded.request.output : decoded.error.message;
}

const NOTHING: ExplicitOutput = { limit: null, raisedTo: 0, beside: 0, answers: 1 };

test.each<[ClientProtocol, Body, Partial<ExplicitOutput>]>([
  ['openai-chat', {}, {}],
  ['openai-chat', { max_tokens: 5 }, { limit: 5 }],
  ['openai-chat', { max_completion_tokens: 5, max_tokens: null }, { limit: 5 }],
  ['openai-chat', { max_completion_tokens: 5, max_tokens: 5 }, { limit: 5 }],
  ['openai-chat', { max_tokens: 5, num_predict: 90, min_tokens: -1 }, { limit: 5, raisedTo: 90 }],
  ['openai-chat', { max_tokens: 5, reasoning: { max_tokens: 80 } }, { limit: 5, raisedTo: 80 }],
  ['openai-chat', { max_tokens: 5, thinking_budget: 7 }, { limit: 5, beside: 7 }],
  ['openai-chat', { prediction: { type: 'content', content: 'abcd' } }, { beside: 6 }],
  ['openai-chat', { n: 3, best_of: 8 }, { answers: 8 }],
  ['openai-responses', { max_output_tokens: 5, max_tokens: 9 }, { limit: 5, raisedTo: 9 }],
  [
    'anthropic-messages',
    { max_tokens: 5, thinking: { type: 'enabled', budget_tokens: 9 } },
    { limit: 5, raisedTo: 9 },
  ],
  ['gemini', { generation_config: { max_output_tokens: 5, candidate_count: 8 } }, { limit: 5, answers: 8 }],
  ['gemini', { generationConfig: { max_output_tokens: 5 } }, { limit: 5 }],
  [
    'gemini',
    { generation_config: { thinkingConfig: { thinking_budget: 9 }, candidateCount: 2 } },
    { raisedTo: 9, answers: 2 },
  ],
  ['gemini', { generationConfig: { thinkingConfig: { thinkingBudget: -1 } } }, {}],
])('%s with %j states %j', (protocol, change, stated) => {
  expect(outputOf(protocol, change)).toEqual({
    ...NOTHING,
    ...(protocol === 'anthropic-messages' ? { limit: 1 } : {}),
    ...stated,
  });
});

test.each<[ClientProtocol, Body, string]>([
  [
    'openai-chat',
    { max_completion_tokens: 1, max_tokens: 60_000 },
    'max_tokens: says something else than max_completion_tokens; state one of them.',
  ],
  ['openai-chat', { Max_Tokens: 60_000 }, 'Max_Tokens: is written max_tokens.'],
  ['openai-chat', { 'max_to\u212Aens': 60_000 }, 'max_to\u212Aens: is written max_tokens.'],
  ['openai-chat', { maxCompletionTokens: 9 }, 'maxCompletionTokens: is written max_completion_tokens.'],
  ['openai-chat', { N: 9 }, 'N: is written n.'],
  ['openai-chat', { n: '8' }, 'n: must be an integer.'],
  ['openai-chat', { n: 129 }, 'n: must be at most 128.'],
  ['openai-chat', { n: 0 }, 'n: must be at least 1.'],
  ['openai-chat', { thinking: { Budget_tokens: 9 } }, 'thinking.Budget_tokens: is written budget_tokens.'],
  ['openai-responses', { maxOutputTokens: 9 }, 'maxOutputTokens: is written max_output_tokens.'],
  ['anthropic-messages', { MAX_TOKENS: 9 }, 'MAX_TOKENS: is written max_tokens.'],
  [
    'gemini',
    { generationConfig: { maxOutputTokens: 1, max_output_tokens: 60_000 } },
    'generationConfig.max_output_tokens: stands there in both of its spellings; state one.',
  ],
  [
    'gemini',
    { generation_config: { candidateCount: 8 }, generationConfig: { candidateCount: 1 } },
    'generation_config: stands there in both of its spellings; state one.',
  ],
  ['gemini', { generation_config: { max_output_tokens: '60000' } }, 'must be an integer'],
  ['gemini', { generationConfig: { candidateCount: '8' } }, 'must be an integer'],
  ['gemini', { GenerationConfig: { candidateCount: 8 } }, 'GenerationConfig: is written generationConfig.'],
  ['gemini', { contents: [{ parts: [{ inline_data: {}, inlineData: {} }] }] }, 'both of its spellings'],
])('%s with %j is refused: %s', (protocol, change, message) => {
  expect(outputOf(protocol, change)).toEqual(expect.stringContaining(message));
});

test('what a request of Gemini says in the other spelling is sent in ours, but for what is the caller’s own', () => {
  const args = { max_items: 1, in_it: { a_b: 1 } };
  const sent = decode('gemini', {
    contents: [{ parts: [{ function_call: { name: 'f_g', args } }, { inline_data: { mime_type: 'a/b' } }] }],
    tools: [{ function_declarations: [{ name: 'f', parameters: { properties: { a_b: {} } } }] }],
    generation_config: { max_output_tokens: 5, response_schema: { any_of: [] } },
  });
  expect(sent.ok && JSON.parse(sent.bytes.toString())).toEqual({
    contents: [{ parts: [{ functionCall: { name: 'f_g', args } }, { inlineData: { mimeType: 'a/b' } }] }],
    tools: [{ functionDeclarations: [{ name: 'f', parameters: { properties: { a_b: {} } } }] }],
    generationConfig: { maxOutputTokens: 5, responseSchema: { any_of: [] } },
  });
});

test('the bytes of every other request are those that came', () => {
  for (const protocol of Object.keys(bodies) as ClientProtocol[]) {
    const bytes = Buffer.from(`  ${JSON.stringify({ ...bodies[protocol], x_y: 1.0 })}`);
    const decoded = decodeRequest(protocol, bytes, { pathModel: 'm' });
    if (protocol !== 'gemini') expect(decoded.ok && decoded.bytes).toBe(bytes);
  }
  const plain = Buffer.from(` ${JSON.stringify(bodies.gemini)}`);
  const decoded = decodeRequest('gemini', plain, { pathModel: 'm' });
  expect(decoded.ok && decoded.bytes).toBe(plain);
});

/** What the model writes where nothing is stated, and it is able to write more. */
const MODELS_OWN = 1_000;

interface Reading {
  readonly max: number;
  readonly answers: number;
}

/** Names as an upstream's decoder compares them, and which of several wins. */
const DECODERS = {
  exact: { same: (a: string, b: string) => a === b, last: true },
  'case-insensitive, first wins': { same: (a: string, b: string) => plain(a) === plain(b), last: false },
  'case-insensitive, last wins': { same: (a: string, b: string) => plain(a) === plain(b), last: true },
  'protobuf JSON, first wins': { same: (a: string, b: string) => a === b || a === snake(b), last: false },
  'protobuf JSON, last wins': { same: (a: string, b: string) => a === b || a === snake(b), last: true },
};
const plain = (name: string) => name.replaceAll('\u212A', 'k').toLowerCase();
const snake = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** What upstreams of a format may do with what they find. One that ignores what it is told is no reading of it. */
const UPSTREAMS: Readonly<
  Record<ClientProtocol, readonly ((at: (...path: string[]) => number | undefined) => Reading)[]>
> = {
  'openai-chat': [
    (at) => ({ max: at('max_completion_tokens') ?? at('max_tokens') ?? MODELS_OWN, answers: at('n') ?? 1 }),
    (at) => ({
      max: at('max_tokens') ?? at('max_completion_tokens') ?? MODELS_OWN,
      answers: Math.max(at('n') ?? 1, at('best_of') ?? 1),
    }),
    (at) => ({
      max: at('max_new_tokens') ?? at('max_tokens') ?? at('max_completion_tokens') ?? MODELS_OWN,
      answers: 1,
    }),
    (at) => ({
      max: at('options', 'num_predict') ?? at('max_tokens') ?? at('max_completion_tokens') ?? MODELS_OWN,
      answers: 1,
    }),
    (at) => ({
      max:
        (at('max_tokens') ?? at('max_completion_tokens') ?? MODELS_OWN) +
        Math.max(0, at('thinking_budget') ?? 0),
      answers: 1,
    }),
  ],
  'openai-responses': [
    (at) => ({ max: at('max_output_tokens') ?? MODELS_OWN, answers: 1 }),
    (at) => ({ max: at('max_tokens') ?? at('max_output_tokens') ?? MODELS_OWN, answers: 1 }),
  ],
  'anthropic-messages': [
    (at) => ({ max: at('max_tokens') ?? at('max_completion_tokens') ?? MODELS_OWN, answers: 1 }),
    (at) => ({ max: Math.max(at('max_tokens') ?? 0, at('thinking', 'budget_tokens') ?? 0), answers: 1 }),
  ],
  gemini: [
    (at) => ({
      max: Math.max(
        at('generationConfig', 'maxOutputTokens') ?? MODELS_OWN,
        at('generationConfig', 'thinkingConfig', 'thinkingBudget') ?? 0,
      ),
      answers: at('generationConfig', 'candidateCount') ?? 1,
    }),
  ],
};

const NAMES: Readonly<Record<ClientProtocol, readonly (readonly [string, ...string[]])[]>> = {
  'openai-chat': [
    ['max_tokens'],
    ['max_completion_tokens'],
    ['max_new_tokens'],
    ['options', 'num_predict'],
    ['thinking_budget'],
    ['n'],
    ['best_of'],
  ],
  'openai-responses': [['max_output_tokens'], ['max_tokens']],
  'anthropic-messages': [['max_tokens'], ['thinking', 'budget_tokens']],
  gemini: [
    ['generationConfig', 'maxOutputTokens'],
    ['generationConfig', 'candidateCount'],
    ['generationConfig', 'thinkingConfig', 'thinkingBudget'],
  ],
};

const spelling = fc.constantFrom<(name: string) => string>(
  (name) => name,
  (name) => name,
  snake,
  (name) => name.toUpperCase(),
  (name) => name.replace('k', '\u212A'),
  (name) => name.charAt(0).toUpperCase() + name.slice(1),
);
const amount = fc.oneof(
  fc.integer({ min: 1, max: 100 }),
  fc.integer({ min: 1, max: 100_000 }),
  fc.constantFrom(-1, 0, null, '60000', 1e300, 8.5),
);

const statements = (protocol: ClientProtocol) =>
  fc.array(
    fc
      .constantFrom(...NAMES[protocol])
      .chain((path) => fc.tuple(fc.tuple(...path.map((name) => spelling.map((as) => as(name)))), amount)),
    { maxLength: 4 },
  );

/** Puts a value at a path, into what stands there already. */
function put(body: Record<string, unknown>, [name = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) body[name] = value;
  else {
    const inner = body[name];
    const below = typeof inner === 'object' && inner !== null ? { ...inner } : {};
    put(below, rest, value);
    body[name] = below;
  }
}

test.each(Object.keys(bodies) as ClientProtocol[])(
  'whatever a request of %s states in whatever spelling, what is held for covers the largest reading',
  (protocol) => {
    let taken = 0;
    fc.assert(
      fc.property(statements(protocol), (stated) => {
        const body: Record<string, unknown> = { ...bodies[protocol] };
        for (const [path, value] of stated) put(body, path, value);
        const decoded = decodeRequest(protocol, Buffer.from(JSON.stringify(body)), { pathModel: 'm' });
        if (!decoded.ok) return;
        taken += 1;
        const { limit, raisedTo, beside, answers } = decoded.request.output;
        const held = answers * (Math.max(limit ?? MODELS_OWN, raisedTo) + beside);
        const sent = JSON.parse(decoded.bytes.toString()) as Body;
        for (const { same, last } of Object.values(DECODERS)) {
          const at = (...path: string[]): number | undefined => {
            const found = path.reduce<unknown>((value, name) => {
              if (typeof value !== 'object' || value === null) return undefined;
              const fitting = Object.entries(value).filter(([key]) => same(key, name));
              return fitting.at(last ? -1 : 0)?.[1];
            }, sent);
            const count = typeof found === 'string' ? Number(found) : found;
            return typeof count === 'number' && count > 0 ? count : undefined;
          };
          for (const read of UPSTREAMS[protocol]) {
            const reading = read(at);
            expect(held).toBeGreaterThanOrEqual(reading.max * reading.answers);
          }
        }
      }),
      { numRuns: 500 },
    );
    expect(taken).toBeGreaterThan(30);
  },
);
