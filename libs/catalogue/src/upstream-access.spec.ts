import {
  canonicalJson,
  findSecretFault,
  hashSnapshot,
  mayHoldSecret,
  type UpstreamAuth,
  upstreamAuthSchema,
  upstreamInputSchema,
  upstreamPathsSchema,
  upstreamSchema,
} from './index.ts';

const UPSTREAM = { name: 'u', base_url: 'https://up.example', protocols: ['openai-chat'] };

test('what a version from before there were auth, paths and wrapping says has the hash it had', () => {
  const published = upstreamSchema.parse(UPSTREAM);
  expect(canonicalJson(published)).not.toMatch(/"(auth|paths|wrapping)":/);
  // Of the schema as it was before: another hash would make every published version a lost one.
  expect(hashSnapshot({ upstreams: [published] })).toBe(
    'c3f10b994085f13a3da5d449f974ecd45165242d3586ca64bf98382e306c05e2',
  );
});

test.each([
  'Authorization',
  'api-key',
  'X-Api-Key',
  'x-goog-api-key',
  'Cookie',
  'proxy-authorization',
  'x-auth-token',
  'x_client_secret',
  'ocp-apim-subscription-key',
  'x-signature',
  'apikey',
  'KEY',
])('a header %s may hold a secret, and no catalogue takes it', (name) => {
  expect(mayHoldSecret(name)).toBe(true);
  const read = upstreamInputSchema.safeParse({ ...UPSTREAM, set_headers: { [name]: 'v' } });
  expect(read.error?.issues[0]).toMatchObject({
    path: ['set_headers', name],
    message: expect.stringContaining(`{"kind":"static","header":"${name.toLowerCase()}"}`) as string,
  });
});

test.each(['openai-organization', 'anthropic-beta', 'x-goog-user-project', 'x-keyboard', 'user-agent'])(
  'a header %s may be set',
  (name) => {
    expect(upstreamInputSchema.safeParse({ ...UPSTREAM, set_headers: { [name]: 'v' } }).success).toBe(true);
  },
);

test.each([
  '/chat/completions',
  '/openai/deployments/{model}/chat/completions?api-version=2024-10-21',
  '/v1/projects/p/locations/eu/publishers/google/models/{model}:streamGenerateContent?alt=sse',
  '/model/{model}/invoke',
])('%s is a path', (generate) => {
  expect(upstreamPathsSchema.safeParse({ gemini: { generate } }).success).toBe(true);
});

test.each([
  'chat',
  '//evil.example/x',
  '/a/../b',
  '/a/..',
  '/a/./b',
  '/a#b',
  '/a b',
  '/{other}',
  '/a?m={model}',
  '/a\\b',
])('%s is none', (generate) => {
  expect(upstreamPathsSchema.safeParse({ gemini: { generate } }).success).toBe(false);
});

test.each<UpstreamAuth>([
  { kind: 'static', header: 'api-key' },
  { kind: 'static', header: 'authorization', prefix: 'Bearer ' },
  { kind: 'aws', region: 'us-gov-west-1', service: 'bedrock-mantle' },
  {
    kind: 'aws',
    region: 'eu-central-1',
    role_arn: 'arn:aws-cn:iam::123456789012:role/a/b',
    external_id: 'x1',
  },
  { kind: 'google', scope: 'https://www.googleapis.com/auth/cloud-platform', quota_project: 'p-1' },
  { kind: 'azure', tenant_id: 't', client_id: 'c', authority: 'https://login.microsoftonline.us' },
])('%j is a proof', (auth) => {
  expect(upstreamAuthSchema.parse(auth)).toEqual(auth);
});

test.each([
  { kind: 'aws' },
  { kind: 'aws', region: 'eu.evil.example/' },
  { kind: 'aws', region: 'eu-central-1', service: 's3' },
  { kind: 'aws', region: 'eu-central-1', role_arn: 'role' },
  { kind: 'azure', tenant_id: '../other' },
  { kind: 'azure', authority: 'file:///etc' },
  { kind: 'basic' },
])('%j is none', (auth) => {
  expect(upstreamAuthSchema.safeParse(auth).success).toBe(false);
});

const AWS = { kind: 'aws', region: 'eu-central-1' } as const;
const GOOGLE = { kind: 'google' } as const;
const AZURE = { kind: 'azure', tenant_id: 't', client_id: 'c' } as const;
const accessKey = JSON.stringify({ access_key_id: 'AKIDEXAMPLE', secret_access_key: 's/+=' });
const serviceAccount = JSON.stringify({
  type: 'service_account',
  client_email: 'a@p.example',
  private_key: '-----BEGIN PRIVATE KEY-----\n…',
  project_id: 'p',
});
const federation = JSON.stringify({
  type: 'external_account',
  audience: '//iam.googleapis.com/projects/1',
  subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
  credential_source: { file: '/var/run/token' },
});

test.each<[UpstreamAuth | undefined, string]>([
  [undefined, 'sk-1'],
  [AWS, accessKey],
  [AWS, 'ambient'],
  [GOOGLE, serviceAccount],
  [GOOGLE, federation],
  [GOOGLE, 'ambient'],
  [AZURE, 'app~secret'],
  [{ kind: 'azure' }, 'ambient'],
])('%j takes %s', (auth, secret) => {
  expect(findSecretFault(auth, secret)).toBeUndefined();
});

test.each<[UpstreamAuth | undefined, string, string]>([
  [undefined, accessKey.replace(':', ': '), 'no blanks'],
  [{ kind: 'static', header: 'api-key' }, '{"a": 1}', 'no blanks'],
  [AWS, 'bedrock-api-key-1', '"authorization"'],
  [AWS, '{"access_key_id":"a"}', 'secret_access_key'],
  [GOOGLE, 'AIza1', 'service account'],
  [GOOGLE, federation.replace('"file"', '"other"'), 'service account'],
  [GOOGLE, federation.replace('"file"', '"executable"'), 'nothing that a credential names is run'],
  [
    GOOGLE,
    federation.replace('"file"', '"environment_id":"aws1","url"').replace('/var', 'http://a/var'),
    'of AWS',
  ],
  [GOOGLE, federation.replace('"file"', '"certificate"'), 'a certificate'],
  [GOOGLE, federation.replace('{', '{"workforce_pool_user_project":"p",'), 'a workforce pool'],
  [GOOGLE, '{"type":"authorized_user"}', 'of a person'],
  [GOOGLE, '{"type":"impersonated_service_account"}', 'service_account_impersonation_url'],
  [{ kind: 'azure' }, 'app-secret', 'tenant_id'],
  [{ ...AZURE, authority: 'https://login.example' }, 'ambient', 'auth.authority'],
])('%j refuses %s', (auth, secret, words) => {
  expect(findSecretFault(auth, secret)).toContain(words);
});
