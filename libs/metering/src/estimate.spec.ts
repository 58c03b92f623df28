import { type ClientProtocol, CLIENT_PROTOCOLS } from '@tollgate/vocabulary';
import fc from 'fast-check';
import { createTokenScale, estimateRequestTokens, estimateTokens, tokenWeight } from './index.ts';

const anyText = fc.string({ unit: 'binary' });

/** What two pieces weigh, one after the other. */
function inPieces(head: string, tail: string): number {
  const scale = createTokenScale();
  return scale.weigh(head) + scale.weigh(tail);
}

test('a text cut anywhere weighs what the whole weighs', () => {
  fc.assert(
    fc.property(anyText, anyText, (head, tail) => {
      expect(inPieces(head, tail)).toBeCloseTo(tokenWeight(head + tail), 6);
    }),
  );
  const text = 'Grüße 世界 🚀 {"a": 12} qxzkvw7\n';
  for (let at = 0; at <= text.length; at += 1)
    expect(inPieces(text.slice(0, at), text.slice(at))).toBeCloseTo(tokenWeight(text), 9);
  // However much is weighed at once.
  const long = mixed([text, 'xzkvw7', ' '], 40_000);
  for (const at of [0, 1, 255, 256, 257, 16_383, 16_384, 16_385, 32_768, 39_999])
    expect(inPieces(long.slice(0, at), long.slice(at))).toBeCloseTo(oneByOne(long), 6);
});

function oneByOne(text: string): number {
  const scale = createTokenScale();
  let weight = 0;
  for (let at = 0; at < text.length; at += 1) weight += scale.weigh(text[at] ?? '');
  return weight;
}

test('any text is at min one token, and no text is none', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 1 }), (text) => {
      expect(estimateTokens(text)).toBeGreaterThanOrEqual(1);
      expect(Number.isInteger(estimateTokens(text))).toBe(true);
    }),
  );
  expect(estimateTokens('')).toBe(0);
});

test('a longer text never counts less', () => {
  fc.assert(
    fc.property(anyText, anyText, (head, tail) => {
      expect(estimateTokens(head + tail)).toBeGreaterThanOrEqual(estimateTokens(head));
    }),
  );
});

test.each([
  ['English', 'The quick brown fox jumps over the lazy dog and runs into the forest.', 12, 20],
  ['Chinese', '今天天气很好我们去公园散步吧', 8, 16],
  ['Russian', 'Съешь же ещё этих мягких французских булок', 10, 26],
  ['code', 'for (let i = 0; i < list.length; i += 1) { sum += list[i]; }', 14, 36],
  ['digits', '3.14159265358979323846', 7, 22],
])('%s is estimated within a factor of two', (_, text, min, max) => {
  expect(estimateTokens(text)).toBeGreaterThanOrEqual(min);
  expect(estimateTokens(text)).toBeLessThanOrEqual(max);
});

/** The same random text at every run. */
function randomText(alphabet: string, length: number): string {
  let state = 1;
  return Array.from({ length }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return alphabet[state % alphabet.length];
  }).join('');
}
const LOWER = 'abcdefghijklmnopqrstuvwxyz';

// o200k makes 5,020 tokens of 8,000 random letters; 2,001 were estimated before.
test.each([
  ['random letters', LOWER, 0.55],
  ['random letters of both cases', LOWER + LOWER.toUpperCase(), 0.55],
  ['base64', `${LOWER}${LOWER.toUpperCase()}0123456789+/`, 0.55],
  ['hexadecimal digits', '0123456789abcdef', 0.45],
])('%s are not estimated as if they were words', (_name, alphabet, each) => {
  const tokens = estimateTokens(randomText(alphabet, 8_000));
  expect(tokens).toBeGreaterThan(8_000 * each);
  expect(tokens).toBeLessThan(8_000 * 0.75);
});

test('ordinary text is estimated as words', () => {
  const text =
    'The strength of the system is that it has been tested through and through: whoever reads the next lines will see. ';
  const perLetter = estimateTokens(text.repeat(100)) / (text.length * 100);
  expect(perLetter).toBeGreaterThan(0.2);
  expect(perLetter).toBeLessThan(0.27);
});

// o200k makes 8,019 tokens of them.
test('4,000 Tibetan letters are estimated as high as a tokeniser counts them', () => {
  expect(estimateTokens('བོད་ཡིག'.repeat(572).slice(0, 4_000))).toBeGreaterThanOrEqual(8_000);
});

test('ten pictures are ten times what a picture counts at min', () => {
  const url = 'data:image/png;base64,AA==';
  const content = Array.from({ length: 10 }, () => ({ type: 'image_url', image_url: { url } }));
  expect(
    estimateRequestTokens('openai-chat', { model: 'm', messages: [{ role: 'user', content }] }),
  ).toBeGreaterThanOrEqual(40_960);
});

