/*
 * Forms with files whose client, upstream or gateway fails: on a stack of its own, which gives other requests two seconds, with a
 * vendor that behaves as its path says. Nothing may be billed or left on the disk of what did not come whole.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { request as httpRequest, type ClientRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, type RunningStack, waitFor } from '@tollgate/harness';
import { makeLongTermSecret, verifySignature } from '@tollgate/simulator/clouds';
import { type Books, openBooks } from '../books.ts';
import { call } from '../call.ts';
import { openAccount, readBalance } from '../credit/customers.ts';
import { makeOwnPool, ownName, putUpstream } from '../pools/own-pool.ts';
import { signIn, type TestStack } from '../shared-stack.ts';
import { startTestStack, testAdmin } from '../test-stack.ts';
import { readFile, sha256, startUploadVendor } from './upload-vendor.ts';

const home = mkdtempSync(join(tmpdir(), 'tollgate-uploads-'));
const directory = join(home, 'uploads');
let stack: RunningStack;
let at: TestStack;
let books: Books;
let vendor: Awaited<ReturnType<typeof startUploadVendor>>;

beforeAll(async () => {
  vendor = await startUploadVendor();
  stack = await startTestStack({
    home,
    port: await freePort(),
    env: async (service): Promise<Record<string, string>> =>
      service === 'gateway'
        ? { UPLOAD_DIR: directory, REQUEST_TIMEOUT_S: '5', UPLOAD_LIMITS: 'translate=100000' }
        : {},
  });
  at = { ...stack, home, cookie: await signIn(stack.baseUrl, testAdmin) };
  books = openBooks(stack.databaseUrl);
}, 60_000);
beforeEach(() => {
  vendor.arrived.length = 0;
  vendor.asked.length = 0;
});
afterEach(() => waitFor(() => listLeft().length === 0, 'an empty disk', 10_000, 20));
afterAll(async () => {
  await books?.close();
  await stack?.stop();
  vendor?.close();
  rmSync(home, { recursive: true, force: true });
});

/** Files of forms that have a name, or are open without one. */
function listLeft(): string[] {
  const open = `/proc/${stack.services.get('gateway')?.process.pid()}/fd`;
  const links = existsSync(open)
    ? readdirSync(open).flatMap((name) => {
        try {
          return readlinkSync(join(open, name));
        } catch {
          return [];
        }
      })
    : [];
  return [...readdirSync(directory), ...links.filter((target) => target.startsWith(directory))];
}

interface Customer {
  readonly accountId: string;
  readonly key: string;
  readonly model: string;
}
const GRANT = 100_000_000_000_000n;

/** Somebody with 100 USD, and a model that is asked for of upstreams that behave so, one after the other. */
async function makeCustomer(...conducts: readonly string[]): Promise<Customer> {
  const upstreams = [];
  for (const conduct of conducts)
    upstreams.push(
      await putUpstream(at, ownName(conduct), `${vendor.url}/${conduct}`, [conduct], {
        total_timeout_ms: 30_000,
      }),
    );
  return makeCustomerAt(upstreams);
}

async function makeCustomerAt(upstreams: readonly string[]): Promise<Customer> {
  const { model } = await makeOwnPool(
    at,
    { members: upstreams.map((upstream, priority) => ({ upstream, priority })) },
    {
      named: 'hears',
      model: {
        operations: ['transcribe', 'translate'],
        prices: { input: 0, output: 0 },
        unit_prices: { audio_milliseconds: 100_000 },
        max_output_tokens: null,
      },
    },
  );
  const { accountId, key } = await openAccount(at, { mode: 'prepaid', grant: '100' }, { group: model });
  return { accountId, key, model };
}

const AUDIO = randomBytes(8 * 1024 * 1024);
const partsOf = (model: string) => [
  Buffer.from(`--b\r\nContent-Disposition: form-data; name="model"\r\n\r\n${model}\r\n`),
  Buffer.from('--b\r\nContent-Disposition: form-data; name="file"; filename="a.mp3"\r\n\r\n'),
  AUDIO,
  Buffer.from('\r\n--b--\r\n'),
];

/** A request whose body is still to come. */
function begin({ key }: Customer, length: number, path = 'transcriptions') {
  const request: ClientRequest = httpRequest(`${at.baseUrl}/v1/audio/${path}`, {
    method: 'POST',
    agent: false,
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'multipart/form-data; boundary=b',
      'content-length': length,
    },
  });
  const answered = new Promise<{ status: number; id: string; text: string }>((resolve, reject) => {
    request.on('error', reject);
    request.on('response', (answer) => {
      let text = '';
      answer.on('data', (chunk: Buffer) => (text += chunk.toString()));
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, id: String(answer.headers['x-request-id']), text }),
      );
    });
  });
  answered.catch(() => {});
  return { request, answered };
}

async function upload(customer: Customer) {
  const whole = Buffer.concat(partsOf(customer.model));
  const { request, answered } = begin(customer, whole.length);
  request.end(whole);
  return answered;
}

const countRows = async ({ accountId }: Customer) =>
  Number(
    (await books.one('SELECT count(*)::int AS rows FROM billing.usage WHERE account_id = $1', [accountId]))[
      'rows'
    ],
  );

