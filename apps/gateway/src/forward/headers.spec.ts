import { CLIENT_PROTOCOLS } from '@tollgate/vocabulary';
import {
  toAccepted,
  answerHeaders,
  answerType,
  convertedHeaders,
  upstreamHeaders,
  withoutHopByHop,
} from './headers.ts';

const NONE = new Set<string>();
const EVERY = [...CLIENT_PROTOCOLS];
const JSON_ONLY = 'application/json';
const ALWAYS = { 'content-type': 'application/json', accept: JSON_ONLY, 'accept-encoding': 'identity' };
const KEY = `sk-${'a1'.repeat(24)}`;

test.each(EVERY)(
  '%s: no credential, address or cookie of the caller reaches an upstream, by whatever name',
  (protocol) => {
    const names = [
      ...[
        'authorization',
        'proxy-authorization',
        'x-api-key',
        'x-goog-api-key',
        'api-key',
        'apikey',
        'x-auth-token',
      ],
      ...[
        'x-access-token',
        'private-token',
        'x-amz-security-token',
        'ocp-apim-subscription-key',
        'x-functions-key',
      ],
      ...['x-csrf-token', 'x-goog-user-project', 'x-goog-authenticated-user-email', 'x-ms-client-principal'],
      ...[
        'x-remote-user',
        'x-forwarded-for',
        'x-forwarded-user',
        'x-real-ip',
        'forwarded',
        'via',
        'cf-connecting-ip',
      ],
      ...['cookie', 'origin', 'referer', 'host', 'true-client-ip', 'x-client-ip', 'x-envoy-external-address'],
      ...[
        'openai-organization',
        'openai-project',
        'anthropic-workspace-id',
        'chatgpt-account-id',
        'idempotency-key',
      ],
      ...[
        'x-request-id',
        'x-tollgate-hops',
        'x-original-url',
        'x-http-method-override',
        'content-digest',
        'expect',
      ],
      ...[
        'x-anything-else',
        'x-stainless-api-key',
        'x-codex-session-token',
        'x-claude-code-auth',
        'x-codex-cookie',
      ],
    ];
    const incoming = Object.fromEntries(names.map((name) => [name, 'of the caller']));
    expect(upstreamHeaders(protocol, incoming, NONE, JSON_ONLY)).toEqual(ALWAYS);
    const converted = convertedHeaders(incoming, NONE, JSON_ONLY);
    expect(JSON.stringify(converted)).not.toContain('of the caller');
  },
);

test.each(EVERY)('%s: a key of ours passes in no header', (protocol) => {
  const incoming = { 'user-agent': KEY, accept: `x ${KEY}`, 'x-own': KEY, 'x-stainless-lang': KEY };
  expect(upstreamHeaders(protocol, incoming, new Set(['x-own']), JSON_ONLY)).toEqual(ALWAYS);
  expect(JSON.stringify(convertedHeaders(incoming, new Set(['x-own']), JSON_ONLY))).not.toContain(KEY);
});

test('what operators let pass reaches upstreams of every format, credentials excepted', () => {
  const further = new Set(['x-team', 'x-team-token']);
  const incoming = { 'x-team': 'ours', 'x-team-token': 'secret' };
  for (const protocol of EVERY)
    expect(upstreamHeaders(protocol, incoming, further, JSON_ONLY)).toEqual({ ...ALWAYS, 'x-team': 'ours' });
  expect(convertedHeaders(incoming, further, JSON_ONLY)).toMatchObject({ 'x-team': 'ours' });
});

test('hop-by-hop headers stay on their hop, those that Connection names too', () => {
  const sent = upstreamHeaders(
    'openai-chat',
    {
      connection: 'keep-alive, X-Stainless-Lang',
      'x-stainless-lang': '1',
      te: 'trailers',
      'transfer-encoding': 'chunked',
    },
    NONE,
    JSON_ONLY,
  );
  expect(sent).toEqual(ALWAYS);
});

