import { measureAwake } from '@tollgate/harness';
import { seal } from '@tollgate/platform';
import { appSecret, makeLongTermSecret } from '@tollgate/simulator/clouds';
import type { Protocol } from '@tollgate/vocabulary';
import { simulate, type Simulated, startForwarding, upstream } from '../../testing/forwarding.ts';

let cloud: Simulated;
let other: Simulated;
beforeAll(async () => {
  [cloud, other] = await Promise.all([simulate(), simulate()]);
});
afterAll(() => Promise.all([cloud.close(), other.close()]));
const ENVIRONMENT = [
  'GCE_METADATA_HOST',
  'AWS_CONTAINER_CREDENTIALS_FULL_URI',
  'AWS_CONTAINER_AUTHORIZATION_TOKEN',
];
const reset = () => fetch(`${cloud.url}/__sim/clouds`, { method: 'DELETE' });
const setFaults = (faults: object) =>
  fetch(`${cloud.url}/__sim/clouds`, { method: 'PUT', body: JSON.stringify(faults) });
afterEach(async () => {
  await reset();
  for (const { url } of [cloud, other]) await fetch(`${url}/__sim/requests`, { method: 'DELETE' });
  for (const name of ENVIRONMENT) Reflect.deleteProperty(process.env, name);
});

const credentials = [{ name: 'own', sealed: seal(appSecret('app'), Buffer.alloc(32, 1)) }];
const azure = (more: object = {}) =>
  upstream('cloud', `${cloud.url}/azure/openai/v1`, [], {
    auth: { kind: 'azure', tenant_id: 't', client_id: 'app', authority: cloud.url },
    credentials,
    ...more,
  });
const pool = { members: [{ upstream: 'cloud' }, { upstream: 'other', priority: 1 }] };
const start = (first: ReturnType<typeof upstream>) =>
  startForwarding({ upstreams: [first, upstream('other', other.url, ['b'])], pool });
const asked = async () => [
  (await cloud.requests()).filter(({ url }) => url.includes('chat/completions')).length,
  await other.count(),
];

test('a token that is refused once costs the request nothing', async () => {
  const forwarding = start(azure());
  expect(await forwarding.send()).toMatchObject({ kind: 'answer', status: 200 });
  await setFaults({ refuse_next: 1 });
  expect(await forwarding.send()).toMatchObject({ kind: 'answer', status: 200 });
  expect(await asked()).toEqual([2, 0]);
  await forwarding.close();
});

/** Keys that AWS lends a container: they come in the environment of the gateway. */
function lendKeys() {
  Object.assign(process.env, {
    AWS_CONTAINER_CREDENTIALS_FULL_URI: `${cloud.url}/aws/container-credentials`,
    AWS_CONTAINER_AUTHORIZATION_TOKEN: 'sim-container-token',
  });
  return 'ambient';
}
const ofKey = (id = 'AKIASIMDOORS') =>
  JSON.stringify({ access_key_id: id, secret_access_key: makeLongTermSecret(id) });
const serviceAccount = async () =>
  (await fetch(`${cloud.url}/__sim/clouds/service-accounts/relay`, { method: 'POST' })).text();

const AT_AWS = { kind: 'aws', region: 'us-east-1' } as const;
const MANTLE = { ...AT_AWS, service: 'bedrock-mantle' } as const;
const CLAUDE = 'anthropic.claude-sonnet-5';
const GPT_OSS = 'openai.gpt-oss-120b';
const VERTEX_PATHS = { gemini: { generate: '/models/{model}:generateContent' } };

interface CloudPlace {
  readonly path: string;
  readonly format: Protocol;
  readonly model: string;
  readonly secret: () => string | Promise<string>;
  readonly more: object;
}

/** Doors of every cloud, by every way of proving who asks that can be renewed or signed for. */
const DOORS: Readonly<Record<string, CloudPlace>> = {
  'mantle, Chat': {
    path: '/aws/bedrock-mantle/openai',
    format: 'openai-chat',
    model: GPT_OSS,
    secret: ofKey,
    more: { auth: MANTLE },
  },
  'mantle, Responses': {
    path: '/aws/bedrock-mantle/openai/v1',
    format: 'openai-responses',
    model: GPT_OSS,
    secret: ofKey,
    more: { auth: MANTLE },
  },
  'mantle, Messages': {
    path: '/aws/bedrock-mantle/anthropic',
    format: 'anthropic-messages',
    model: CLAUDE,
    secret: ofKey,
    more: { auth: MANTLE },
  },
  'mantle with lent keys': {
    path: '/aws/bedrock-mantle/openai',
    format: 'openai-chat',
    model: GPT_OSS,
    secret: lendKeys,
    more: { auth: MANTLE },
  },
  'Converse with lent keys': {
    path: '/aws/bedrock-runtime',
    format: 'bedrock-converse',
    model: CLAUDE,
    secret: lendKeys,
    more: { auth: AT_AWS },
  },
  Vertex: {
    path: '/google/v1/projects/p/locations/eu/publishers/google',
    format: 'gemini',
    model: 'gemini-3-flash',
    secret: serviceAccount,
    more: { auth: { kind: 'google' }, paths: VERTEX_PATHS },
  },
};
const cloudAt = (door: CloudPlace, secret: string, more: object = {}) =>
  upstream('cloud', cloud.url + door.path, [], {
    protocols: [door.format],
    credentials: [{ name: 'own', sealed: seal(secret, Buffer.alloc(32, 1)) }],
    ...door.more,
    ...more,
  });
const startAt = (first: ReturnType<typeof upstream>, model: string) =>
  startForwarding({
    upstreams: [first, upstream('other', other.url, ['b'])],
    pool: {
      members: [
        { upstream: 'cloud', model_map: { m: model } },
        { upstream: 'other', priority: 1 },
      ],
    },
  });
