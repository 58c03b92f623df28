import type { Protocol } from '@tollgate/vocabulary';
import { findModelsTarget, findUpstreamTarget } from './upstream-target.ts';

const CLASSIC = {
  base_url: 'https://r.openai.azure.com/',
  paths: {
    'openai-chat': {
      generate: '/openai/deployments/{model}/chat/completions?api-version=2024-10-21',
      models: '/openai/models?api-version=2024-10-21',
    },
  },
};
const MODELS = '/v1/projects/p/locations/eu/publishers/google/models';
const VERTEX = {
  base_url: 'https://eu-aiplatform.googleapis.com',
  paths: {
    gemini: {
      generate: `${MODELS}/{model}:generateContent`,
      stream: `${MODELS}/{model}:streamGenerateContent?alt=sse`,
      count: `${MODELS}/{model}:countTokens`,
    },
  },
};
const BEDROCK = {
  base_url: 'https://bedrock.example/x',
  paths: { 'anthropic-messages': { generate: '/model/{model}/invoke', stream: '/model/{model}/stream' } },
};
const chat = { protocol: 'openai-chat', model: 'gpt-4o' } as const;

test.each([
  ['generate', {}, '/openai/deployments/gpt-4o/chat/completions?api-version=2024-10-21'],
  ['generate', { stream: true }, '/openai/deployments/gpt-4o/chat/completions?api-version=2024-10-21'],
  ['models', {}, '/openai/models?api-version=2024-10-21'],
  [
    'generate',
    { query: 'api-version=2020-01-01&user=1' },
    '/openai/deployments/gpt-4o/chat/completions?api-version=2024-10-21&user=1',
  ],
] as const)('%s %j goes where the upstream says', (action, more, path) => {
  expect(findUpstreamTarget(CLASSIC, { ...chat, action, ...more })).toBe(path);
});

test.each([
  ['generate', {}, `${MODELS}/gemini-3:generateContent`],
  ['stream', {}, `${MODELS}/gemini-3:streamGenerateContent?alt=sse`],
  ['stream', { query: 'alt=sse' }, `${MODELS}/gemini-3:streamGenerateContent?alt=sse`],
  ['count', {}, `${MODELS}/gemini-3:countTokens`],
] as const)('%s of Gemini %j has a path of its own', (action, more, path) => {
  expect(findUpstreamTarget(VERTEX, { protocol: 'gemini', model: 'gemini-3', action, ...more })).toBe(path);
});

test.each<[string, Parameters<typeof findModelsTarget>[0], Protocol, string | undefined]>([
  ['a vendor', { base_url: 'https://v.example' }, 'gemini', '/v1beta/models'],
  ['one that states the path', CLASSIC, 'openai-chat', '/openai/models?api-version=2024-10-21'],
  ['one that states other paths of the format', VERTEX, 'gemini', undefined],
  ['a vendor behind the paths of another format', VERTEX, 'openai-chat', '/v1/models'],
  ['Bedrock, for all models', { base_url: 'https://b.example' }, 'bedrock-converse', undefined],
  [
    'a cloud that wraps the format',
    { base_url: 'https://b.example', wrapping: { 'anthropic-messages': 'bedrock' } },
    'anthropic-messages',
    undefined,
  ],
])('%s lists its models where it does, or nowhere', (_what, upstream, protocol, path) => {
  const target = findModelsTarget(upstream, protocol);
  expect(target === undefined ? undefined : target.replace(/^.*publishers\/google/, '')).toBe(path);
});

test('the path of a stream is not that of an answer in a format that tells them apart', () => {
  const paths = { gemini: { generate: '/g/{model}' } };
  const call = { protocol: 'gemini', action: 'stream', model: 'm' } as const;
  expect(findUpstreamTarget({ base_url: 'https://v.example', paths }, call)).toBe(
    '/v1beta/models/m:streamGenerateContent',
  );
});

test.each([
  ['us.anthropic.claude-sonnet-4-v1:0', 'us.anthropic.claude-sonnet-4-v1%3A0'],
  ['arn:aws:bedrock:eu:1:inference-profile/x', 'arn%3Aaws%3Abedrock%3Aeu%3A1%3Ainference-profile%2Fx'],
  ["a b%2F(!)*'$&", 'a%20b%252F%28%21%29%2A%27%24%26'],
  ['grüße', 'gr%C3%BC%C3%9Fe'],
])('the name %s is encoded once, as one part', (model, encoded) => {
  const call = { protocol: 'anthropic-messages', action: 'generate', model } as const;
  expect(findUpstreamTarget(BEDROCK, call)).toBe(`/x/model/${encoded}/invoke`);
  expect(findUpstreamTarget(BEDROCK, { ...call, stream: true })).toBe(`/x/model/${encoded}/stream`);
});

test.each([
  ['https://a.example', undefined, '/v1/chat/completions'],
  ['https://a.example/v1', undefined, '/v1/chat/completions'],
  ['https://a.example/v1', { generate: '/chat/completions' }, '/v1/chat/completions'],
  ['https://a.example/api/paas/v4/', { generate: '/chat/completions' }, '/api/paas/v4/chat/completions'],
  ['https://a.example/v1', { models: '/list' }, '/v1/v1/chat/completions'],
])('below %s with %j it is %s', (base_url, own, path) => {
  const upstream = { base_url, ...(own ? { paths: { 'openai-chat': own } } : {}) };
  expect(findUpstreamTarget(upstream, { ...chat, action: 'generate' })).toBe(path);
});

test.each([
  ['bedrock', { stream: false }, '/model/m%3A0/invoke'],
  ['bedrock', { stream: true }, '/model/m%3A0/invoke-with-response-stream'],
  ['bedrock', { action: 'count' }, '/model/m%3A0/count-tokens'],
  ['vertex', { stream: false }, '/models/m%3A0:rawPredict'],
  ['vertex', { stream: true }, '/models/m%3A0:streamRawPredict'],
  ['vertex', { action: 'count' }, '/models/count-tokens:rawPredict'],
] as const)('%s carries the format at a path of its own: %j', (name, call, path) => {
  const upstream = { base_url: 'https://a.example/x', wrapping: { 'anthropic-messages': name } } as const;
  const asked = {
    protocol: 'anthropic-messages',
    action: 'generate',
    model: 'm:0',
    query: 'beta=true',
  } as const;
  expect(findUpstreamTarget(upstream, { ...asked, ...call })).toBe(`/x${path}`);
});
