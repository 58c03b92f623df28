import { waitFor } from '@tollgate/harness';
import { makeTaskModels } from '../tasks/task-models.ts';
import { openBooks, type Books } from '../books.ts';
import { call } from '../call.ts';
import { MODELS } from '../realtime/realtime-tests.ts';
import { openRealtime, say } from '../realtime/realtime-client.ts';
import type { FaultStack } from './fault-stack.ts';

let stack: FaultStack;
let url: string;
let books: Books;
let made: Awaited<ReturnType<typeof makeTaskModels<keyof typeof MODELS>>>;
const gateway = () => stack.service('gateway-2');
const isReady = () =>
  waitFor(
    () =>
      call(`${url}/readyz`).then(
        ({ status }) => status === 200,
        () => false,
      ),
    'the gateway',
    30_000,
  );
const open = (script: object = {}) =>
  openRealtime(
    url,
    { key: made.key, model: made.names.voice },
    { headers: { 'x-sim-script': JSON.stringify(script) } },
  );
const countRows = async () => {
  const sql = 'SELECT count(*)::int AS rows FROM billing.usage WHERE model = $1';
  return Number((await books.one(sql, [made.names.voice]))['rows']);
};

/** Realtime sessions whose gateway is asked to stop, or killed. */
export function realtimeTests(findStack: () => FaultStack): void {
  beforeAll(async () => {
    stack = findStack();
    url = stack.gatewayUrls[1] ?? '';
    books = openBooks(stack.databaseUrl);
    await isReady();
    made = await makeTaskModels(stack, stack.simulatorUrl, MODELS);
  }, 60_000);
  afterAll(() => books.close());

  test('a gateway that is asked to stop ends what is under way, and sends its clients away with 1012', async () => {
    const before = await countRows();
    const [idle, busy] = [await open(), await open({ words: 20, chunk_delay_ms: 100 })];
    busy.send(say('Hello'));
    busy.send({ type: 'response.create', response: { output_modalities: ['text'] } });
    await busy.next('response.created');
    const stopped = gateway().stop(30_000);
    expect([await idle.closed, await busy.closed]).toEqual([1012, 1012]);
    expect(busy.events.find(({ type }) => type === 'response.done')?.response).toMatchObject({
      status: 'completed',
    });
    await stopped;
    gateway().start();
    await isReady();
    await waitFor(async () => (await countRows()) === before + 1, 'the row', 20_000, 100);
  }, 60_000);

  test('a gateway that is killed in the middle of a session: every response that was ended is in the books, and once', async () => {
    const before = await countRows();
    const session = await open({ words: 5, chunk_delay_ms: 40 });
    for (const text of ['one', 'two', 'three'])
      expect((await session.ask(text)).response).toMatchObject({ status: 'completed' });
    session.send(say('four'));
    session.send({ type: 'response.create', response: { output_modalities: ['text'] } });
    await session.next('response.output_text.delta');
    gateway().kill();
    expect(await session.closed).toBe(1006);
    await isReady();
    await waitFor(async () => (await countRows()) >= before + 3, 'the rows', 20_000, 100);
    // The next one goes through the same spool, queue and books.
    expect((await (await open()).ask('again')).response).toMatchObject({ status: 'completed' });
    await waitFor(async () => (await countRows()) >= before + 4, 'the row after them', 20_000, 100);
    expect(await countRows()).toBe(before + 4);
  }, 60_000);
}