const byCloud = { kind: 'answer', status: 200, candidate: { client: { upstream: { name: 'cloud' } } } };

describe.each(Object.entries(DOORS))('%s', (_name, door) => {
  test('answers, and once more where it has refused a good proof that can be replaced', async () => {
    const secret = await door.secret();
    const forwarding = startAt(cloudAt(door, secret), door.model);
    expect(await forwarding.send()).toMatchObject(byCloud);
    expect(await other.count()).toBe(0);
    await setFaults({ refuse_next: 1 });
    const again = await forwarding.send();
    // An access key is what it is.
    const isRenewed = secret === 'ambient' || !secret.includes('access_key_id');
    expect(again).toMatchObject(isRenewed ? byCloud : { kind: 'answer', status: 200 });
    expect(await other.count()).toBe(isRenewed ? 0 : 1);
    await forwarding.close();
  });
});

test.each([600, -600])('a clock that is %i seconds off costs a request nothing at mantle', async (skew_s) => {
  const door = DOORS['mantle, Chat'];
  if (!door) throw new Error('there is no such door');
  await setFaults({ skew_s });
  const forwarding = startAt(cloudAt(door, ofKey()), door.model);
  expect(await forwarding.send()).toMatchObject(byCloud);
  expect(await forwarding.send()).toMatchObject(byCloud);
  // The second is dated right from the beginning.
  expect([(await cloud.requests()).length, await other.count()]).toEqual([2, 0]);
  await forwarding.close();
});

test('what is signed for another service is refused by mantle, and its credential is told to be wrong', async () => {
  const door = DOORS['mantle, Chat'];
  if (!door) throw new Error('there is no such door');
  const forwarding = startAt(cloudAt(door, ofKey(), { auth: AT_AWS }), door.model);
  expect(await forwarding.send()).toMatchObject({ candidate: { client: { upstream: { name: 'other' } } } });
  await forwarding.close();
});

test('where a new one is refused too another upstream answers', async () => {
  const forwarding = start(azure());
  await setFaults({ refuse_next: 5 });
  const answer = await forwarding.send();
  expect(answer).toMatchObject({
    kind: 'answer',
    status: 200,
    candidate: { client: { upstream: { name: 'other' } } },
  });
  expect((await asked())[1]).toBe(1);
  await forwarding.close();
});

test('an error of Google that names our project is told without it', async () => {
  const file = await fetch(`${cloud.url}/__sim/clouds/service-accounts/relay`, { method: 'POST' });
  const secret = await file.text();
  const base = `${cloud.url}/google/v1/projects/forbidden/locations/eu/publishers/google`;
  const forwarding = startForwarding({
    upstreams: [
      upstream('cloud', base, [], {
        protocols: ['gemini'],
        auth: { kind: 'google' },
        paths: { gemini: { generate: '/models/{model}:generateContent' } },
        credentials: [{ name: 'own', sealed: seal(secret, Buffer.alloc(32, 1)) }],
      }),
    ],
    pool: { members: [{ upstream: 'cloud' }] },
  });
  const answer = await forwarding.send();
  expect(answer).toMatchObject({ kind: 'failed', error: { kind: 'upstream_error' } });
  expect(JSON.stringify(answer)).not.toContain('forbidden');
  const [candidate] = forwarding.stages[0]?.candidates ?? [];
  expect(candidate?.credential.auth.derivedSecrets?.()).toContain('projects/forbidden');
  await forwarding.close();
});

test('a prompt that Azure’s filter refuses is the caller’s, and nobody else is asked', async () => {
  const forwarding = start(azure());
  const { createTestPayload } = await import('../../testing/forwarding.ts');
  const body = { model: 'm', messages: [{ role: 'user', content: 'a [[content filter]]' }] };
  const answer = await forwarding.send({ payload: createTestPayload(JSON.stringify(body)) });
  expect(answer).toMatchObject({
    kind: 'answer',
    status: 400,
    json: { error: { code: 'content_filter', innererror: { code: 'ResponsibleAIPolicyViolation' } } },
  });
  expect(await other.count()).toBe(0);
  await forwarding.close();
});

test('a metadata server that hangs holds up a request for five seconds, and who leaves not at all', async () => {
  process.env['GCE_METADATA_HOST'] = new URL(cloud.url).host;
  await setFaults({ hang: true });
  const ambient = [{ name: 'own', sealed: seal('ambient', Buffer.alloc(32, 1)) }];
  const forwarding = start(azure({ auth: { kind: 'google' }, credentials: ambient }));
  const leaving = new AbortController();
  setTimeout(() => leaving.abort(), 100);
  const left = forwarding.send({ gone: leaving.signal, signal: leaving.signal });
  expect(await measureAwake(left)).toBeLessThan(4_500);
  expect(await left).toMatchObject({ kind: 'aborted' });
  const stayed = forwarding.send();
  expect(await measureAwake(stayed)).toBeLessThan(9_000);
  expect(await stayed).toMatchObject({
    kind: 'answer',
    status: 200,
    candidate: { client: { upstream: { name: 'other' } } },
  });
  await forwarding.close();
});

test('a token that an upstream says is hidden from who asked', async () => {
  const forwarding = start(azure());
  const answer = await forwarding.send();
  if (answer.kind !== 'answer') throw new Error(answer.kind);
  const { credential } = answer.candidate;
  const sent = (await cloud.requests()).at(-1)?.headers['authorization']?.slice('Bearer '.length) ?? '';
  expect(sent).toMatch(/^azure\./);
  const { withoutSecrets } = await import('./secrets.ts');
  expect(withoutSecrets(Buffer.from(`it said ${sent}`), credential).toString()).toBe('it said ***');
  await forwarding.close();
});
