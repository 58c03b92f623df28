import fc from 'fast-check';
import { decodeRequest, surveyJson } from './index.ts';
import { duplicateMember } from './survey-json.ts';

const survey = (text: string, maxValues = Infinity) => surveyJson(Buffer.from(text), maxValues);

function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return 1 + Object.values(value).reduce<number>((sum, inner) => sum + countValues(inner), 0);
}

const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? 1 + Math.max(0, ...Object.values(value).map((inner) => depthOf(inner)))
    : 0;

const isPlain = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

test('the values of any JSON are counted, and none is missed', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ depthSize: 'medium' })),
      fc.nat({ max: 2 }),
      (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        const found = survey(text);
        // A container counts for its first value too, empty as it may be.
        expect(found.values).toBeGreaterThanOrEqual(countValues(value));
        expect(found.values).toBeLessThanOrEqual(2 * countValues(value));
        const parsed = JSON.parse(text) as Record<string, unknown>;
        expect(found.members).toBe(Object.keys(parsed).length);
        const inner = Object.values(parsed).filter(isPlain);
        expect(found.innerMembers).toBe(inner.reduce((sum, each) => sum + Object.keys(each).length, 0));
        expect(found.tooDeep).toBe(depthOf(value) > 256);
        expect(duplicateMember(Buffer.from(text), parsed, found)).toBeUndefined();
      },
    ),
  );
});

test.each([
  ['ten million empty objects', `[${'{},'.repeat(10_000_000)}{}]`],
  ['ten million numbers', `[${'1,'.repeat(10_000_000)}1]`],
  ['members without end', `{${'"a":1,'.repeat(1_000_000)}"a":1}`],
  ['what is no JSON', ','.repeat(10_000_000)],
])('%s are too many, which is known after the first of them', (_, text) => {
  expect(survey(text, 1_000)).toMatchObject({ tooMany: true, values: 1_001 });
});

test.each([
  ['in texts', `{"a":"${'{},'.repeat(5_000)}"}`],
  ['in texts behind escaped quotes', `{"a":"${'\\"{},[\\\\'.repeat(5_000)}"}`],
  ['in names', `{"${'[,'.repeat(5_000)}":1}`],
  ['in a text that does not end', `{"a":"${'{},'.repeat(5_000)}`],
  ['in a text that ends in a backslash', `{"a":"${'{},'.repeat(5_000)}\\`],
])('signs %s are no values', (_, text) => {
  expect(survey(text, 10)).toMatchObject({ tooMany: false, tooDeep: false, members: 1 });
});

test.each([
  [256, false],
  [257, true],
  [1_000_000, true],
])('%i levels are too deep: %s', (levels, tooDeep) => {
  expect(survey('['.repeat(levels)).tooDeep).toBe(tooDeep);
  expect(survey('{"a":'.repeat(levels)).tooDeep).toBe(tooDeep);
});

const twice = (text: string, protocol: Parameters<typeof decodeRequest>[0] = 'openai-chat') => {
  const decoded = decodeRequest(protocol, Buffer.from(text), { pathModel: 'path-model' });
  return decoded.ok ? 'taken' : decoded.error.param;
};
const chat = '"model":"m","messages":[{"role":"user","content":"hi"}]';
const gemini = '"contents":[{"parts":[{"text":"hi"}]}]';

test.each([
  [`{"model":"cheap",${chat}}`, 'model'],
  [`{${chat},"model":"m"}`, 'model'],
  [`{${chat},"mod\\u0065l":"dear"}`, 'model'],
  [`{${chat},"max_tokens":1,"max_tokens":60000}`, 'max_tokens'],
  [`{${chat},"stream":false,"stream":true}`, 'stream'],
  [`{${chat},"n":1,"n":100}`, 'n'],
  [`{${chat},"made_up":1,"made_up":2}`, 'made_up'],
  [`{${chat},"__proto__":1,"__proto__":2}`, '__proto__'],
  [`{${chat},"constructor":1,"constructor":2}`, 'constructor'],
  [`{${chat},"":1,"":2}`, ''],
  [`{${chat},"stream_options":{"include_usage":true,"include_usage":false}}`, 'stream_options.include_usage'],
  [`{${chat},"stream_options":{"a":1},"stream_options":{"a":1}}`, 'stream_options'],
  [`{${chat},"x":{"a":1,"a":2},"x":{}}`, 'x'],
  [`{${chat}, "x" : { "a" : 1 , "a" : 2 } }`, 'x.a'],
  [`{${chat},"x":{"a":1},"y":{"a":2}}`, 'taken'],
  [`{${chat},"x":"\\"model\\":1"}`, 'taken'],
  [`{${chat},"x":[{"a":1},{"a":1}]}`, 'taken'],
  [`{${chat},"__proto__":1}`, 'taken'],
])('of %s the member that stands twice is %s', (text, member) => {
  expect(twice(text)).toBe(member);
});

