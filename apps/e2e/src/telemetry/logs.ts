import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitFor } from '@tollgate/harness';
import { call, GOOD, STYLES } from '../call.ts';
import { makeKey } from '../shared-stack.ts';
import {
  ask,
  makeOwnPool,
  type OwnSimulator,
  ownName,
  putUpstream,
  requestId,
  startOwnSimulator,
} from '../pools/own-pool.ts';
import { testAdmin } from '../test-stack.ts';
import { openOwnStack, type OwnStack } from './own-stack.ts';
import { requireUrl } from './scrape.ts';

let at: OwnStack;
let simulator: OwnSimulator;
beforeAll(async () => {
  [at, simulator] = await Promise.all([openOwnStack(), startOwnSimulator()]);
}, 90_000);
afterAll(async () => {
  await simulator?.close();
  await at?.close();
});

const logs = () => join(at.home, 'logs');
const textOf = (name: string) => readFileSync(join(logs(), name), 'utf8');
const linesOf = (service: string) =>
  textOf(`${service}.log`)
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
const lineOf = (service: string, id: string) =>
  waitFor(
    () => linesOf(service).find((line) => line['request_id'] === id),
    `a line of ${service} about ${id}`,
  );

test('with LOG_LEVEL=debug a request is a line with its id, and what became of it', async () => {
  const headers = { authorization: `Bearer ${at.apiKey}` };
  const answer = await call(`${at.baseUrl}${GOOD.chat.path}`, { headers, body: GOOD.chat.body });
  expect(await lineOf('gateway', requestId(answer))).toMatchObject({
    service: 'gateway',
    protocol: 'openai-chat',
    status: 200,
    outcome: 'completed',
  });
  const refused = await call(`${at.baseUrl}${GOOD.chat.path}`, { body: GOOD.chat.body });
  expect(await lineOf('gateway', requestId(refused))).toMatchObject({
    status: 401,
    outcome: 'refused',
    error: 'missing_key',
  });
});

test('every line of every service is an object with time, level, service and message', () => {
  for (const service of ['gateway', 'billing', 'pricing']) {
    const lines = linesOf(service);
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) {
      expect(line).toMatchObject({ level: expect.any(Number), service, msg: expect.any(String) });
      expect(Date.parse(String(line['time']))).toBeGreaterThan(0);
    }
  }
});

test('no secret of a request reaches a log of any service, at any level, whether it is answered or not', async () => {
  const secrets = {
    key: (await makeKey(at)).key,
    wrongKey: `sk-${'Wr0ngKeyOfSomebody'.padEnd(48, 'x')}`,
    noKey: 'not-a-key-but-secret-all-the-same',
    upstream: 'sk-upstream-secret-c0ffee',
    refusedUpstream: 'sk-upstream-refused-c0ffee',
    cookie: 'cookie-of-a-browser-c0ffee',
    password: 'password-that-is-wrong-c0ffee',
    prompt: 'prompt-of-a-customer-c0ffee',
  };
  const sent = [secrets.key, secrets.wrongKey, secrets.noKey];
  for (const style of STYLES) {
    const { path, body } = GOOD[style];
    const url = `${at.baseUrl}${path}`;
    for (const key of sent) {
      await call(url, { headers: { authorization: `Bearer ${key}`, cookie: `a=${secrets.cookie}` }, body });
      await call(url, { headers: { 'x-api-key': key }, body });
      await call(url, { headers: { 'x-goog-api-key': key }, body });
      await call(`${url}${url.includes('?') ? '&' : '?'}key=${key}`, { body });
    }
    await call(url, {
      headers: { authorization: `Bearer ${secrets.key}` },
      body: `{"broken": "${secrets.prompt}`,
    });
  }
  for (const secret of [secrets.upstream, secrets.refusedUpstream]) {
    const upstream = ownName('upstream');
    await putUpstream(at, upstream, simulator.url, [], { credentials: [{ name: 'main', secret }] });
    if (secret === secrets.refusedUpstream) await simulator.script({ status: 401 }, { credential: secret });
    const own = await makeOwnPool(at, { members: [{ upstream }] });
    await ask(at.baseUrl, own, { body: { messages: [{ role: 'user', content: secrets.prompt }] } });
  }
  const signIn = { email: testAdmin.email, password: secrets.password };
  await call(`${at.baseUrl}/api/auth/login`, { body: signIn });
  await call(`${at.baseUrl}/api/keys`, { headers: { cookie: `session=${secrets.cookie}` } });
  for (const service of ['billing', 'pricing'])
    await call(`${requireUrl(at.stack, service)}/nowhere?key=${secrets.key}`, {
      headers: { authorization: secrets.key, cookie: secrets.cookie },
    });

  // The log of what came last is there: then that of all before it is too.
  await waitFor(
    () => textOf('gateway.log').includes('refused a credential'),
    'the alert about the credential',
  );
  const own = { session: at.cookie.split('=').at(-1) ?? '', admin: testAdmin.password, key: at.apiKey };
  const files = readdirSync(logs());
  expect(files).toEqual(expect.arrayContaining(['gateway.log', 'billing.log', 'pricing.log']));
  const found = files.flatMap((file) =>
    Object.entries({ ...secrets, ...own })
      .filter(([, secret]) => textOf(file).includes(secret))
      .map(([name]) => `${name} in ${file}`),
  );
  expect(found).toEqual([]);
});
