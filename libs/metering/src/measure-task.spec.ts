import { measureTask, meterTask } from './measure-task.ts';

const EMBED = { task: 'embed', format: 'openai' } as const;

test('each input counts for no more than the model reads of one', () => {
  const { bound } = measureTask(EMBED, { input: ['a'.repeat(1_000), 'b'] });
  expect(bound(null)).toEqual({ input: 1_000 + 1 + 2 * 32, textOnly: true });
  expect(bound(100).input).toBe(100 + 33);
});

test('tokens are counted as they are, and never estimated above what is held', () => {
  const { tokens, bound } = measureTask(EMBED, { input: [[1, 2, 3], [4]] });
  expect(tokens).toBe(4);
  expect(bound(null).input).toBe(4 + 2 * 32);
});

const answer = (prompt_tokens?: number) => ({
  data: [],
  ...(prompt_tokens ? { usage: { prompt_tokens } } : {}),
});
const own = { tokens: 9, units: {} };

test('what calls report is added up', () => {
  expect(meterTask('openai-chat', EMBED, [answer(3), answer(4)], own)).toEqual({
    tokens: { input: 7 },
    source: 'upstream',
  });
});

test('what one call does not report is estimated for all', () => {
  expect(meterTask('openai-chat', EMBED, [answer(3), answer()], own)).toEqual({
    tokens: { input: 9 },
    source: 'estimated',
  });
});
