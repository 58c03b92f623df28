import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, type RunningStack, waitFor } from '@tollgate/harness';
import { parse, stringify } from 'yaml';
import { type Books, openBooks } from '../books.ts';
import { admin, type TestStack, sharedStack, signIn } from '../shared-stack.ts';
import { ask, makeOwnPool, ownName, putUpstream, requestId } from '../pools/own-pool.ts';
import { startTestStack, testAdmin } from '../test-stack.ts';
import { type Ended, runProgram, tollgate } from './tollgate.ts';

// A file is the whole of a catalogue: what other tests put into theirs would be removed.
let directory: string;
let stack: RunningStack;
let at: TestStack;
let books: Books;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'tollgate-cli-'));
  stack = await startTestStack({ home: directory, port: await freePort() });
  const { baseUrl, gatewayUrls, simulatorUrl, databaseUrl } = stack;
  const cookie = await signIn(baseUrl, testAdmin);
  at = { ...sharedStack(), baseUrl, gatewayUrls, simulatorUrl, databaseUrl, cookie };
  books = openBooks(databaseUrl);
});
afterAll(async () => {
  await books.close();
  await stack.stop();
});

const toEnv = (env = {}) => ({ TOLLGATE_URL: at.baseUrl, TOLLGATE_SESSION: at.cookie, ...env });

interface File {
  models: { name: string; prices: Record<string, number> }[];
  upstreams: { name: string; credentials: { name: string; secret_env?: string }[] }[];
  pools: { name: string }[];
}

const pull = async (): Promise<string> => {
  const { exit, out } = await tollgate(['catalogue', 'pull'], { env: toEnv() });
  expect(exit).toBe(0);
  return out;
};
const version = async () => (await admin(at, 'GET', '/api/catalogue')).version;
const asText = (file: string | object): string => (typeof file === 'string' ? file : stringify(file));
function run(command: string, file: string | object, more: readonly string[] = [], env = {}): Promise<Ended> {
  const path = join(directory, 'catalogue.yaml');
  writeFileSync(path, asText(file));
  return tollgate(['catalogue', command, '-f', path, ...more], { env: toEnv(env) });
}
const planFromInput = (file: string | object): Promise<Ended> =>
  runProgram(['catalogue', 'plan', '-f', '-'], { input: asText(file), env: toEnv() });

test('what is pulled says what holds: there is nothing to plan or to apply, and no secret in it', async () => {
  const text = await pull();
  expect(text).not.toMatch(/sealed|simulator-credential/);
  const before = await version();
  expect(await run('plan', text)).toMatchObject({ exit: 0, out: expect.stringContaining('Nothing to do') });
  expect(await run('apply', text, ['--yes'])).toMatchObject({ exit: 0 });
  expect(await version()).toBe(before);
});

test('a price that is changed in the file is shown by plan, and charged after apply', async () => {
  const { model, key } = await makeOwnPool(at, {
    members: [{ upstream: await putUpstream(at, ownName('cli'), at.simulatorUrl, ['one']) }],
  });
  const file = parse(await pull()) as File;
  const entry = file.models.find(({ name }) => name === model);
  if (!entry) throw new Error('the model is not in the file');
  expect(entry.prices).toEqual({ input: 1_000_000, output: 2_000_000 });
  entry.prices['input'] = 5_000_000;

  const before = await version();
  const planned = await planFromInput({ models: file.models });
  expect(planned).toMatchObject({ exit: 2, err: '' });
  expect(planned.out).toContain(`~ models ${model}`);
  expect(planned.out).toContain('/prices/input: 1000000 -> 5000000');
  expect(planned.out).toContain('Plan: 0 to add, 1 to change, 0 to remove.');
  expect(await version()).toBe(before);

  const unsaid = await run('apply', { models: file.models });
  expect(unsaid).toMatchObject({ exit: 1, err: expect.stringContaining('--yes') });
  expect(await version()).toBe(before);

  const applied = await run('apply', { models: file.models }, [
    '--yes',
    '--json',
    '--reason',
    'the new contract',
  ]);
  expect(applied.exit).toBe(0);
  const published = (JSON.parse(applied.out) as { version: number }).version;
  const row = await waitFor(async () => {
    const found = await books.usage(requestId(await ask(at.baseUrl, { key, model })));
    return found.snapshot_version >= published ? found : undefined;
  }, 'a request under the new price');
  expect(row.cost_pico).toBe(String(1 * 5_000_000 + 2 * 1_000_000 + 1_000_000 * 2));
});

