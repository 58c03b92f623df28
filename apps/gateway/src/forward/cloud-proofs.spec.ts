import { seal } from '@tollgate/platform';
import { appSecret } from '@tollgate/simulator/clouds';
import { simulate, type Simulated, startForwarding, upstream } from '../../testing/forwarding.ts';

let cloud: Simulated;
let other: Simulated;
beforeAll(async () => {
  [cloud, other] = await Promise.all([simulate(), simulate()]);
});
afterAll(() => Promise.all([cloud.close(), other.close()]));
const reset = () => fetch(`${cloud.url}/__sim/clouds`, { method: 'DELETE' });
const setFaults = (faults: object) =>
  fetch(`${cloud.url}/__sim/clouds`, { method: 'PUT', body: JSON.stringify(faults) });
afterEach(async () => {
  await reset();
  for (const { url } of [cloud, other]) await fetch(`${url}/__sim/requests`, { method: 'DELETE' });
  Reflect.deleteProperty(process.env, 'GCE_METADATA_HOST');
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
  const beganAt = Date.now();
  const leaving = new AbortController();
  setTimeout(() => leaving.abort(), 100);
  expect(await forwarding.send({ gone: leaving.signal, signal: leaving.signal })).toMatchObject({
    kind: 'aborted',
  });
  expect(Date.now() - beganAt).toBeLessThan(1_000);
  expect(await forwarding.send()).toMatchObject({
    kind: 'answer',
    status: 200,
    candidate: { client: { upstream: { name: 'other' } } },
  });
  expect(Date.now() - beganAt).toBeLessThan(6_500);
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
