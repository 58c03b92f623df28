import { AzureOpenAI, OpenAI } from 'openai';
import { type RunningSimulator, startSimulator } from '../simulator.ts';
import { appSecret } from './azure-identity.ts';

let simulator: RunningSimulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());
afterEach(() => fetch(`${simulator.url}/__sim/clouds`, { method: 'DELETE' }));

const messages = [{ role: 'user' as const, content: 'Hi' }];
const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(simulator.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

async function entraToken(client_id = 'app', scope = 'https://cognitiveservices.azure.com/.default') {
  const form = { client_id, client_secret: appSecret(client_id), scope, grant_type: 'client_credentials' };
  const answer = await fetch(`${simulator.url}/tenant/oauth2/v2.0/token`, {
    method: 'POST',
    body: new URLSearchParams(form),
  });
  expect(answer.status).toBe(200);
  const { access_token } = (await answer.json()) as { access_token: string };
  return access_token;
}

const azure = (more: object) =>
  new AzureOpenAI({
    endpoint: `${simulator.url}/azure`,
    apiVersion: '2024-10-21',
    maxRetries: 0,
    ...more,
  });

describe('OpenAI’s own Azure client', () => {
  test.each([
    ['a key', () => ({ apiKey: 'azkey-1' })],
    ['a token', () => ({ azureADTokenProvider: () => entraToken() })],
  ])('is answered with %s, whole and as a stream', async (_what, credential) => {
    const client = azure({ ...credential(), deployment: 'gpt-4o' });
    const whole = await client.chat.completions.create({ model: 'ignored', messages });
    expect(whole.model).toBe('gpt-4o');
    expect(whole.choices[0]?.message.content).toBeTruthy();
    let text = '';
    for await (const chunk of await client.chat.completions.create({
      model: 'gpt-4o',
      messages,
      stream: true,
    }))
      text += chunk.choices[0]?.delta?.content ?? '';
    expect(text).toBe(whole.choices[0]?.message.content);
  });

  test('is refused a wrong key, a version that is none, and what the filter finds', async () => {
    const ask = (more: object, content = 'Hi') =>
      azure({ apiKey: 'azkey-1', ...more }).chat.completions.create({
        model: 'gpt-4o',
        messages: [{ role: 'user', content }],
      });
    await expect(ask({ apiKey: 'other' })).rejects.toMatchObject({ status: 401 });
    await expect(ask({ apiVersion: 'v1' })).rejects.toMatchObject({ status: 400 });
    await expect(ask({}, 'a [[content filter]]')).rejects.toMatchObject({
      status: 400,
      code: 'content_filter',
      param: 'prompt',
    });
  });
});

test('the v1 door takes OpenAI’s plain client, its key as a bearer', async () => {
  const client = new OpenAI({
    baseURL: `${simulator.url}/azure/openai/v1`,
    apiKey: 'azkey-1',
    maxRetries: 0,
  });
  const answer = await client.responses.create({ model: 'gpt-4o', input: 'Hi' });
  expect(answer.output_text).toBeTruthy();
  const wrong = new OpenAI({ baseURL: `${simulator.url}/azure/openai/v1`, apiKey: 'sk-1', maxRetries: 0 });
  await expect(wrong.models.list()).rejects.toMatchObject({ status: 401 });
});

test('a classic address without a version is none', async () => {
  const path = '/azure/openai/deployments/gpt-4o/chat/completions';
  expect((await post(path, { messages }, { 'api-key': 'azkey-1' })).status).toBe(404);
});

test('a token for somebody else, or one that has ended, is refused', async () => {
  const ask = async (token: string) =>
    (
      await post(
        '/azure/openai/v1/chat/completions',
        { model: 'gpt-4o', messages },
        { authorization: `Bearer ${token}` },
      )
    ).status;
  expect(await ask(await entraToken('app', 'https://graph.example/.default'))).toBe(401);
  await fetch(`${simulator.url}/__sim/clouds`, { method: 'PUT', body: '{"token_ttl_s":60}' });
  const token = await entraToken();
  expect(await ask(token)).toBe(200);
  await fetch(`${simulator.url}/__sim/clouds`, { method: 'PUT', body: '{"skew_s":61}' });
  expect(await ask(token)).toBe(401);
  await fetch(`${simulator.url}/__sim/clouds`, { method: 'PUT', body: '{"refuse_next":1}' });
  expect([await ask(token), await ask(token)]).toEqual([401, 200]);
});

test('an app whose secret is another gets no token', async () => {
  const form = {
    client_id: 'a',
    client_secret: 'b',
    scope: 'https://x/.default',
    grant_type: 'client_credentials',
  };
  const body = new URLSearchParams(form);
  const answer = await fetch(`${simulator.url}/t/oauth2/v2.0/token`, { method: 'POST', body });
  expect(answer.status).toBe(401);
  expect(await answer.text()).toContain('AADSTS7000215');
});

test.each(['x-api-key', 'bearer'])('Anthropic on Foundry is answered with %s', async (kind) => {
  const proof: Record<string, string> =
    kind === 'bearer'
      ? { authorization: `Bearer ${await entraToken('app', 'https://ai.azure.com/.default')}` }
      : { 'x-api-key': 'azkey-1' };
  const headers = { 'anthropic-version': '2023-06-01', ...proof };
  const body = { model: 'claude-sonnet-4-5', max_tokens: 64, messages };
  expect((await post('/azure/anthropic/v1/messages', body, headers)).status).toBe(200);
});

test.each([
  ['/computeMetadata/v1/instance/service-accounts/default/token', { 'metadata-flavor': 'Google' }],
  [
    '/metadata/identity/oauth2/token?api-version=2018-02-01&resource=https://ai.azure.com',
    { metadata: 'true' },
  ],
])('the metadata server at %s answers only who says what it is', async (path, headers) => {
  expect((await fetch(simulator.url + path)).ok).toBe(false);
  expect((await fetch(simulator.url + path, { headers })).status).toBe(200);
});

test('no metadata server of AWS gives keys without a session', async () => {
  const path = '/latest/meta-data/iam/security-credentials/instance';
  expect((await fetch(simulator.url + path)).status).toBe(401);
});
