import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { UpstreamAuth as AuthField } from '@tollgate/catalogue';
import { sleepAwake } from '@tollgate/harness';
import { makeLongTermSecret } from '@tollgate/simulator/clouds';
import {
  accessKey,
  APP,
  AWS,
  aws,
  azure,
  createProof,
  endTokens,
  federation,
  issueBriefTokens,
  issued,
  proveApp,
  serviceAccount,
  setFaults,
  simulator,
  useClouds,
  vertex,
  warnings,
  write,
} from '../../testing/clouds.ts';

useClouds();

describe('Azure takes', () => {
  test('the secret of an app', async () => {
    const proof = proveApp();
    expect([(await azure(proof)).status, (await azure(proof)).status]).toEqual([200, 200]);
    expect((await issued())['azure']).toBe(1);
  });

  test('a workload identity, whose file is read again', async () => {
    Object.assign(process.env, {
      AZURE_FEDERATED_TOKEN_FILE: write('azure', 'sim-proof-1\n'),
      AZURE_TENANT_ID: 'tenant',
      AZURE_CLIENT_ID: 'app-2',
      AZURE_AUTHORITY_HOST: `${simulator.url}/`,
    });
    await issueBriefTokens();
    const proof = createProof({ kind: 'azure' }, 'ambient');
    expect((await azure(proof)).status).toBe(200);
    write('azure', 'another proof');
    endTokens();
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
    expect((await azure(createProof({ kind: 'azure' }, 'ambient'))).status).toBe(200);
  });
});