test.each([
  [`{${chat},"Model":"dear"}`, 'Model'],
  [`{"MODEL":"dear",${chat}}`, 'MODEL'],
  [`{${chat},"mod\\u0045l":"dear"}`, 'modEl'],
  [`{${chat},"Max_Tokens":60000}`, 'Max_Tokens'],
  [`{${chat},"\u017ftream":true}`, '\u017ftream'],
  [`{${chat},"to\u212aen":1,"token":2}`, 'to\u212aen'],
  [`{${chat},"made_up":1,"Made_Up":2}`, 'Made_Up'],
  [`{${chat},"madeUp":1,"MadeUp":2}`, 'MadeUp'],
  [`{${chat},"N":8}`, 'N'],
  [`{${chat},"chatTemplate":1,"enableThinking":true,"X":1}`, 'taken'],
])('of %s the member in letters of another case is %s', (text, member) => {
  expect(twice(text)).toBe(member);
});

test.each([
  [`{${gemini},"GenerationConfig":{"maxOutputTokens":60000}}`, 'GenerationConfig'],
  [`{${gemini},"generationConfig":{},"generationconfig":{}}`, 'generationconfig'],
  [
    `{${gemini},"generationConfig":{},"systemInstruction":{"parts":[{"text":"a"}]},"safetySettings":[]}`,
    'taken',
  ],
])('of %s for Gemini that is %s', (text, member) => {
  expect(twice(text, 'gemini')).toBe(member);
});

test('of a task it is refused too', () => {
  const task = { task: 'embed', format: 'openai' } as const;
  const decode = (text: string) => decodeRequest('openai-chat', Buffer.from(text), { task });
  expect(decode('{"model":"m","input":"a","Model":"dear"}')).toMatchObject({
    ok: false,
    error: { param: 'Model' },
  });
  expect(decode('{"model":"m","input":"a","Input":"b"}')).toMatchObject({
    ok: false,
    error: { param: 'Input' },
  });
  expect(decode('{"model":"m","input":"a","inputType":"b"}')).toMatchObject({ ok: true });
});

test.each([
  ['a byte that begins nothing', [0xff]],
  ['half of a sign', [0xc3]],
  ['a sign that is longer than it must be', [0xc0, 0xaf]],
  ['half of a pair', [0xed, 0xa0, 0x80]],
])('a body with %s in a name is refused: others read another name', (_what, bytes) => {
  const text = `{${chat},"mod`;
  const body = Buffer.concat([Buffer.from(text), Buffer.from(bytes), Buffer.from('el":"dear"}')]);
  expect(decodeRequest('openai-chat', body)).toMatchObject({
    ok: false,
    error: { kind: 'invalid_request', message: expect.stringContaining('UTF-8') },
  });
});

test.each([
  [
    `{${gemini},"generationConfig":{"maxOutputTokens":1,"maxOutputTokens":60000}}`,
    'generationConfig.maxOutputTokens',
  ],
  [
    `{${gemini},"generationConfig":{"candidateCount":1,"candidateCount":8}}`,
    'generationConfig.candidateCount',
  ],
  [`{${gemini},"generationConfig":{},"generationConfig":{"candidateCount":8}}`, 'generationConfig'],
])('of %s for Gemini it is %s', (text, member) => {
  expect(twice(text, 'gemini')).toBe(member);
});
