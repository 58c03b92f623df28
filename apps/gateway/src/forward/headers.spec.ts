import { answerHeaders, upstreamHeaders } from './headers.ts';

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
