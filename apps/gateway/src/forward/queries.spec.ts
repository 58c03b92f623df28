import { CLIENT_PROTOCOLS, type ClientProtocol } from '@tollgate/vocabulary';
import { createTestPayload, simulate, startForwarding, upstream } from '../../testing/forwarding.ts';
import { upstreamHeaders, upstreamQuery } from './headers.ts';

/** What Google reads on every route, and what others might. */
const OF_THE_CALLER = [
  'access_token=ya29.of-the-caller',
  'oauth_token=ya29.of-the-caller',
  '$key=AIza-of-the-caller',
  'KEY=AIza-of-the-caller',
  'alt=proto',
  '$alt=json%3Benum-encoding%3Dint',
  'callback=f',
  'fields=candidates',
  '$fields=candidates',
  'quotaUser=of-the-caller',
  'api-version=2020-01-01',
  'beta=false',
];

test.each([...CLIENT_PROTOCOLS])('%s: nothing that a caller makes up in a query passes', (protocol) => {
  expect(upstreamQuery(protocol, OF_THE_CALLER.join('&'))).toBe('');
});

test.each([
  ['gemini', 'alt=sse&fields=candidates', 'alt=sse'],
  ['gemini', 'alt=json&alt=sse', 'alt=sse'],
  ['gemini', 'beta=true', ''],
  ['anthropic-messages', 'beta=true&access_token=x', 'beta=true'],
  ['openai-chat', 'beta=true&alt=sse', ''],
] as const)('%s: of %j passes %j', (protocol, query, passes) => {
  expect(upstreamQuery(protocol, query)).toBe(passes);
});

const BODIES: Partial<Record<ClientProtocol, object>> = {
  gemini: { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] },
  'anthropic-messages': { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'Hello' }] },
};

test.each([
  ['gemini', '/v1beta/models/m:generateContent'],
  ['anthropic-messages', '/v1/messages?beta=true'],
] as const)('an upstream that speaks %s is asked at %s', async (protocol, url) => {
  const simulator = await simulate();
  const members = { members: [{ upstream: 'one' }] };
  const of = { upstreams: [upstream('one', simulator.url, ['a'], { protocols: [protocol] })], pool: members };
  const forwarding = startForwarding({ ...of, protocol });
  try {
    const query = `${OF_THE_CALLER.join('&')}&beta=true`;
    const payload = createTestPayload({ ...BODIES[protocol] });
    const answer = await forwarding.send({ protocol, query, payload, headers: {} });
    expect(answer.kind).toBe('answer');
    expect((await simulator.requests()).map((request) => request.url)).toEqual([url]);
  } finally {
    await forwarding.close();
    await simulator.close();
  }
});

test('a caller cannot have an upstream give up sooner, which would count against its health', () => {
  const headers = { 'x-server-timeout': '10', 'x-goog-api-client': 'google-genai-sdk/1.30.0' };
  expect(upstreamHeaders('gemini', headers, new Set(), 'application/json')).not.toHaveProperty(
    'x-server-timeout',
  );
});
