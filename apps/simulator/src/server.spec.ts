import { anthropicMessages, ask, dialects, gemini, geminiArray, openaiChat } from '../testing/dialects.ts';
import type { RecordedRequest } from './recorder.ts';
import { type RunningSimulator, startSimulator } from './simulator.ts';

let simulator: RunningSimulator;

beforeEach(async () => {
  simulator = await startSimulator();
});
afterEach(() => simulator.close());

const control = (method: string, path: string, body?: string) =>
  fetch(`${simulator.url}/__sim/${path}`, { method, ...(body === undefined ? {} : { body }) });
const recorded = async () => (await (await control('GET', 'requests')).json()) as RecordedRequest[];

describe.each([...dialects, geminiArray])('$name', (dialect) => {
  test.each([false, true])(
    'the same request has byte for byte the same answer (stream: %s)',
    async (stream) => {
      const other = await startSimulator();
      const answers = await Promise.all(
        [simulator, simulator, other].map(({ url }) => ask(url, dialect, { text: 'How are you?', stream })),
      );
      await other.close();
      expect(answers[0]?.status).toBe(200);
      expect(answers[0]?.text).toContain('How');
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
      expect((await ask(simulator.url, dialect, { text: 'Another', stream })).text).not.toBe(
        answers[0]?.text,
      );
    },
  );

  test('a request without a credential is refused', async () => {
    const anonymous = { ...dialect, headers: {} };
    const answer = await ask(simulator.url, anonymous);
    expect(answer.status).toBe(401);
    expect(JSON.parse(answer.text)).toMatchObject({ error: { message: 'No credential was sent.' } });
  });

  test.each(['', '{broken', '[]', '"text"', '{}'])('the body %p is refused', async (body) => {
    const answer = await fetch(simulator.url + dialect.path(false), {
      method: 'POST',
      headers: dialect.headers,
      body,
    });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { message: expect.stringMatching(/\w/) as unknown } });
  });
});

test('a default script can be for one model or one credential, and the narrower one holds', async () => {
  await control('PUT', 'script', '{"text":"everybody","words":1}');
  await control('PUT', 'script?model=sim-model', '{"text":"the model"}');
  await control('PUT', 'script?credential=chosen', '{"text":"the credential"}');
  const said = async (credential: string, model: string) => {
    const headers = { authorization: `Bearer ${credential}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Hi' }] });
    const answer = await fetch(`${simulator.url}/v1/chat/completions`, { method: 'POST', headers, body });
    return answer.text();
  };
  expect(await said('other', 'other')).toContain('everybody');
  expect(await said('other', 'sim-model')).toContain('the model');
  expect(await said('chosen', 'sim-model')).toContain('the credential');
  await control('DELETE', 'script');
  expect(await said('chosen', 'sim-model')).not.toContain('the credential');
});

test('the list of models is there for every credential whose script does not refuse it', async () => {
  const list = (headers: Record<string, string>) => fetch(`${simulator.url}/v1/models`, { headers });
  expect((await list({})).status).toBe(401);
  expect((await list({ 'x-api-key': 'a' })).status).toBe(200);
  await control('PUT', 'script?credential=a', '{"status":503}');
  expect((await list({ 'x-api-key': 'a' })).status).toBe(503);
  expect((await list({ authorization: 'Bearer b' })).status).toBe(200);
});

test('Anthropic takes a bearer token too', async () => {
  const headers = { authorization: 'Bearer test', 'anthropic-version': '2023-06-01' };
  const bearer = { ...anthropicMessages, headers };
  expect((await ask(simulator.url, bearer)).status).toBe(200);
});

test('Gemini answers below v1 as below v1beta, and knows no other method', async () => {
  const v1 = { ...gemini, path: (stream: boolean) => gemini.path(stream).replace('v1beta', 'v1') };
  expect((await ask(simulator.url, v1)).text).toBe((await ask(simulator.url, gemini)).text);
  const other = { ...gemini, path: () => '/v1beta/models/sim-model:asyncBatchEmbedContent' };
  expect((await ask(simulator.url, other)).status).toBe(404);
});

test('a path that no provider has is a 404', async () => {
  const answer = await fetch(`${simulator.url}/v1/nothing`);
  expect(answer.status).toBe(404);
  expect(await answer.json()).toMatchObject({ error: { message: 'Invalid URL (GET /v1/nothing)' } });
});

test('is ready at once', async () => {
  expect(await (await fetch(`${simulator.url}/readyz`)).json()).toEqual({ status: 'ok' });
});

describe('the recorder', () => {
  test('keeps each request as it came, in order, until it is cleared', async () => {
    await ask(simulator.url, openaiChat, { text: 'größer', headers: { 'x-trace': 'abc' } });
    await ask(simulator.url, gemini, { stream: true });
    await ask(simulator.url, { ...anthropicMessages, headers: {} });
    const requests = await recorded();
    expect(requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST /v1/chat/completions',
      'POST /v1beta/models/sim-model:streamGenerateContent?alt=sse',
      'POST /v1/messages',
    ]);
    expect(requests[0]?.body).toBe(JSON.stringify(openaiChat.body('größer', false)));
    expect(requests[0]?.headers).toMatchObject({ authorization: 'Bearer test', 'x-trace': 'abc' });

    expect((await control('DELETE', 'requests')).status).toBe(204);
    expect(await recorded()).toEqual([]);
  });

  test('keeps nothing while it is switched off', async () => {
    await ask(simulator.url, openaiChat);
    expect((await control('PUT', 'recording', 'false')).status).toBe(204);
    await ask(simulator.url, openaiChat);
    expect(await recorded()).toEqual([]);
    await control('PUT', 'recording', 'true');
    await ask(simulator.url, openaiChat, { text: 'again' });
    expect(await recorded()).toHaveLength(1);
  });

  test('forgets the oldest when there are many', async () => {
    for (let batch = 0; batch < 11; batch++) {
      await Promise.all(
        Array.from({ length: 100 }, () => ask(simulator.url, openaiChat, { text: `batch ${batch}` })),
      );
    }
    const bodies = (await recorded()).map(({ body }) => body);
    expect(bodies.length).toBeLessThanOrEqual(1_000);
    expect(bodies.length).toBeGreaterThanOrEqual(500);
    expect(bodies.join('')).not.toContain('batch 0');
    expect(bodies.at(-1)).toContain('batch 10');
  });
});

test.each(['{broken', '{"status":200}', '{"unknown":true}', '[]'])(
  'the default script %s is refused and changes nothing',
  async (script) => {
    await control('PUT', 'script', '{"text":"default"}');
    const answer = await control('PUT', 'script', script);
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain('The script cannot be read');
    expect((await ask(simulator.url, openaiChat)).text).toContain('default');
  },
);

test('a simulator takes the port it is given', async () => {
  const { port } = new URL(simulator.url);
  await simulator.close();
  simulator = await startSimulator({ port: Number(port) });
  expect(new URL(simulator.url).port).toBe(port);
  expect((await ask(simulator.url, openaiChat)).status).toBe(200);
});
