import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type UpstreamAuth as AuthField, upstreamSchema } from '@tollgate/catalogue';
import { type RunningSimulator, startSimulator } from '@tollgate/simulator';
import { appSecret, EXTERNAL_ID, standingSecret } from '@tollgate/simulator/clouds';
import type { UpstreamAuth } from './auth-scheme.ts';
import { createUpstreamAuth } from './registry.ts';

let simulator: RunningSimulator;
let directory: string;
const warnings: unknown[] = [];
const before = { ...process.env };
beforeAll(async () => {
  simulator = await startSimulator();
  directory = mkdtempSync(join(tmpdir(), 'tollgate-clouds-'));
});
afterAll(async () => {
  await simulator.close();
  rmSync(directory, { recursive: true });
});
beforeEach(() => {
  warnings.length = 0;
  // Of the machine that the tests run on.
  Object.assign(process.env, {
    AWS_CONFIG_FILE: '/nonexistent',
    AWS_SHARED_CREDENTIALS_FILE: '/nonexistent',
    AWS_EC2_METADATA_DISABLED: 'true',
  });
});
afterEach(async () => {
  for (const name of Object.keys(process.env))
    if (!(name in before)) Reflect.deleteProperty(process.env, name);
  Object.assign(process.env, before);
  await fetch(`${simulator.url}/__sim/clouds`, { method: 'DELETE' });
});

const told = (faults: object) =>
  fetch(`${simulator.url}/__sim/clouds`, { method: 'PUT', body: JSON.stringify(faults) });
const issued = async () =>
  ((await (await fetch(`${simulator.url}/__sim/clouds`)).json()) as { issued: Record<string, number> })
    .issued;

function proofOf(
  auth: AuthField,
  secret: string,
  { base_url = simulator.url, ambientHosts = ['127.0.0.1'], allow_private_addresses = true } = {},
): UpstreamAuth {
  const upstream = upstreamSchema.parse({
    name: 'u',
    base_url,
    protocols: ['openai-chat'],
    auth,
    allow_private_addresses,
  });
  const logger = { warn: (...line: unknown[]) => void warnings.push(line) };
  return createUpstreamAuth({ upstream, secret, ambientHosts, logger: logger as never });
}

const BODY = JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'Hi' }] });
const CONTENTS = JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] });

/** Sends a request with a proof; the headers that were sent, beside the answer. */
async function send(proof: UpstreamAuth, path: string, body: string) {
  const origin = simulator.url;
  const headers = { 'content-type': 'application/json' };
  const request = { method: 'POST', origin, path, protocol: 'openai-chat', headers } as const;
  const sent = await proof.applyAuth({ ...request, body: Buffer.from(body) });
  const answer = await fetch(origin + path, { method: 'POST', headers: sent, body });
  const refusal = { status: answer.status, headers: Object.fromEntries(answer.headers), sent };
  return { status: answer.status, refusal, json: (await answer.json()) as Record<string, unknown> };
}

const azure = (proof: UpstreamAuth) => send(proof, '/azure/openai/v1/chat/completions', BODY);
const vertex = (proof: UpstreamAuth) =>
  send(
    proof,
    '/google/v1/projects/p/locations/eu/publishers/google/models/gemini-3-flash:generateContent',
    CONTENTS,
  );
const aws = (proof: UpstreamAuth, path = '/model/us.anthropic.claude%3A0/converse?b=2&a=1') =>
  send(proof, `/__sim/clouds/signed${path}`, BODY);

const APP = { kind: 'azure', tenant_id: 'tenant', client_id: 'app-1' } as const;
const ofApp = () => proofOf({ ...APP, authority: simulator.url }, appSecret('app-1'));
const serviceAccount = async (name = 'relay') =>
  (await (
    await fetch(`${simulator.url}/__sim/clouds/service-accounts/${name}`, { method: 'POST' })
  ).json()) as Record<string, string>;
const federation = (more: object = {}) =>
  JSON.stringify({
    type: 'external_account',
    audience: '//iam.googleapis.com/projects/1/pools/p',
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    token_url: `${simulator.url}/google/v1/token`,
    credential_source: { file: join(directory, 'proof') },
    ...more,
  });
const write = (name: string, text: string) => writeFileSync(join(directory, name), text);
const AWS = { kind: 'aws', region: 'eu-central-1' } as const;
const accessKey = (id = 'AKIASIM1') =>
  JSON.stringify({ access_key_id: id, secret_access_key: standingSecret(id) });