/** Pieces in an order that no period meets. */
function mixed(pieces: readonly string[], length: number): string {
  let state = 7;
  let text = '';
  while (text.length < length) {
    state = (state * 48_271) % 2_147_483_647;
    text += pieces[state % pieces.length];
  }
  return text;
}
const PROSE =
  'The strength of the system is that it has been tested; whoever reads the next lines will see. ';
const CODE = 'for (let index = 0; index < list.length; index += 1) { sum += list[index] ?? 0; }\n';
const CHINESE = '今天天气很好，我们去公园散步吧。';

test.each([
  ['prose', [PROSE], 0.02],
  ['code', [CODE], 0.02],
  ['random letters', [`${randomText(LOWER, 900)} `], 0.02],
  ['prose, code and Chinese', [PROSE, CODE, CHINESE], 0.05],
  // In pieces of a part of the sample each: none of them may be left out, nor counted for others.
  ['light and heavy pieces', [' '.repeat(4_096), 'བ'.repeat(4_096)], 0.05],
])('a long text is sampled: %s', (_name, pieces, within) => {
  for (const length of [262_144, 1_000_003, 4_000_000]) {
    const text = mixed(pieces, length);
    const exact = tokenWeight(text);
    for (let seed = 1; seed <= 20; seed += 1) {
      const estimate = estimateRequestTokens('openai-responses', { input: text }, seed);
      expect(Math.abs(estimate / exact - 1)).toBeLessThan(within);
    }
  }
});

test('no fixed place of a long text is left out', () => {
  const text = `${' '.repeat(3_840)}${'བ'.repeat(256)}`.repeat(1_000);
  const estimates = Array.from({ length: 20 }, (_, seed) =>
    estimateRequestTokens('openai-responses', { input: text }, seed),
  );
  const mean = estimates.reduce((sum, each) => sum + each, 0) / estimates.length;
  expect(Math.abs(mean / tokenWeight(text) - 1)).toBeLessThan(0.1);
  expect(new Set(estimates).size).toBeGreaterThan(10);
});

const base64 = Buffer.alloc(30_000, 'picture').toString('base64');
const withText: Record<ClientProtocol, (text: string) => Record<string, unknown>> = {
  'openai-chat': (text) => ({ model: 'm', messages: [{ role: 'user', content: [{ type: 'text', text }] }] }),
  'openai-responses': (text) => ({ model: 'm', input: text }),
  'anthropic-messages': (text) => ({
    model: 'm',
    max_tokens: 1,
    messages: [{ role: 'user', content: text }],
  }),
  gemini: (text) => ({ contents: [{ role: 'user', parts: [{ text }] }] }),
};
/** Where each format keeps inline data. */
const inline: Record<ClientProtocol, Record<string, unknown>> = {
  'openai-chat': {
    messages: [
      { type: 'image_url', image_url: { url: `data:image/png;base64,${base64}` } },
      { type: 'input_audio', input_audio: { data: base64 } },
      { type: 'file', file: { file_data: base64 } },
    ],
  },
  'openai-responses': { input: [{ type: 'input_image', image_url: `data:image/png;base64,${base64}` }] },
  'anthropic-messages': {
    messages: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: base64 } }],
  },
  gemini: { contents: [{ parts: [{ inlineData: { mimeType: 'image/png', data: base64 } }] }] },
};
const others: Record<ClientProtocol, Record<string, unknown>> = {
  'openai-chat': { tools: [{ type: 'function', function: { name: 'find', description: 'Finds things.' } }] },
  'openai-responses': { instructions: 'Be brief.' },
  'anthropic-messages': { system: [{ type: 'text', text: 'Be brief.' }] },
  gemini: { systemInstruction: { parts: [{ text: 'Be brief.' }] } },
};

describe.each(CLIENT_PROTOCOLS)('a %s request', (protocol) => {
  const small = estimateRequestTokens(protocol, withText[protocol]('hi'));

  test('counts its text', () => {
    const text = 'word '.repeat(1_000);
    const weight = estimateRequestTokens(protocol, withText[protocol](text)) - small;
    expect(Math.abs(weight - tokenWeight(text))).toBeLessThan(3);
  });

  test('counts what stands beside its messages', () => {
    const more = { ...withText[protocol]('hi'), ...others[protocol] };
    expect(estimateRequestTokens(protocol, more)).toBeGreaterThan(small);
  });

  test('counts an inline picture as one, and not as text', () => {
    const tokens = estimateRequestTokens(protocol, inline[protocol]);
    expect(tokens).toBeGreaterThanOrEqual(4_096);
    expect(tokens).toBeLessThan(4_200);
  });

  test('counts something even when it says nothing', () => {
    expect(estimateRequestTokens(protocol, {})).toBeGreaterThanOrEqual(1);
  });

  test('with only settings counts as one without', () => {
    const settings = { ...withText[protocol]('hi'), metadata: { note: 'a long note' }, user: 'someone' };
    expect(estimateRequestTokens(protocol, settings)).toBe(small);
  });
});
