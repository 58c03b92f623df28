import { answerHeaders, upstreamHeaders, withoutHopByHop } from './headers.ts';

test('no credential, address or cookie of the caller reaches an upstream', () => {
  const sent = upstreamHeaders({
    authorization: 'Bearer sk-secret',
    'x-api-key': 'sk-secret',
    'x-goog-api-key': 'sk-secret',
    cookie: 'session=secret',
    'x-forwarded-for': '203.0.113.9',
    'x-real-ip': '203.0.113.9',
    forwarded: 'for=203.0.113.9',
    'openai-organization': 'org-of-the-caller',
    host: 'relay.example',
  });
  expect(JSON.stringify(sent)).not.toMatch(/secret|203\.0\.113\.9|caller|relay\.example/);
});

test('hop-by-hop headers stay on their hop, those that Connection names too', () => {
  const sent = upstreamHeaders({
    connection: 'keep-alive, X-Hop',
    'x-hop': '1',
    te: 'trailers',
    'transfer-encoding': 'chunked',
  });
  expect(sent).toEqual({ 'content-type': 'application/json', 'accept-encoding': 'identity' });
});

test('versions, betas and what names the client are forwarded', () => {
  const sent = upstreamHeaders({
    'anthropic-version': '2026-10-21',
    'anthropic-beta': 'effort-2025-11-24',
    'openai-beta': 'x',
    'user-agent': 'claude-cli/2.1.329',
    'x-stainless-lang': 'js',
  });
  expect(sent).toMatchObject({
    'anthropic-version': '2026-10-21',
    'anthropic-beta': 'effort-2025-11-24',
    'openai-beta': 'x',
    'user-agent': 'claude-cli/2.1.329',
    'x-stainless-lang': 'js',
  });
});

test("an upstream's account and limits stay inside", () => {
  const answered = answerHeaders({
    'content-type': 'application/json',
    'openai-organization': 'org-ours',
    'x-ratelimit-remaining-requests': '7',
    'anthropic-ratelimit-tokens-limit': '9',
    'set-cookie': ['a=b'],
    'openai-processing-ms': '12',
  });
  expect(answered).toEqual({ 'content-type': 'application/json', 'openai-processing-ms': '12' });
});

test('nothing by which a server could take the request for another one reaches an upstream', () => {
  const sent = upstreamHeaders({
    connection: ' x-one ,X-Two',
    'x-one': '1',
    'x-two': '2',
    'http2-settings': 'x',
    'proxy-connection': 'keep-alive',
    'x-original-url': '/admin',
    'x-rewrite-url': '/admin',
    'x-http-method-override': 'DELETE',
    content_length: '0',
    x_api_key: 'sk-other',
    'content-encoding': 'gzip',
    'content-digest': 'sha-256=:x:',
    expect: '100-continue',
    'true-client-ip': '203.0.113.9',
    origin: 'https://app.example',
    referer: 'https://app.example/secret',
  });
  expect(sent).toEqual({ 'content-type': 'application/json', 'accept-encoding': 'identity' });
});

test.each([
  'set-cookie',
  'server',
  'via',
  'alt-svc',
  'strict-transport-security',
  'content-encoding',
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'retry-after',
  'x-ratelimit-limit-tokens',
  'anthropic-organization-id',
  'x-request-id',
  'cf-ray',
  'access-control-allow-origin',
  'x-powered-by',
])("an upstream's %s stays inside", (name) => {
  expect(answerHeaders({ [name]: 'x', 'content-type': 'text/event-stream' })).toEqual({
    'content-type': 'text/event-stream',
  });
});

test('without what is for one connection, the rest is as it was', () => {
  const headers = { connection: 'close, X-Hop', 'x-hop': '1', te: 'x', upgrade: 'h2c', cookie: 'a=1' };
  expect(withoutHopByHop(headers)).toEqual({ cookie: 'a=1' });
});
