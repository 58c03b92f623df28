import { findExplicitOutput } from './output-limit.ts';

test.each<[object, number]>([
  [{}, 0],
  [{ temperature: 0 }, 0],
  [{ max_tokens: 50 }, 50],
  [{ max_tokens: 50, max_completion_tokens: 70 }, 70],
  [{ max_output_tokens: null }, 1_000],
  [{ generationConfig: { maxOutputTokens: 20 } }, 20],
  [{ generationConfig: { topK: 1 } }, 1_000],
  [{ generation_config: { max_output_tokens: 20 } }, 20],
  [{ generationConfig: { maxOutputTokens: 20, thinkingConfig: { thinkingBudget: 30 } } }, 30],
  [{ thinking: { type: 'enabled', budget_tokens: 70 } }, 70],
  [{ thinking_budget: 5 }, 1_005],
])('fields %j make an upstream write at most %i tokens that the caller did not allow', (fields, max) => {
  expect(findExplicitOutput({ ...fields }, 1_000)).toBe(max);
});