/** Nothing was charged, and nothing is held: all of the credit can be spent. */
async function expectUnbilled(customer: Customer): Promise<void> {
  await sleep(500);
  expect(await countRows(customer)).toBe(0);
  expect(await readBalance(books, customer.accountId)).toBe(GRANT);
}

test.each([
  ['before it was read', 'refuses-before'],
  ['after all of it was read', 'refuses-after'],
  ['by breaking off in the middle', 'breaks'],
])(
  'a form that its first upstream refuses %s is sent whole to the next, and charged once',
  async (_when, conduct) => {
    const customer = await makeCustomer(conduct, 'takes');
    const { status, id, text } = await upload(customer);
    expect([status, JSON.parse(text)]).toMatchObject([200, { text: 'Hello' }]);
    expect(vendor.asked).toEqual([conduct, 'takes']);
    const [arrived] = vendor.arrived;
    expect(arrived && sha256(await readFile(arrived))).toBe(sha256(AUDIO));
    expect(await books.usage(id)).toMatchObject({ cost_pico: '100000000', units_audio_milliseconds: '1000' });
    expect(await countRows(customer)).toBe(1);
  },
);

test('an upstream that finds a form too large before it has read it is believed, and nobody else is asked', async () => {
  const customer = await makeCustomer('finds-too-large', 'takes');
  const { status } = await upload(customer);
  expect(status).toBe(413);
  expect(vendor.asked).toEqual(['finds-too-large']);
  await expectUnbilled(customer);
});

test('an upstream that answers before it has read a form is charged for its answer', async () => {
  const customer = await makeCustomer('answers-before');
  const { status, id } = await upload(customer);
  expect(status).toBe(200);
  expect(await books.usage(id)).toMatchObject({ cost_pico: '100000000' });
});

test('a client that breaks off in the middle is not billed, and nobody is asked', async () => {
  const customer = await makeCustomer('takes');
  const parts = partsOf(customer.model);
  const { request } = begin(customer, Buffer.concat(parts).length);
  for (const part of parts.slice(0, 2)) request.write(part);
  request.write(AUDIO.subarray(0, AUDIO.length / 2));
  await waitFor(() => listLeft().length > 0, 'the beginning on disk', 10_000, 10);
  request.destroy();
  await waitFor(() => listLeft().length === 0, 'an empty disk', 10_000, 10);
  expect(vendor.asked).toEqual([]);
  await expectUnbilled(customer);
  expect((await upload(customer)).status).toBe(200);
});

test('a form that is slow and goes on has more time than other requests', async () => {
  const customer = await makeCustomer('takes');
  const parts = partsOf(customer.model);
  const { request, answered } = begin(customer, Buffer.concat(parts).length);
  for (const part of parts.slice(0, 2)) request.write(part);
  const piece = AUDIO.length / 16;
  for (let at = 0; at < AUDIO.length; at += piece) {
    request.write(AUDIO.subarray(at, at + piece));
    await sleep(500);
  }
  request.end(parts[3]);
  expect((await answered).status).toBe(200);
  expect(vendor.arrived[0] && sha256(await readFile(vendor.arrived[0]))).toBe(sha256(AUDIO));
});

test('an operation has a limit of its own', async () => {
  const customer = await makeCustomer('takes');
  const { request, answered } = begin(customer, 100_001, 'translations');
  request.flushHeaders();
  const { status, text } = await answered;
  expect([status, text]).toEqual([413, expect.stringContaining('larger than the 100000 bytes')]);
  request.destroy();
  expect((await upload(customer)).status).toBe(200);
});

test('a form to an upstream of AWS is signed as it leaves', async () => {
  const [id, secret] = ['AKIASIMUPLOADS', makeLongTermSecret('AKIASIMUPLOADS')];
  const name = await putUpstream(at, ownName('aws'), `${vendor.url}/takes`, [], {
    auth: { kind: 'aws', region: 'eu-central-1' },
    credentials: [{ name: 'key', secret: JSON.stringify({ access_key_id: id, secret_access_key: secret }) }],
  });
  const customer = await makeCustomerAt([name]);
  expect((await upload(customer)).status).toBe(200);
  const [arrived] = vendor.arrived;
  const verified =
    arrived &&
    verifySignature(
      { ...arrived, body: arrived.bytes },
      { services: ['bedrock'], findKey: () => ({ id, secret }), now: Date.now() },
    );
  expect(verified).toMatchObject({ ok: true, region: 'eu-central-1' });
});

test('a gateway that is killed in the middle of a form leaves nothing of it', async () => {
  const customer = await makeCustomer('takes');
  const { request, answered } = begin(customer, AUDIO.length);
  for (const part of partsOf(customer.model).slice(0, 2)) request.write(part);
  request.write(AUDIO.subarray(0, AUDIO.length / 2));
  await waitFor(() => listLeft().length > 0, 'the beginning on disk', 10_000, 10);
  stack.services.get('gateway')?.process.kill();
  await expect(answered).rejects.toThrow();
  await waitFor(
    () =>
      call(`${at.baseUrl}/readyz`).then(
        ({ status }) => status === 200,
        () => false,
      ),
    'the gateway',
    30_000,
  );
  expect(listLeft()).toEqual([]);
  expect(vendor.asked).toEqual([]);
  await expectUnbilled(customer);
  expect((await upload(customer)).status).toBe(200);
}, 60_000);