describe('Google takes', () => {
  test('a service account, and is told whose quota is used', async () => {
    const secret = JSON.stringify(await serviceAccount());
    const proof = createProof({ kind: 'google', quota_project: 'quota-1' }, secret);
    const { status, refusal } = await vertex(proof);
    expect(status).toBe(200);
    expect(refusal.sent['x-goog-user-project']).toBe('quota-1');
  });

  test('a signature by its clock where ours is an hour late', async () => {
    await setFaults({ skew_s: 3_700 });
    expect(
      (await vertex(createProof({ kind: 'google' }, JSON.stringify(await serviceAccount())))).status,
    ).toBe(200);
  });

  test('a federation whose proof is a file, and one that acts for a service account', async () => {
    write('proof', 'sim-proof-3');
    expect((await vertex(createProof({ kind: 'google' }, federation()))).status).toBe(200);
    const account = 'relay@sim.iam.gserviceaccount.com:generateAccessToken';
    const acting = federation({
      service_account_impersonation_url: `${simulator.url}/google/v1/projects/-/serviceAccounts/${account}`,
    });
    expect((await vertex(createProof({ kind: 'google' }, acting))).status).toBe(200);
    const format = { type: 'json', subject_token_field_name: 'token' };
    const source = { file: write('proof.json', '{"token":"sim-proof-4"}'), format };
    expect(
      (await vertex(createProof({ kind: 'google' }, federation({ credential_source: source })))).status,
    ).toBe(200);
  });

  test('a federation whose proof is at an address, which is asked again once the token has ended', async () => {
    const asked: unknown[] = [];
    const server = createServer((request, response) => {
      asked.push([request.url, request.headers['x-proof-for']]);
      response.end(JSON.stringify({ id_token: `sim-proof-at-address-${asked.length}` }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const credential_source = {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/proof?for=google`,
      headers: { 'x-proof-for': 'tollgate' },
      format: { type: 'json', subject_token_field_name: 'id_token' },
    };
    await issueBriefTokens();
    const proof = createProof({ kind: 'google' }, federation({ credential_source }));
    expect((await vertex(proof)).status).toBe(200);
    endTokens();
    expect((await vertex(proof)).status).toBe(200);
    expect(asked).toEqual(Array.from({ length: 2 }, () => ['/proof?for=google', 'tollgate']));
    server.close();
  });

  test('what its metadata server gives', async () => {
    process.env['GCE_METADATA_HOST'] = new URL(simulator.url).host;
    expect((await vertex(createProof({ kind: 'google' }, 'ambient'))).status).toBe(200);
  });
});

test('a token that is refused is replaced', async () => {
  const proof = proveApp();
  await azure(proof);
  await setFaults({ refuse_next: 1 });
  const { status, refusal } = await azure(proof);
  expect(status).toBe(401);
  expect(await proof.renew?.(refusal)).toBe(true);
  expect((await azure(proof)).status).toBe(200);
  expect((await issued())['azure']).toBe(2);
  expect(await proof.renew?.({ ...refusal, status: 403 })).toBe(false);
});

test('requests at the end of a token make one call', async () => {
  await issueBriefTokens();
  const proof = proveApp();
  await azure(proof);
  endTokens();
  await setFaults({ delay_ms: 100 });
  expect(new Set((await Promise.all([1, 2, 3].map(() => azure(proof)))).map(({ status }) => status))).toEqual(
    new Set([200]),
  );
  expect((await issued())['azure']).toBe(2);
});

test('a metadata server or a token end point that hangs is waited for no longer than five seconds', async () => {
  Object.assign(process.env, {
    GCE_METADATA_HOST: new URL(simulator.url).host,
    AZURE_POD_IDENTITY_AUTHORITY_HOST: simulator.url,
    AWS_CONTAINER_CREDENTIALS_FULL_URI: `${simulator.url}/aws/container-credentials`,
    AWS_CONTAINER_AUTHORIZATION_TOKEN: 'sim-container-token',
    AWS_ENDPOINT_URL_STS: `${simulator.url}/aws/sts`,
  });
  const account = JSON.stringify(await serviceAccount());
  await setFaults({ hang: true });
  const google = createProof({ kind: 'google' }, 'ambient');
  const role_arn = 'arn:aws:iam::999999999999:role/theirs';
  const asked = [
    vertex(google),
    vertex(google),
    vertex(createProof({ kind: 'google' }, account)),
    azure(createProof({ kind: 'azure' }, 'ambient')),
    azure(proveApp()),
    aws(createProof(AWS, 'ambient')),
    aws(createProof({ ...AWS, role_arn }, accessKey())),
  ];
  // By the clock of the same process: however busy the machine is, what ends after five seconds ends before this.
  const ends = await Promise.race([Promise.allSettled(asked), sleepAwake(6_000)]);
  expect(ends).toMatchObject(asked.map(() => ({ status: 'rejected', reason: { isRefused: false } })));
  // Two asked for one token.
  expect(warnings).toHaveLength(asked.length - 1);
}, 10_000);

describe('the gateway’s own identity is shown to the hosts of its cloud alone', () => {
  const elsewhere = { ambientHosts: ['.googleapis.com', 'api.aws'] };

  test.each<AuthField>([AWS, { kind: 'google' }, { kind: 'azure' }])('%j', async (auth) => {
    Object.assign(process.env, {
      GCE_METADATA_HOST: new URL(simulator.url).host,
      AZURE_POD_IDENTITY_AUTHORITY_HOST: simulator.url,
      AWS_CONTAINER_CREDENTIALS_FULL_URI: `${simulator.url}/aws/container-credentials`,
      AWS_CONTAINER_AUTHORIZATION_TOKEN: 'sim-container-token',
    });
    const proof = createProof(auth, 'ambient', elsewhere);
    await expect(azure(proof)).rejects.toMatchObject({
      message: expect.stringContaining('AMBIENT_IDENTITY_HOSTS') as string,
      isRefused: true,
    });
    expect(await issued()).toEqual({ aws: 0, google: 0, azure: 0 });
  });

  test('nor is a file of it sent anywhere else', async () => {
    write('proof', 'sim-proof-6');
    const base_url = 'https://eu-aiplatform.googleapis.com';
    const proof = createProof({ kind: 'google' }, federation(), { ...elsewhere, base_url });
    await expect(vertex(proof)).rejects.toThrow('AMBIENT_IDENTITY_HOSTS');
    expect((await issued())['google']).toBe(0);
  });

  test.each([
    [AWS, 'ambient'],
    [{ kind: 'google' }, 'ambient'],
    [{ kind: 'google' }, 'file'],
    [{ kind: 'azure' }, 'ambient'],
  ] as const)('nor is %j, %s, shown to who is to list the models', async (auth, secret) => {
    write('proof', 'sim-proof-7');
    const model_lists = ['https://models.example/list'];
    const proof = createProof(auth, secret === 'file' ? federation() : secret, { model_lists });
    await expect(azure(proof)).rejects.toThrow('AMBIENT_IDENTITY_HOSTS');
    expect(await issued()).toEqual({ aws: 0, google: 0, azure: 0 });
  });

  test.each([
    ['https://x.googleapis.com', true],
    ['https://googleapis.com.evil.example', false],
    ['https://evilgoogleapis.com', false],
    ['https://api.aws', true],
    ['https://x.api.aws', false],
  ])('%s: %s', async (base_url, isShown) => {
    process.env['GCE_METADATA_HOST'] = new URL(simulator.url).host;
    const proof = createProof({ kind: 'google' }, 'ambient', { ...elsewhere, base_url });
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
  await expect(azure(createProof(auth, await secret()))).rejects.toThrow('ERR_UPSTREAM_ADDRESS');
});

test('nor to a private address, unless the upstream may stand at one', async () => {
  const guarded = { allow_private_addresses: false };
  const account = JSON.stringify(await serviceAccount());
  const app = { ...APP, authority: simulator.url };
  for (const proof of [
    createProof({ kind: 'google' }, account, guarded),
    createProof(app, 'app-secret-1', guarded),
  ])
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
  await expect(azure(createProof(own, stated))).rejects.toMatchObject({ message, isRefused: true });
  expect(warnings).toMatchObject(
    [[{ event: 'upstream_token_failed', upstream: 'u', reason: message }, {}]].map(([line]) => [
      line,
      expect.any(String),
    ]),
  );
  for (const word of [stated, 'wrong-app', 'other-key', 'no-private', 'PRIVATE KEY', 'access-key'])
    expect(JSON.stringify(warnings)).not.toContain(word);
});

test('what was made of a secret is known, so that no answer tells it', async () => {
  const proof = proveApp();
  const { refusal } = await azure(proof);
  expect(proof.derivedSecrets?.()).toEqual([refusal.sent['authorization']?.slice('Bearer '.length)]);
  const signed = createProof(AWS, accessKey());
  await aws(signed);
  expect(signed.derivedSecrets?.()).toContain(makeLongTermSecret('AKIASIM1'));
});
