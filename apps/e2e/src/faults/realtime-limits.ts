import { openRealtime, type RealtimeClient, say } from '../realtime/realtime-client.ts';
import { MODELS } from '../realtime/realtime-tests.ts';
import type { TestStack } from '../shared-stack.ts';
import { makeTaskModels } from '../tasks/task-models.ts';

/** Of one key, for what comes in large. */
const KEY_MEMORY_BYTES = 2 * 1024 * 1024;

/** What the gateway of these tests is told beside what WebSockets may. */
export const MEMORY_SETTINGS = { KEY_BODY_MEMORY_BYTES: String(KEY_MEMORY_BYTES) };

/**
 * Age, silence and memory of Realtime sessions, on a gateway whose WebSockets may be silent for six seconds and ten seconds
 * old.
 */
export function realtimeLimitTests(findStack: () => TestStack): void {
  let at: TestStack;
  let made: Awaited<ReturnType<typeof makeTaskModels<keyof typeof MODELS>>>;
  const sessions: RealtimeClient[] = [];
  beforeAll(async () => {
    at = findStack();
    made = await makeTaskModels(at, at.simulatorUrl, MODELS);
  }, 60_000);
  afterAll(() => sessions.forEach(({ socket }) => socket.terminate()));

  async function open(script: object = {}): Promise<RealtimeClient> {
    const whom = { key: made.key, model: made.names.voice };
    const session = await openRealtime(at.baseUrl, whom, {
      headers: { 'x-sim-script': JSON.stringify(script) },
    });
    sessions.push(session);
    return session;
  }
  const beginResponse = ({ send }: RealtimeClient) => {
    send(say('Hello'));
    send({ type: 'response.create', response: { output_modalities: ['text'] } });
  };

  test('a session that is silent is closed, and told so', async () => {
    const session = await open();
    expect(await session.closed).toBe(1001);
    expect(session.events.at(-1)?.error?.message).toContain('Nothing came over this session');
  }, 20_000);

  test('one that is old is closed once its response has ended, and begins no other', async () => {
    const session = await open({ words: 18, chunk_delay_ms: 700 });
    beginResponse(session);
    await session.next('response.created');
    expect(await session.closed).toBe(1001);
    const types = session.events.map(({ type }) => type);
    expect(session.events.find(({ type }) => type === 'response.done')?.response?.status).toBe('completed');
    expect(types.filter((type) => type === 'response.created')).toHaveLength(1);
    expect(session.events.at(-1)?.error?.message).toContain('as old as it may be');
    expect(types.at(-1)).toBe('error');
  }, 30_000);

  test('a message that finds no room closes its session with 1013, and is told why; other sessions go on', async () => {
    const [large, small] = [await open(), await open()];
    large.send({ type: 'input_audio_buffer.append', audio: 'A'.repeat(2 * KEY_MEMORY_BYTES) });
    expect(await large.closed).toBe(1013);
    expect(large.events.at(-1)).toMatchObject({
      type: 'error',
      error: { message: expect.stringContaining(`${KEY_MEMORY_BYTES} bytes that one key may have`) },
    });
    expect((await small.ask('Hello')).response?.status).toBe('completed');
  }, 20_000);
}
