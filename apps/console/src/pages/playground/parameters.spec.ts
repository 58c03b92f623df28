import { DEFAULT_SETTINGS, listSet, readSettings, SAMPLE_SCHEMA, toSettings } from './parameters.ts';

test.each([
  ['', null, false],
  [' 0.7 ', 0.7, false],
  ['0', 0, false],
  ['2', 2, false],
  ['2.1', 2.1, true],
  ['-1', -1, true],
  ['warm', Number.NaN, true],
])('the temperature "%s" is %d, and wrong: %s', (temperature, value, isWrong) => {
  const read = readSettings({ ...DEFAULT_SETTINGS, temperature });
  expect([read.temperature, read.faults.temperature]).toEqual([value, isWrong]);
});

test.each([
  ['', null, false],
  ['64', 64, false],
  ['0', 0, true],
  ['1.5', 1.5, true],
  ['1e9', 1e9, true],
])('the most tokens "%s" are %d, and wrong: %s', (maxTokens, value, isWrong) => {
  const read = readSettings({ ...DEFAULT_SETTINGS, maxTokens });
  expect([read.maxTokens, read.faults.maxTokens]).toEqual([value, isWrong]);
});

test('an answer is bounded unless somebody says otherwise, and a link does not say so', () => {
  expect(readSettings(DEFAULT_SETTINGS).maxTokens).toBe(4_096);
  expect(listSet(DEFAULT_SETTINGS)).toEqual({});
  expect(listSet({ ...DEFAULT_SETTINGS, maxTokens: '64' })).toEqual({ maxTokens: '64' });
});

test('tools that cannot be read are a fault, and none of them is sent', () => {
  expect(readSettings({ ...DEFAULT_SETTINGS, tools: '[' })).toMatchObject({
    tools: [],
    faults: { tools: true },
  });
});

test.each([
  ['topP', '0.9', 0.9, false],
  ['topP', '1.1', 1.1, true],
  ['seed', '7', 7, false],
  ['seed', '1.5', 1.5, true],
  ['presencePenalty', '-2', -2, false],
  ['frequencyPenalty', '2.5', 2.5, true],
] as const)('%s of "%s" is %d, and wrong: %s', (name, text, value, isWrong) => {
  const read = readSettings({ ...DEFAULT_SETTINGS, [name]: text });
  expect([read[name], read.faults[name]]).toEqual([value, isWrong]);
});

test('stop sequences stand one a line, with the blanks that are theirs', () => {
  expect(readSettings({ ...DEFAULT_SETTINGS, stop: 'END\n\n ###\n' }).stop).toEqual(['END', ' ###']);
});

test.each([
  ['', '', null, false],
  ['json', '', 'json', false],
  ['schema', SAMPLE_SCHEMA, { schema: JSON.parse(SAMPLE_SCHEMA) as unknown }, false],
  ['schema', '{"type":', null, true],
  ['schema', '[]', null, true],
  ['', '{"type":', null, false],
])('an answer as "%s" by the schema %j is %j, and wrong: %s', (output, schema, read, isWrong) => {
  const { output: got, faults } = readSettings({ ...DEFAULT_SETTINGS, output, schema });
  expect([got, faults.schema]).toEqual([read, isWrong]);
});

test('of a link only settings that there are are taken', () => {
  expect(toSettings({ topP: '0.5', seed: 7, other: 'x' })).toEqual({ ...DEFAULT_SETTINGS, topP: '0.5' });
  expect(toSettings('x')).toEqual(DEFAULT_SETTINGS);
});
