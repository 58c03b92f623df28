import { type ClientProtocol, CLIENT_PROTOCOLS } from '@tollgate/vocabulary';
import fc from 'fast-check';
import {
  addDefaultHeaders,
  CODECS,
  encodeUpstreamBody,
  joinUpstreamUrl,
  type UpstreamAction,
  upstreamPath,
} from './index.ts';

type Changes = Parameters<typeof encodeUpstreamBody>[2];
const encode = (protocol: ClientProtocol, body: string, changes: Changes) =>
  encodeUpstreamBody(protocol, Buffer.from(body), changes).toString('utf8');

describe('the body for an upstream', () => {
  test.each(CLIENT_PROTOCOLS)('is the same buffer for %s when nothing changes', (protocol) => {
    const body = Buffer.from('{"model": "m", "messages": []}');
    expect(encodeUpstreamBody(protocol, body, {})).toBe(body);
    expect(encodeUpstreamBody(protocol, body, { includeUsage: false })).toBe(body);
  });

  test('is the same buffer for Gemini, whose model stands in the path', () => {
    const body = Buffer.from('{"model":"m","contents":[]}');
    expect(encodeUpstreamBody('gemini', body, { model: 'other' })).toBe(body);
  });

  test.each(['openai-chat', 'openai-responses', 'anthropic-messages'] as const)(
    'names the model of %s again at the top level only',
    (protocol) => {
      const body = '{ "metadata":{"model":"m"},\n"model" : "m", "input":[{"model":"m"}],"x":1.0 }';
      const expected =
        '{ "metadata":{"model":"m"},\n"model" : "a/\\"é\\"", "input":[{"model":"m"}],"x":1.0 }';
      expect(encode(protocol, body, { model: 'a/"é"' })).toBe(expected);
    },
  );

  test.each([
    ['is added', '{"model":"m"}', '{"stream_options":{"include_usage":true},"model":"m"}'],
    ['joins empty options', '{"stream_options":{ }}', '{"stream_options":{"include_usage":true }}'],
    [
      'joins other options',
      '{"stream_options":{"include_obfuscation":false},"n":1}',
      '{"stream_options":{"include_usage":true,"include_obfuscation":false},"n":1}',
    ],
    [
      'takes the place of a refusal',
      '{"stream_options":{"include_usage": false,"a":1}}',
      '{"stream_options":{"include_usage": true,"a":1}}',
    ],
    ['takes the place of null', '{"stream_options": null}', '{"stream_options": {"include_usage":true}}'],
    ['stays', '{"stream_options":{"include_usage":true}}', '{"stream_options":{"include_usage":true}}'],
  ])('the request for usage %s', (_, before, after) => {
    expect(encode('openai-chat', before, { includeUsage: true })).toBe(after);
  });

  test('both changes are made together and everything else is kept', () => {
    const options = fc.oneof(fc.constant(null), fc.dictionary(fc.string(), fc.jsonValue()));
    const request = fc.dictionary(fc.string(), fc.jsonValue());
    fc.assert(
      fc.property(request, fc.option(options, { nil: undefined }), fc.string(), (fields, asked, model) => {
        const before = JSON.stringify({ ...fields, model: 'm', stream_options: asked });
        const after = JSON.parse(encode('openai-chat', before, { model, includeUsage: true })) as object;
        const { stream_options, ...kept } = JSON.parse(before) as Record<string, unknown>;
        const merged = { ...(stream_options as object | undefined), include_usage: true };
        expect(after).toEqual({ ...kept, model, stream_options: merged });
      }),
    );
  });
});

test.each([
  ['https://up.example', '/v1/messages', 'https://up.example/v1/messages'],
  ['https://up.example/', '/v1/messages', 'https://up.example/v1/messages'],
  ['https://up.example///', '/v1/messages', 'https://up.example/v1/messages'],
  ['https://up.example/v1', '/v1/chat/completions', 'https://up.example/v1/chat/completions'],
  ['https://up.example/v1/', '/v1/chat/completions', 'https://up.example/v1/chat/completions'],
  ['https://up.example/api/v1', '/v1/responses', 'https://up.example/api/v1/responses'],
  ['https://up.example/api', '/v1/responses', 'https://up.example/api/v1/responses'],
  [
    'https://up.example/v1beta',
    '/v1beta/models/m:countTokens',
    'https://up.example/v1beta/models/m:countTokens',
  ],
  [
    'https://up.example/v1',
    '/v1beta/models/m:countTokens',
    'https://up.example/v1/v1beta/models/m:countTokens',
  ],
  ['https://up.example/dev1', '/v1/responses', 'https://up.example/dev1/v1/responses'],
])('%s and %s make %s', (base, path, url) => {
  expect(joinUpstreamUrl(base, path)).toBe(url);
});

test.each<[ClientProtocol, string, UpstreamAction, string]>([
  ['openai-chat', 'a/b:c', 'generate', '/v1/chat/completions'],
  ['openai-chat', 'a/b:c', 'stream', '/v1/chat/completions'],
  ['openai-responses', 'm', 'stream', '/v1/responses'],
  ['anthropic-messages', 'm', 'generate', '/v1/messages'],
  ['anthropic-messages', 'm', 'count', '/v1/messages/count_tokens'],
  ['gemini', 'm', 'generate', '/v1beta/models/m:generateContent'],
  ['gemini', 'm', 'count', '/v1beta/models/m:countTokens'],
  ['gemini', 'google/m:free', 'stream', '/v1beta/models/google/m%3Afree:streamGenerateContent'],
  ['gemini', 'm?x=1#y', 'generate', '/v1beta/models/m%3Fx%3D1%23y:generateContent'],
])('%s asks for %s (%s) at %s', (protocol, model, action, path) => {
  expect(upstreamPath(protocol, { model, action })).toBe(path);
});

test('a Gemini path for any model leads back to that model', () => {
  const name = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !text.startsWith('models/'));
  const actions = fc.constantFrom<UpstreamAction>('generate', 'stream', 'count');
  fc.assert(
    fc.property(name, actions, (model, action) => {
      expect(CODECS.gemini.parsePath?.(upstreamPath('gemini', { model, action }))).toEqual({ model, action });
    }),
  );
});

test.each([
  ['openai-chat', {}],
  ['openai-responses', {}],
  ['anthropic-messages', { 'anthropic-version': '2023-06-01' }],
  ['gemini', {}],
] as const)(
  '%s has what it requires beside the headers of the caller, and no credential',
  (protocol, added) => {
    const headers = { 'content-type': 'application/json', 'x-own': '1' };
    expect(addDefaultHeaders(protocol, { ...headers })).toEqual({ ...headers, ...added });
  },
);

test('the version that the caller asked for stays', () => {
  const asked = { 'anthropic-version': '2026-10-21' };
  expect(addDefaultHeaders('anthropic-messages', { ...asked })).toEqual(asked);
});
