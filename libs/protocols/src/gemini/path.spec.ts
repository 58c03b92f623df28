import { parsePath } from './path.ts';

test.each([
  ['/v1beta/models/gemini-2.5-pro:generateContent', 'gemini-2.5-pro', 'generate'],
  ['/v1/models/gemini-2.5-pro:generateContent', 'gemini-2.5-pro', 'generate'],
  ['/v1beta/models/gemini-2.5-pro:streamGenerateContent', 'gemini-2.5-pro', 'stream'],
  ['/v1beta/models/gemini-2.5-pro:countTokens', 'gemini-2.5-pro', 'count'],
  ['/v1beta/models/qwen/qwen3:free:generateContent', 'qwen/qwen3:free', 'generate'],
  ['/v1beta/models/qwen%2Fqwen3%3Afree:generateContent', 'qwen/qwen3:free', 'generate'],
  ['/v1beta/models/a:countTokens:generateContent', 'a:countTokens', 'generate'],
  ['/v1beta/models/models/m:generateContent', 'm', 'generate'],
  ['/v1beta1/publishers/google/models/m:generateContent', 'm', 'generate'],
  ['/v1beta/models/models%2Fm:generateContent', 'm', 'generate'],
  ['/v1beta/tunedModels/m:generateContent', 'tunedModels/m', 'generate'],
  ['/v1beta/models/%D0%BC:generateContent', 'м', 'generate'],
])('%s names the model and the action', (path, model, action) => {
  expect(parsePath(path)).toEqual({ model, action });
});

test.each([
  '/v1beta/models/m',
  '/v1beta/models/m:asyncBatchEmbedContent',
  '/v1beta/models/m:toString',
  '/v1beta/models/m:generateContent/',
  '/v1beta/models/m:',
  '/v1beta/models/:generateContent',
  '/v1beta/:generateContent',
  '/v1beta/models/%E0%A4%A:generateContent',
  '/v2/models/m:generateContent',
  '/v1beta1/models/m:generateContent',
  '/models/m:generateContent',
  '/v1betamodels/m:generateContent',
  '',
])('%j names nothing that is served', (path) => {
  expect(parsePath(path)).toBeNull();
});
