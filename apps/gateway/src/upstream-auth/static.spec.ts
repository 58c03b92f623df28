import { type UpstreamAuth, upstreamSchema } from '@tollgate/catalogue';
import { PROTOCOLS, type Protocol } from '@tollgate/vocabulary';
import { createUpstreamAuth } from './registry.ts';

const apply = (
  protocol: Protocol,
  headers: Record<string, string>,
  secret: string | null,
  auth?: UpstreamAuth,
) => {
  const upstream = upstreamSchema.parse({
    name: 'u',
    base_url: 'https://up.example',
    protocols: [protocol],
    auth,
  });
  const request = { method: 'POST', origin: 'https://up.example', path: '/', protocol, headers } as const;
  return createUpstreamAuth({ upstream, secret, ambientHosts: [], logger: { warn: () => {} } }).applyAuth({
    ...request,
    body: Buffer.from('{}'),
  });
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

test.each(PROTOCOLS)('%s carries its credential in the header that the upstream states', (protocol) => {
  expect(apply(protocol, {}, 'ours', { kind: 'static', header: 'Api-Key' })).toEqual({ 'api-key': 'ours' });
  const bearer = { kind: 'static', header: 'authorization', prefix: 'Bearer ' } as const;
  expect(apply(protocol, {}, 'ours', bearer)).toEqual({ authorization: 'Bearer ours' });
});

test.each(PROTOCOLS)('%s carries no credential where the upstream wants none', (protocol) => {
  expect(apply(protocol, {}, null)).toEqual({});
});
