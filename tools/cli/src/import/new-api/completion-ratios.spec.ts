import { findCompletionRatio } from './completion-ratios.ts';

test.each([
  ['gpt-4o', 4],
  ['gpt-4o-2024-05-13', 3],
  ['gpt-4o-mini-tts', 20],
  ['gpt-4', 2],
  ['gpt-4-turbo-2024-04-09', 3],
  ['gpt-4-1106', 3],
  ['gpt-4-gizmo-g-abc', 2],
  ['gpt-5-mini', 8],
  ['gpt-5.4-nano', 6.25],
  ['gpt-5.5-pro', 6],
  ['o1-mini', 4],
  ['o3', 4],
  ['o4-mini', 1],
  ['chatgpt-4o-latest', 3],
  ['claude-3-5-sonnet-20241022', 5],
  ['claude-opus-4-20250514', 5],
  ['anthropic.claude-sonnet-4-v1:0', 5],
  ['claude-2.1', 1],
  ['mistral-large-latest', 3],
  ['gemini-2.5-pro', 8],
  ['gemini-2.5-flash', 2.5 / 0.3],
  ['gemini-2.5-flash-lite', 4],
  ['gemini-2.5-flash-preview-04-17', 3.5 / 0.15],
  ['gemini-2.5-flash-preview-04-17-nothinking', 4],
  ['gemini-3-pro-preview', 6],
  ['command-r-plus', 5],
  ['deepseek-chat', 1],
])('without a stored ratio, output of %s costs %d times its input', (model, ratio) => {
  expect(findCompletionRatio(model, undefined)).toBeCloseTo(ratio, 12);
});

test.each([
  ['gpt-4o', 4.5, 4.5],
  ['gemini-2.5-pro', 6, 6],
  ['o4-mini', 4, 4],
  ['own-model', 3, 3],
  ['o3', 2, 4],
  ['claude-sonnet-4-5', 3, 5],
  // With a slash it is somebody else's model of that name.
  ['openrouter/claude-sonnet-4', 3, 3],
])('%s with the stored ratio %d costs %d times its input', (model, stored, ratio) => {
  expect(findCompletionRatio(model, stored)).toBe(ratio);
});