test('entries come and go with the file, pools take its order, and a new credential its secret from the environment', async () => {
  const name = ownName('filed');
  const before = parse(await pull()) as File;
  const file = structuredClone(before) as unknown as Record<string, Record<string, unknown>[]>;
  file['models']?.push({ name, vendor: 'openai', prices: { input: 1, output: 2 } });
  file['upstreams']?.push({
    name,
    base_url: at.simulatorUrl,
    protocols: ['openai-chat'],
    allow_private_addresses: true,
    credentials: [{ name: 'a', secret_env: 'SECRET_OF_A' }],
  });
  file['pools']?.unshift({ name, groups: ['*'], models: [name], members: [{ upstream: name }] });

  const without = await run('apply', file, ['--yes']);
  expect(without).toMatchObject({ exit: 1, err: expect.stringContaining('SECRET_OF_A is not set') });

  const env = { SECRET_OF_A: 'nobody-may-see-this' };
  const applied = await run('apply', file, ['--yes'], env);
  expect(applied).toMatchObject({ exit: 0, out: expect.stringMatching(/^Published as version \d+\.\n$/) });
  expect(applied.err + applied.out).not.toContain('nobody-may-see-this');
  const after = parse(await pull()) as File;
  expect(after.pools[0]?.name).toBe(name);
  expect(after.pools.slice(1)).toEqual(before.pools);
  const made = after.upstreams.find((upstream) => upstream.name === name);
  expect(made?.credentials).toEqual([
    { name: 'a', secret_env: expect.stringMatching(/^TOLLGATE_SECRET_FILED_/) },
  ]);
  expect(await run('plan', file)).toMatchObject({ exit: 0 });

  expect(await run('apply', before, ['--yes'])).toMatchObject({ exit: 0 });
  expect(await pull()).toBe(stringifyLike(before, await pull()));
});

/** The text that was pulled, once it is known to say what a file says. */
function stringifyLike(file: File, text: string): string {
  expect(parse(text)).toEqual(file);
  return text;
}

test('a file with a fault is refused with its line, and what cannot be meant in the words of the API', async () => {
  const unknown = await planFromInput(
    'models:\n  - name: a\n    vendor: b\n    price: 1\n    prices: { input: x, output: 1 }\n',
  );
  expect(unknown.exit).toBe(1);
  expect(unknown.err).toMatch(
    /^-:4:5: models\.0\.price: there is no such field\n-:5:\d+: models\.0\.prices\.input: /,
  );
  const unread = await planFromInput('models: [\n  {\n');
  expect(unread).toMatchObject({ exit: 1, err: expect.stringMatching(/^-:\d+:\d+: /) });

  const drafts = async () => (await admin(at, 'GET', '/api/catalogue/drafts?status=open')).items;
  const [before, left] = [await version(), (await drafts()).length];
  const file = parse(await pull()) as { groups: { models: string[] }[] };
  file.groups[0]?.models.push('no-such-model');
  const refused = await run('apply', { groups: file.groups }, ['--yes']);
  expect(refused).toMatchObject({
    exit: 1,
    err: expect.stringContaining('there is no model "no-such-model"'),
  });
  expect(await version()).toBe(before);
  expect(await drafts()).toHaveLength(left);
});

test('a price file goes into a draft as often as it is read, and into the next one once that is published', async () => {
  const priced = ownName('priced');
  const prices = { input: 2_000_000, output: 8_000_000 };
  await admin(at, 'PUT', `/api/catalogue/models/${priced}`, { vendor: 'openai', prices });
  const file = join(mkdtempSync(join(tmpdir(), 'tollgate-feed-')), 'prices.json');
  const feed = async (input: string, ...more: string[]) => {
    writeFileSync(file, `{"${priced}":{"input_cost_per_token":${input},"output_cost_per_token":8e-06}}`);
    return tollgate(['prices', 'feed', file, ...more], { env: toEnv() });
  };
  const draftOf = ({ out }: { readonly out: string }) => /The draft (\S+) holds them/.exec(out)?.[1] ?? '';
  const first = await feed('3e-06');
  expect(first).toMatchObject({ exit: 0, err: expect.stringContaining('1 models would change') });
  const again = await feed('4e-06');
  expect([again.exit, draftOf(again)]).toEqual([0, draftOf(first)]);
  const { changes, status } = await admin(at, 'GET', `/api/catalogue/drafts/${draftOf(first)}`);
  expect(status).toBe('open');
  expect(changes).toMatchObject([
    { entry: { name: priced, prices: { input: 4_000_000 }, price_source: { date: expect.any(String) } } },
  ]);
  await admin(at, 'POST', `/api/catalogue/drafts/${draftOf(first)}/publish`, {});
  const later = await feed('5e-06');
  expect([later.exit, draftOf(later)]).toEqual([0, `${draftOf(first)}-2`]);
  expect(await feed('6e-06', '--draft', draftOf(first))).toMatchObject({
    exit: 1,
    err: expect.stringContaining('is published'),
  });
});
