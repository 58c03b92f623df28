/*
 * Realtime sessions: the official SDKs and clients that ask for what is not served, on the shared stack with a simulated upstream
 * of their own.
 */
import { connect } from 'node:net';
import { waitFor } from '@tollgate/harness';
import OpenAI7 from 'openai';
import { OpenAIRealtimeWS as RealtimeWS7 } from 'openai/realtime/ws';
import OpenAI6 from 'openai-6';
import { OpenAIRealtimeWS as RealtimeWS6 } from 'openai-6/realtime/ws';
import { call } from '../call.ts';
import { sharedStack } from '../shared-stack.ts';
import { makeTaskModels } from '../tasks/task-models.ts';
import { MODELS, type RealtimeTests, startRealtimeTests } from './realtime-tests.ts';

const at = sharedStack();
let tests: RealtimeTests;
beforeAll(async () => {
  tests = await startRealtimeTests(at);
}, 60_000);
afterEach(() => tests.closeSessions());
afterAll(() => tests.end());

describe.each([
  ['openai 7', OpenAI7, RealtimeWS7],
  ['openai 6', OpenAI6 as unknown as typeof OpenAI7, RealtimeWS6 as unknown as typeof RealtimeWS7],
])('the session of %s', (_version, OpenAI, RealtimeWS) => {
  test('calls a tool, goes on with its result, and is told an error', async () => {
    const { hostname, port } = new URL(at.baseUrl);
    const client = new OpenAI({ baseURL: `${at.baseUrl}/v1`, apiKey: tests.made.key });
    // It asks for TLS whatever the address says; this is what would be behind it.
    const options = { createConnection: () => connect(Number(port), hostname) };
    const session = new RealtimeWS({ model: tests.made.names.voice, options }, client);
    const ended: string[] = [];
    const calls: { call_id: string }[] = [];
    const failed = Promise.withResolvers<Error>();
    session.on('error', (error) => failed.resolve(error));
    session.on('response.output_item.done', ({ item }) => {
      if (item.type === 'function_call') calls.push({ call_id: item.call_id ?? '' });
    });
    let text = '';
    session.on('response.output_text.delta', ({ delta }) => (text += delta));
    session.on('response.done', ({ response }) => ended.push(String(response.status)));
    await new Promise<void>((resolve) => void session.once('session.created', () => resolve()));
    const tool = { type: 'function' as const, name: 'get_weather', parameters: { type: 'object' } };
    session.send({
      type: 'session.update',
      session: { type: 'realtime', output_modalities: ['text'], tools: [tool], max_output_tokens: 200 },
    });
    session.send({
      type: 'conversation.item.create',
      item: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Please use tool' }] },
    });
    session.send({ type: 'response.create' });
    await waitFor(() => ended.length === 1, 'the call', 20_000);
    session.send({
      type: 'conversation.item.create',
      item: { type: 'function_call_output', call_id: calls[0]?.call_id ?? '', output: 'Sunny' },
    });
    session.send({ type: 'response.create' });
    await waitFor(() => ended.length === 2, 'the answer', 20_000);
    expect([ended, text]).toEqual([['completed', 'completed'], 'The tool says: Sunny']);
    session.send({ type: 'response.cancel' });
    expect((await failed.promise).message).toContain('no active response');
    session.close();
  });
});