describe('Azure takes', () => {
  test('the secret of an app', async () => {
    const proof = ofApp();
    expect([(await azure(proof)).status, (await azure(proof)).status]).toEqual([200, 200]);
    expect((await issued())['azure']).toBe(1);
  });

  test('a workload identity, whose file is read again', async () => {
    write('azure', 'sim-proof-1\n');
    Object.assign(process.env, {
      AZURE_FEDERATED_TOKEN_FILE: join(directory, 'azure'),
      AZURE_TENANT_ID: 'tenant',
      AZURE_CLIENT_ID: 'app-2',
      AZURE_AUTHORITY_HOST: `${simulator.url}/`,
    });
    await told({ token_ttl_s: 0.2 });
    const proof = proofOf({ kind: 'azure' }, 'ambient');
    expect((await azure(proof)).status).toBe(200);
    write('azure', 'another proof');
    await sleep(250);
    await expect(azure(proof)).rejects.toThrow('Entra gave no token: status 401 (invalid_client).');
    write('azure', 'sim-proof-2');
    expect((await azure(proof)).status).toBe(200);
  });

  test.each([
    ['a machine', () => ({ AZURE_POD_IDENTITY_AUTHORITY_HOST: simulator.url })],
    [
      'an app',
      () => ({ IDENTITY_ENDPOINT: `${simulator.url}/msi/token`, IDENTITY_HEADER: 'sim-identity-header' }),
    ],
  ])('the managed identity of %s', async (_whose, environment) => {
    Object.assign(process.env, environment());
    expect((await azure(proofOf({ kind: 'azure' }, 'ambient'))).status).toBe(200);
  });
});

describe('Google takes', () => {
  test('a service account, and is told whose quota is used', async () => {
    const secret = JSON.stringify(await serviceAccount());
    const proof = proofOf({ kind: 'google', quota_project: 'quota-1' }, secret);
    const { status, refusal } = await vertex(proof);
    expect(status).toBe(200);
    expect(refusal.sent['x-goog-user-project']).toBe('quota-1');
  });

  test('a signature by its clock where ours is an hour late', async () => {
    await told({ skew_s: 3_700 });
    expect((await vertex(proofOf({ kind: 'google' }, JSON.stringify(await serviceAccount())))).status).toBe(
      200,
    );
  });

  test('a federation whose proof is a file, and one that acts for a service account', async () => {
    write('proof', 'sim-proof-3');
    expect((await vertex(proofOf({ kind: 'google' }, federation()))).status).toBe(200);
    const account = 'relay@sim.iam.gserviceaccount.com:generateAccessToken';
    const acting = federation({
      service_account_impersonation_url: `${simulator.url}/google/v1/projects/-/serviceAccounts/${account}`,
    });
    expect((await vertex(proofOf({ kind: 'google' }, acting))).status).toBe(200);
    write('proof.json', '{"token":"sim-proof-4"}');
    const format = { type: 'json', subject_token_field_name: 'token' };
    const source = { file: join(directory, 'proof.json'), format };
    expect(
      (await vertex(proofOf({ kind: 'google' }, federation({ credential_source: source })))).status,
    ).toBe(200);
  });

  test('what its metadata server gives', async () => {
    process.env['GCE_METADATA_HOST'] = new URL(simulator.url).host;
    expect((await vertex(proofOf({ kind: 'google' }, 'ambient'))).status).toBe(200);
  });
});

