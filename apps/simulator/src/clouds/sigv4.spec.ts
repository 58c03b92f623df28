import {
  type AccessKey,
  canonicalRequest,
  computeSignature,
  verifySignature,
  type WireRequest,
} from './sigv4.ts';

// AWS's own public example of an access key.
const KEY: AccessKey = { id: 'AKIDEXAMPLE', secret: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };
const STAMP = '20261122T050000Z';
const NOW = Date.UTC(2026, 10, 22, 5, 0, 0);
const SCOPE = { date: '20261122', region: 'us-east-1', service: 'bedrock', stamp: STAMP };

const converse: WireRequest = {
  method: 'POST',
  url: '/model/us.anthropic.claude-sonnet-4-20250514-v1%3A0/converse',
  headers: {
    host: 'bedrock-runtime.us-east-1.amazonaws.com',
    'content-type': 'application/json',
    'x-amz-date': STAMP,
  },
  body: '{"messages":[{"role":"user","content":[{"text":"hi"}]}]}',
};
const SIGNED = ['content-type', 'host', 'x-amz-date'];

test('AWS’s vector "get-vanilla" is computed', () => {
  const request = {
    method: 'GET',
    url: '/',
    headers: { host: 'example.amazonaws.com', 'x-amz-date': '20150830T123600Z' },
    body: '',
  };
  const scope = { date: '20150830', region: 'us-east-1', service: 'service', stamp: '20150830T123600Z' };
  expect(computeSignature(request, { ...scope, signedHeaders: ['host', 'x-amz-date'] }, KEY.secret)).toBe(
    '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
  );
});

test('a path with a percent-encoded colon is encoded once more', () => {
  expect(canonicalRequest(converse, SIGNED).split('\n')[1]).toBe(
    '/model/us.anthropic.claude-sonnet-4-20250514-v1%253A0/converse',
  );
  expect(computeSignature(converse, { ...SCOPE, signedHeaders: SIGNED }, KEY.secret)).toBe(
    'c3f1a0d808bf5f7a1afde7be400532575e3bd80fe17717c3ed43013010a1e2d0',
  );
});

test('one whose colon came bare is another path', () => {
  const bare = { ...converse, url: converse.url.replace('%3A', ':') };
  expect(computeSignature(bare, { ...SCOPE, signedHeaders: SIGNED }, KEY.secret)).toBe(
    '121b3093947cc5918189035607632fa34315fa9d9cc207ecd361ac119a630868',
  );
});

test('a session token is signed too', () => {
  const headers = { ...converse.headers, 'x-amz-security-token': 'SESSIONTOKEN' };
  const signedHeaders = [...SIGNED, 'x-amz-security-token'];
  expect(computeSignature({ ...converse, headers }, { ...SCOPE, signedHeaders }, KEY.secret)).toBe(
    'ed9947a1e7b971a09e49ef0900fe0a65e6d98a96da01dc84fbd2edaf12509a2c',
  );
});

/** Signed as a client would. */
function signed(request: WireRequest, key: AccessKey = KEY, more: Partial<typeof SCOPE> = {}): WireRequest {
  const scope = { ...SCOPE, ...more };
  const token = key.sessionToken === undefined ? {} : { 'x-amz-security-token': key.sessionToken };
  const headers = { ...request.headers, 'x-amz-date': scope.stamp, ...token };
  const signedHeaders = Object.keys(headers).sort();
  const signature = computeSignature({ ...request, headers }, { ...scope, signedHeaders }, key.secret);
  const authorization = `AWS4-HMAC-SHA256 Credential=${key.id}/${scope.date}/${scope.region}/${scope.service}/aws4_request, SignedHeaders=${signedHeaders.join(';')}, Signature=${signature}`;
  return { ...request, headers: { ...headers, authorization } };
}

const verify = (request: WireRequest, key: AccessKey = KEY, now = NOW) =>
  verifySignature(request, {
    services: ['bedrock'],
    findKey: (id) => (id === key.id ? key : undefined),
    now,
  });

test.each<[string, WireRequest]>([
  ['a request', converse],
  ['an ARN with slashes', { ...converse, url: '/model/arn%3Aaws%3Abedrock%3Aeu%3A1%3Aprofile%2Fx/converse' }],
  ['a body of no bytes', { ...converse, body: '' }],
  ['double blanks in a header', { ...converse, headers: { ...converse.headers, 'x-amz-meta': ' a   b ' } }],
  ['a query in another order', { ...converse, url: `${converse.url}?b=2&a=%2F1&a=0` }],
  ['a body beyond ASCII', { ...converse, body: '{"t":"Grüße"}' }],
])('%s that is signed is taken', (_what, request) => {
  expect(verify(signed(request))).toMatchObject({ ok: true, region: 'us-east-1', service: 'bedrock' });
});

const lent: AccessKey = { ...KEY, sessionToken: 'TOKEN', expiresAt: NOW + 1_000 };

test.each<[string, WireRequest, string, AccessKey?, number?]>([
  ['another body', { ...signed(converse), body: '{}' }, 'InvalidSignature'],
  ['another path', { ...signed(converse), url: '/model/other/converse' }, 'InvalidSignature'],
  ['another secret', signed(converse, { ...KEY, secret: 'other' }), 'InvalidSignature'],
  ['another service', signed(converse, KEY, { service: 's3' }), 'InvalidSignature'],
  ['a key that nobody has', signed(converse, { ...KEY, id: 'AKIDOTHER' }), 'UnrecognizedClient'],
  ['no signature', converse, 'MissingAuthenticationToken'],
  ['a clock five minutes late', signed(converse), 'InvalidSignature', KEY, NOW + 300_001],
  ['a clock five minutes early', signed(converse), 'InvalidSignature', KEY, NOW - 300_001],
  ['a lent key without its token', signed(converse), 'UnrecognizedClient', lent],
  ['a lent key that has expired', signed(converse, lent), 'ExpiredToken', lent, NOW + 2_000],
  [
    'a header of AWS that is not signed',
    {
      ...signed(converse),
      headers: { ...signed(converse).headers, 'x-amz-security-token': 'added' },
    },
    'InvalidSignature',
  ],
  [
    'a hash that is not the body’s',
    signed({ ...converse, headers: { ...converse.headers, 'x-amz-content-sha256': '0' } }),
    'InvalidSignature',
  ],
])('%s is refused', (_what, request, type, key = KEY, now = NOW) => {
  expect(verify(request, key, now)).toMatchObject({ ok: false, status: 403, type: `${type}Exception` });
});

test('a lent key is taken until it ends', () => {
  expect(verify(signed(converse, lent), lent).ok).toBe(true);
});