describe('opening', () => {
  const refused = (of: Parameters<RealtimeTests['open']>[0], more?: Parameters<RealtimeTests['open']>[1]) =>
    expect(tests.open(of, more)).rejects;

  test('a key may come in a subprotocol, which is not said again', async () => {
    const session = await tests.open(
      { key: '' },
      { subprotocols: ['realtime', `openai-insecure-api-key.${tests.made.key}`] },
    );
    expect([session.socket.protocol, (await session.ask('Hello')).response?.status]).toEqual([
      'realtime',
      'completed',
    ]);
  });

  test('what is not served is refused by a status before anything opens', async () => {
    await refused({ key: `sk-${'a'.repeat(48)}` }).toThrow('401');
    await refused({ model: 'no-such-model' }).toThrow('400');
    await refused({ model: 'sim-responses' }).toThrow('400');
    await refused({}, { query: '&call_id=rtc_1' }).toThrow('400');
    await refused({}, { query: '&intent=transcription' }).toThrow('400');
    await refused({ script: { status: 500 } }).toThrow('502');
  });

  test.each(['/v1/realtime/calls', '/v1/realtime/client_secrets', '/v1/realtime/sessions'])(
    '%s is no route',
    async (path) => {
      const { status, json } = await call(`${at.baseUrl}${path}`, {
        headers: { authorization: `Bearer ${tests.made.key}` },
        body: {},
      });
      expect([status, json?.['error']?.['message']]).toEqual([404, `Invalid URL (POST ${path})`]);
    },
  );

  test('an upstream that states where its sessions are is asked there, with the query that it states', async () => {
    const paths = { 'openai-responses': { realtime: '/azure/openai/v1/realtime?tenant=north' } };
    const { voice } = MODELS;
    const { key, names } = await makeTaskModels(at, tests.simulator.url, {
      elsewhere: { ...voice, upstream: { ...voice.upstream, paths } },
    });
    const session = await tests.open({ key, model: names.elsewhere });
    expect((await session.ask('Hello')).response?.status).toBe('completed');
    const [opened] = await tests.simulator.requests(names.elsewhere);
    expect(opened?.url).toBe(`/azure/openai/v1/realtime?model=${names.elsewhere}&tenant=north`);
  });

  test('Gemini Live is no route', async () => {
    const live = '/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent';
    const { status, text } = await call(`${at.baseUrl}${live}?key=${tests.made.key}`, {});
    expect([status, text]).toEqual([404, expect.stringContaining(`Invalid URL (GET ${live})`)]);
  });

  test('a conversation is not had with a model for sessions', async () => {
    const { status } = await call(`${at.baseUrl}/v1/chat/completions`, {
      headers: { authorization: `Bearer ${tests.made.key}` },
      body: { model: tests.made.names.voice, messages: [{ role: 'user', content: 'Hello' }] },
    });
    expect(status).toBe(400);
  });
});

describe('what is refused in a session', () => {
  test.each([
    [
      'a stored prompt',
      { type: 'session.update', session: { type: 'realtime', prompt: { id: 'p' } } },
      'prompt',
    ],
    ['a tool of the vendor', { type: 'response.create', response: { tools: [{ type: 'mcp' }] } }, 'tools'],
    ['another model', { type: 'session.update', session: { type: 'realtime', model: 'gpt-4o' } }, 'model'],
    [
      'a transcriber without a price',
      {
        type: 'session.update',
        session: { type: 'realtime', audio: { input: { transcription: { model: 'whisper-1' } } } },
      },
      'whisper-1',
    ],
    ['an event that nobody knows', { type: 'response.steal' }, 'type'],
    [
      'what the vendor refuses',
      { type: 'session.update', session: { type: 'realtime', mood: 'good' } },
      'mood',
    ],
  ])('%s, by an error that names the event, and the session goes on', async (_what, event, words) => {
    const session = await tests.open();
    session.send({ ...event, event_id: 'mine' });
    expect((await session.next('error')).error).toMatchObject({
      event_id: 'mine',
      message: expect.stringContaining(words),
    });
    expect((await session.ask('Hello')).response?.status).toBe('completed');
  });
});

test('a session that sends far more than sound is slowed down, and others are not', async () => {
  const [flood, calm] = [await tests.open(), await tests.open()];
  const types = () => flood.events.map(({ type }) => type);
  const sentAt = performance.now();
  for (let n = 0; n < 6_000; n += 1) flood.send({ type: 'input_audio_buffer.clear' });
  const others = Array.from({ length: 5 }, async () => (await calm.ask('Hello')).response?.status);
  const served = () => types().filter((type) => type === 'input_audio_buffer.cleared').length;
  const passedS = () => (performance.now() - sentAt) / 1_000;
  await waitFor(() => served() >= 500 && passedS() > 0.95, 'the first of them', 60_000, 1);
  // Each second that was begun holds a thousand of them, and those that are held back come 20 ms apart.
  expect(served()).toBeLessThan(1_050 * (Math.floor(passedS()) + 2));
  expect(await Promise.all(others)).toEqual(Array(5).fill('completed'));
  expect(types()).not.toContain('error');
  expect(flood.socket.readyState).toBe(flood.socket.OPEN);
});