describe('AWS takes', () => {
  test('an access key, for the service that is stated', async () => {
    const { status, json } = await aws(proofOf({ ...AWS, service: 'bedrock-mantle' }, accessKey()));
    expect([status, json]).toEqual([
      200,
      { account: 'AKIASIM1', region: 'eu-central-1', service: 'bedrock-mantle' },
    ]);
  });

  test.each([
    '/model/arn%3Aaws%3Abedrock%3Aeu%3A1%3Ainference-profile%2Fx/converse',
    '/model/a%20b/invoke',
    '/model/gr%C3%BC%C3%9Fe/x?q=%2F1%20&q=0&e',
  ])('the signature of %s', async (path) => {
    expect((await aws(proofOf(AWS, accessKey()), path)).status).toBe(200);
  });

  test('the keys of a container, with their token', async () => {
    Object.assign(process.env, {
      AWS_CONTAINER_CREDENTIALS_FULL_URI: `${simulator.url}/aws/container-credentials`,
      AWS_CONTAINER_AUTHORIZATION_TOKEN: 'sim-container-token',
    });
    const proof = proofOf(AWS, 'ambient');
    expect((await aws(proof)).json).toMatchObject({ account: 'pod' });
    await aws(proof);
    expect((await issued())['aws']).toBe(1);
  });

  test('the role of a pod, by the proof in its file', async () => {
    write('aws', 'sim-proof-5');
    Object.assign(process.env, {
      AWS_ROLE_ARN: 'arn:aws:iam::123456789012:role/relay',
      AWS_WEB_IDENTITY_TOKEN_FILE: join(directory, 'aws'),
      AWS_ENDPOINT_URL_STS: `${simulator.url}/aws/sts`,
    });
    expect((await aws(proofOf(AWS, 'ambient'))).json).toMatchObject({
      account: 'arn:aws:iam::123456789012:role/relay',
    });
  });

  test('the role of a machine', async () => {
    process.env['AWS_EC2_METADATA_DISABLED'] = 'false';
    process.env['AWS_EC2_METADATA_SERVICE_ENDPOINT'] = simulator.url;
    expect((await aws(proofOf(AWS, 'ambient'))).json).toMatchObject({ account: 'instance' });
  });

  test('a role of another account, with what it asks for', async () => {
    process.env['AWS_ENDPOINT_URL_STS'] = `${simulator.url}/aws/sts`;
    const role_arn = 'arn:aws:iam::999999999999:role/theirs';
    const proof = proofOf({ ...AWS, role_arn, external_id: EXTERNAL_ID }, accessKey());
    expect((await aws(proof)).json).toMatchObject({ account: role_arn });
    const wrong = proofOf({ ...AWS, role_arn, external_id: 'other' }, accessKey());
    await expect(aws(wrong)).rejects.toMatchObject({
      message: 'AWS gave no keys: AccessDenied.',
      isRefused: true,
    });
  });

  test.each([600, -600])('a signature by its clock where ours is %i seconds off', async (skew_s) => {
    await told({ skew_s });
    const proof = proofOf(AWS, accessKey());
    const { status, refusal } = await aws(proof);
    expect(status).toBe(403);
    expect(await proof.renew?.(refusal)).toBe(true);
    expect((await aws(proof)).status).toBe(200);
  });

  test('lent keys that it refuses are replaced; an access key is what it is', async () => {
    Object.assign(process.env, {
      AWS_CONTAINER_CREDENTIALS_FULL_URI: `${simulator.url}/aws/container-credentials`,
      AWS_CONTAINER_AUTHORIZATION_TOKEN: 'sim-container-token',
    });
    await told({ refuse_next: 2 });
    const [lent, standing] = [proofOf(AWS, 'ambient'), proofOf(AWS, accessKey())];
    expect(await lent.renew?.((await aws(lent)).refusal)).toBe(true);
    expect(await standing.renew?.((await aws(standing)).refusal)).toBe(false);
    expect((await aws(lent)).status).toBe(200);
    expect((await issued())['aws']).toBe(2);
  });
});

test('a token that is refused is replaced', async () => {
  const proof = ofApp();
  await azure(proof);
  await told({ refuse_next: 1 });
  const { status, refusal } = await azure(proof);
  expect(status).toBe(401);
  expect(await proof.renew?.(refusal)).toBe(true);
  expect((await azure(proof)).status).toBe(200);
  expect((await issued())['azure']).toBe(2);
  expect(await proof.renew?.({ ...refusal, status: 403 })).toBe(false);
});

test('requests at the end of a token make one call', async () => {
  await told({ token_ttl_s: 0.3 });
  const proof = ofApp();
  await azure(proof);
  await sleep(350);
  await told({ delay_ms: 100 });
  expect(new Set((await Promise.all([1, 2, 3].map(() => azure(proof)))).map(({ status }) => status))).toEqual(
    new Set([200]),
  );
  expect((await issued())['azure']).toBe(2);
});

test('a metadata server that hangs is waited for no longer than five seconds', async () => {
  process.env['GCE_METADATA_HOST'] = new URL(simulator.url).host;
  await told({ hang: true });
  const beganAt = Date.now();
  const proof = proofOf({ kind: 'google' }, 'ambient');
  await expect(Promise.all([vertex(proof), vertex(proof)])).rejects.toMatchObject({ isRefused: false });
  expect(Date.now() - beganAt).toBeLessThan(5_500);
  expect(warnings).toHaveLength(1);
});

