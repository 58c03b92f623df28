import { upstreamSchema } from '@tollgate/catalogue';
import { PROTOCOLS, type Protocol } from '@tollgate/vocabulary';
import { createUpstreamAuth } from './registry.ts';

const apply = (
  protocol: Protocol,
  headers: Record<string, string>,
  secret: string | null,
  set_headers: Record<string, string> = {},
) => {
  const upstream = upstreamSchema.parse({
    name: 'u',
    base_url: 'https://up.example',
    protocols: [protocol],
    set_headers,
  });
  const request = { method: 'POST', origin: 'https://up.example', path: '/', protocol, headers } as const;
  return createUpstreamAuth({ upstream, secret }).applyAuth({ ...request, body: Buffer.from('{}') });
};

test.each([
  ['openai-chat', { authorization: 'Bearer secret' }],
  ['openai-responses', { authorization: 'Bearer secret' }],
  ['anthropic-messages', { 'x-api-key': 'secret' }],
  ['gemini', { 'x-goog-api-key': 'secret' }],
] as const)('%s carries its credential where its clients send theirs', (protocol, added) => {
  const headers = { 'content-type': 'application/json', 'x-own': '1' };
  expect(apply(protocol, { ...headers }, 'secret')).toEqual({ ...headers, ...added });
});

test('the credential takes the place of one that the caller sent', () => {
  expect(apply('openai-chat', { authorization: 'Bearer theirs' }, 'ours')).toEqual({
    authorization: 'Bearer ours',
  });
});

test('what the operator sets takes the place of the credential', () => {
  const set = { authorization: 'Basic own' };
  expect(apply('openai-chat', { ...set }, 'ours', { Authorization: 'Basic own' })).toEqual(set);
});

test.each(PROTOCOLS)('%s carries no credential where the upstream wants none', (protocol) => {
  expect(apply(protocol, {}, null)).toEqual({});
});