/** As the official clients send them. */
const CLIENTS = {
  'Claude Code': [
    'anthropic-messages',
    {
      accept: 'application/json',
      'user-agent': 'claude-cli/2.1.329 (external, sdk-cli)',
      'x-claude-code-session-id': '49eb8b3d-d654-450b-9456-5196124be544',
      'x-stainless-arch': 'x64',
      'x-stainless-retry-count': '0',
      'x-stainless-timeout': '600',
      'anthropic-beta': 'claude-code-20250219,interleaved-thinking-2025-05-14',
      'anthropic-dangerous-direct-browser-access': 'true',
      'anthropic-version': '2023-06-01',
      'x-app': 'cli',
    },
  ],
  Codex: [
    'openai-responses',
    {
      'x-codex-beta-features': 'remote_compaction_v2',
      'x-codex-window-id': '01a1fbba-cbb5:0',
      'x-codex-turn-metadata': '{}',
      'x-openai-internal-codex-responses-lite': 'true',
      'x-client-request-id': '01a1fbba-cbb5',
      'session-id': '01a1fbba-cbb5',
      'thread-id': '01a1fbba-cbb5',
      accept: 'text/event-stream',
      originator: 'codex_exec',
      'user-agent': 'codex_exec/0.169.0 (Debian 12.0.0; x86_64) unknown (codex_exec; 0.169.0)',
    },
  ],
  'Gemini CLI': [
    'gemini',
    {
      'user-agent': 'GeminiCLI-tui/0.61.0/gemini-2.5-pro (linux; x64; terminal)',
      'x-goog-api-client': 'google-genai-sdk/1.30.0 gl-node/v20.20.2',
      accept: '*/*',
      'accept-language': '*',
    },
  ],
  'the SDK of OpenAI': [
    'openai-chat',
    { 'openai-beta': 'x', 'x-stainless-lang': 'js', 'user-agent': 'OpenAI/JS 6.1.0' },
  ],
} as const;

test.each(Object.entries(CLIENTS))(
  'what %s says of itself and its session is forwarded',
  (_, [protocol, headers]) => {
    expect(upstreamHeaders(protocol, headers, NONE, JSON_ONLY)).toEqual({ ...headers, ...ALWAYS });
  },
);

test.each(EVERY)('%s: what the caller accepts is not asked of an upstream', (protocol) => {
  for (const accept of ['text/event-stream', 'application/x-protobuf', 'text/html', '*/*;q=0', '']) {
    const stream = toAccepted({ stream: true });
    expect(upstreamHeaders(protocol, { accept }, new Set(['accept']), stream)).toHaveProperty(
      'accept',
      stream,
    );
    expect(convertedHeaders({ accept }, new Set(['accept']), stream)).toHaveProperty('accept', stream);
  }
});

test("one vendor's headers mean nothing to another", () => {
  expect(upstreamHeaders('openai-chat', CLIENTS['Claude Code'][1], NONE, JSON_ONLY)).not.toHaveProperty(
    'anthropic-beta',
  );
  expect(upstreamHeaders('anthropic-messages', CLIENTS.Codex[1], NONE, JSON_ONLY)).not.toHaveProperty(
    'session-id',
  );
  expect(upstreamHeaders('gemini', CLIENTS.Codex[1], NONE, JSON_ONLY)).not.toHaveProperty('originator');
});

test.each([
  ['text/html', 'none', 'application/json'],
  ['text/html; charset=utf-8', 'sse', 'text/event-stream'],
  ['application/javascript', 'json-array', 'application/json'],
  ['application/jsonp', 'none', 'application/json'],
  ['application/json, text/html', 'none', 'application/json'],
  [undefined, 'none', 'application/json'],
  [['text/html', 'application/json'], 'none', 'application/json'],
  ['application/json; charset=utf-8', 'none', 'application/json; charset=utf-8'],
  ['application/problem+json', 'none', 'application/problem+json'],
  ['text/event-stream; charset=utf-8', 'sse', 'text/event-stream; charset=utf-8'],
] as const)('an upstream that says %j of an answer cut as %s is heard as %s', (said, framing, type) => {
  expect(answerType(said === undefined || typeof said === 'string' ? said : [...said], framing)).toBe(type);
});

test("an upstream's account and limits stay inside", () => {
  const answered = answerHeaders({
    'openai-organization': 'org-ours',
    'x-ratelimit-remaining-requests': '7',
    'anthropic-ratelimit-tokens-limit': '9',
    'set-cookie': ['a=b'],
    'openai-processing-ms': '12',
  });
  expect(answered).toEqual({ 'openai-processing-ms': '12' });
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
  expect(answerHeaders({ [name]: 'x', 'openai-version': '1' })).toEqual({ 'openai-version': '1' });
});

test('without what is for one connection, the rest is as it was', () => {
  const headers = { connection: 'close, X-Hop', 'x-hop': '1', te: 'x', upgrade: 'h2c', cookie: 'a=1' };
  expect(withoutHopByHop(headers)).toEqual({ cookie: 'a=1' });
});