describe('the gateway’s own identity is shown to the hosts of its cloud alone', () => {
  const elsewhere = { ambientHosts: ['.googleapis.com', 'api.aws'] };

  test.each<AuthField>([AWS, { kind: 'google' }, { kind: 'azure' }])('%j', async (auth) => {
    Object.assign(process.env, {
      GCE_METADATA_HOST: new URL(simulator.url).host,
      AZURE_POD_IDENTITY_AUTHORITY_HOST: simulator.url,
      AWS_CONTAINER_CREDENTIALS_FULL_URI: `${simulator.url}/aws/container-credentials`,
      AWS_CONTAINER_AUTHORIZATION_TOKEN: 'sim-container-token',
    });
    const proof = proofOf(auth, 'ambient', elsewhere);
    await expect(azure(proof)).rejects.toMatchObject({
      message: expect.stringContaining('AMBIENT_IDENTITY_HOSTS') as string,
      isRefused: true,
    });
    expect(await issued()).toEqual({ aws: 0, google: 0, azure: 0 });
  });

  test('nor is a file of it sent anywhere else', async () => {
    write('proof', 'sim-proof-6');
    const base_url = 'https://eu-aiplatform.googleapis.com';
    const proof = proofOf({ kind: 'google' }, federation(), { ...elsewhere, base_url });
    await expect(vertex(proof)).rejects.toThrow('AMBIENT_IDENTITY_HOSTS');
    expect((await issued())['google']).toBe(0);
  });

  test.each([
    ['https://x.googleapis.com', true],
    ['https://googleapis.com.evil.example', false],
    ['https://evilgoogleapis.com', false],
    ['https://api.aws', true],
    ['https://x.api.aws', false],
  ])('%s: %s', async (base_url, isShown) => {
    process.env['GCE_METADATA_HOST'] = new URL(simulator.url).host;
    const proof = proofOf({ kind: 'google' }, 'ambient', { ...elsewhere, base_url });
    const shown = await vertex(proof).then(
      () => true,
      () => false,
    );
    expect(shown).toBe(isShown);
  });
});

test.each<[string, AuthField, () => string | Promise<string>]>([
  ['an authority', { ...APP, authority: 'http://169.254.169.254' }, () => 'app-secret-1'],
  [
    'a token_uri',
    { kind: 'google' },
    async () => JSON.stringify({ ...(await serviceAccount()), token_uri: 'http://169.254.169.254/token' }),
  ],
  [
    'a credential_source',
    { kind: 'google' },
    () => federation({ credential_source: { url: 'http://169.254.169.254/latest/meta-data' } }),
  ],
])('nothing that a credential says leads to a metadata service: %s', async (_what, auth, secret) => {
  await expect(azure(proofOf(auth, await secret()))).rejects.toThrow('ERR_UPSTREAM_ADDRESS');
});

test('nor to a private address, unless the upstream may stand at one', async () => {
  const guarded = { allow_private_addresses: false };
  const account = JSON.stringify(await serviceAccount());
  const app = { ...APP, authority: simulator.url };
  for (const proof of [proofOf({ kind: 'google' }, account, guarded), proofOf(app, 'app-secret-1', guarded)])
    await expect(azure(proof)).rejects.toThrow('ERR_UPSTREAM_ADDRESS');
  expect(await issued()).toEqual({ aws: 0, google: 0, azure: 0 });
});

test.each<[string, AuthField, () => string | Promise<string>, string]>([
  [
    'an app whose secret is wrong',
    { ...APP, authority: 'sim' },
    () => 'wrong-app-secret-1',
    'Entra gave no token: status 401 (invalid_client).',
  ],
  [
    'a service account whose key is another',
    { kind: 'google' },
    async () => JSON.stringify({ ...(await serviceAccount()), private_key_id: 'other-key-id' }),
    'Google gave no token: status 400 (invalid_grant).',
  ],
  [
    'a private key that is none',
    { kind: 'google' },
    async () => JSON.stringify({ ...(await serviceAccount()), private_key: 'no-private-key-1' }),
    'The private_key of the service account is no key.',
  ],
  ['a secret that is none', AWS, () => 'not-an-access-key', 'The secret is the JSON of no access key.'],
])('%s is told without a word of it', async (_what, auth, secret, message) => {
  const stated = await secret();
  const own = auth.kind === 'azure' ? { ...auth, authority: simulator.url } : auth;
  await expect(azure(proofOf(own, stated))).rejects.toMatchObject({ message, isRefused: true });
  expect(warnings).toMatchObject(
    [[{ event: 'upstream_token_failed', upstream: 'u', reason: message }, {}]].map(([line]) => [
      line,
      expect.any(String),
    ]),
  );
  const logged = JSON.stringify(warnings);
  for (const word of [stated, 'wrong-app', 'other-key', 'no-private', 'PRIVATE KEY', 'access-key'])
    expect(logged).not.toContain(word);
});

test('what was made of a secret is known, so that no answer tells it', async () => {
  const proof = ofApp();
  const { refusal } = await azure(proof);
  expect(proof.derivedSecrets?.()).toEqual([refusal.sent['authorization']?.slice('Bearer '.length)]);
  const signed = proofOf(AWS, accessKey());
  await aws(signed);
  expect(signed.derivedSecrets?.()).toContain(standingSecret('AKIASIM1'));
});
