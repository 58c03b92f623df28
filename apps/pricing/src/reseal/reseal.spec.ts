import { randomBytes } from 'node:crypto';
import { upstreamInputSchema } from '@tollgate/catalogue';
import { type Keyring, unseal } from '@tollgate/platform';
import { type TestEnvironment, startTestEnvironment } from '../../testing/pricing-service.ts';
import { upstreamFrom } from '../admin/complete-entries.ts';
import type { CatalogueChange } from '../catalogue/change.ts';
import { DraftStore } from '../drafts/draft-store.ts';
import { resealEverything } from './reseal.ts';

const [former, next] = [randomBytes(32), randomBytes(32)];
const by = { actor: 'owner@test.example', reason: 'a test' };
let environment: TestEnvironment;

beforeAll(async () => {
  environment = await startTestEnvironment();
}, 60_000);
afterAll(() => environment.stop());

function put(name: string, key: Buffer, secret: string): CatalogueChange {
  const input = upstreamInputSchema.parse({
    name,
    base_url: 'https://api.acme.example/v1',
    protocols: ['openai-chat'],
    credentials: [{ name: 'first', secret }],
  });
  return { op: 'put', section: 'upstreams', entry: upstreamFrom(input, key) };
}

const secretsUnder = async (keys: Buffer | Keyring) =>
  Object.fromEntries(
    ((await environment.store.current())?.catalogue.upstreams ?? []).map(({ name, credentials }) => [
      name,
      unseal(credentials[0]?.sealed ?? '', keys),
    ]),
  );

test('credentials of the catalogue and of drafts come under the new key, once', async () => {
  const drafts = new DraftStore(environment.database);
  await environment.store.publish([put('old', former, 'one'), put('new', next, 'two')], by);
  await drafts.write('later', { reason: 'later', changesOn: () => [put('third', former, 'three')] }, by);

  const first = await resealEverything(environment.store, [next, former], by);
  expect(first).toMatchObject({ changed: true, upstreams: ['old'], drafts: ['later'] });
  expect(await secretsUnder(next)).toEqual({ old: 'one', new: 'two' });
  const change = (await drafts.find('later'))?.changes[0];
  const entry = change?.op === 'put' && change.section === 'upstreams' ? change.entry : undefined;
  expect(unseal(entry?.credentials?.[0]?.sealed ?? '', next)).toBe('three');
  expect((await drafts.find('later'))?.revision).toBe(1);

  const second = await resealEverything(environment.store, [next], by);
  expect(second).toEqual({ version: first.version, changed: false, upstreams: [], drafts: [] });
});

test('a credential that no key opens is named, and nothing is changed', async () => {
  await environment.store.publish([put('lost', randomBytes(32), 'gone'), put('old', former, 'one')], by);
  const before = await environment.store.current();
  await expect(resealEverything(environment.store, [next, former], by)).rejects.toMatchObject({
    status: 409,
  });
  expect((await environment.store.current())?.version).toBe(before?.version);
});
