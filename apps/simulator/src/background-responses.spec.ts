import { setTimeout as sleep } from 'node:timers/promises';
import { type RunningSimulator, startSimulator } from './simulator.ts';

let simulator: RunningSimulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());

interface Said {
  readonly id: string;
  readonly status: string;
  readonly background: boolean;
  readonly usage: { readonly output_tokens: number } | null;
}

const ask = (method: string, path: string, body?: object, credential = 'ours') =>
  fetch(`${simulator.url}/v1/responses${path}`, {
    method,
    headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
const say = async (...of: Parameters<typeof ask>) => (await (await ask(...of)).json()) as Said;
const begin = (background_ms: number, of: object = {}) =>
  say('POST', '', {
    model: 'm',
    background: true,
    input: `[[sim ${JSON.stringify({ background_ms, words: 20 })}]] Hello`,
    ...of,
  });
/** What is said of a job once it has come so far. */
async function sayWhen(status: string, id: string): Promise<Said> {
  for (;;) {
    const said = await say('GET', `/${id}`);
    if (said.status === status) return said;
    await sleep(50);
  }
}
const served = async () => (await (await fetch(`${simulator.url}/__sim/served`)).json()) as object[];

test('goes on after its request, is served once, and is there for its credential alone', async () => {
  const before = (await served()).length;
  const long = await begin(5_000);
  expect(long).toMatchObject({ status: 'queued', background: true, usage: null });
  const job = await begin(500);
  expect(job.id).not.toBe(long.id);
  expect(await sayWhen('completed', job.id)).toMatchObject({ usage: { output_tokens: 20 } });
  expect(await sayWhen('in_progress', long.id)).toMatchObject({ usage: null });
  expect((await ask('GET', `/${job.id}`, undefined, 'theirs')).status).toBe(404);
  expect((await served()).length).toBe(before + 1);
  expect((await ask('POST', `/${job.id}/cancel`)).status).toBe(400);
  expect(await say('DELETE', `/${job.id}`)).toMatchObject({ deleted: true });
  expect((await ask('GET', `/${job.id}`)).status).toBe(404);
});

test('what is cancelled is charged as far as it was, once', async () => {
  const { id } = await begin(20_000);
  const before = (await served()).length;
  const cancelled = await say('POST', `/${id}/cancel`);
  expect(cancelled.status).toBe('cancelled');
  expect(cancelled.usage?.output_tokens).toBeLessThan(20);
  expect(await say('POST', `/${id}/cancel`)).toEqual(cancelled);
  expect((await served()).length).toBe(before + 1);
});

test('what fails says why, and is charged nothing', async () => {
  const before = (await served()).length;
  const events = await (
    await ask('POST', '', {
      model: 'm',
      background: true,
      stream: true,
      input: '[[sim {"background_ms":100,"background_fails":true}]] one two three',
    })
  ).text();
  expect(events).toContain('response.failed');
  expect(events).not.toContain('response.completed');
  const id = /resp_\w+/.exec(events)?.[0] ?? '';
  expect(await say('GET', `/${id}`)).toMatchObject({ status: 'failed', usage: null });
  expect((await served()).length).toBe(before);
});

test('a stream is resumed after an event that was seen; what was begun without one has none', async () => {
  const streamed = await ask('POST', '', {
    model: 'm',
    background: true,
    stream: true,
    input: '[[sim {"background_ms":200}]] one two three',
  });
  const whole = await streamed.text();
  const id = /resp_\w+/.exec(whole)?.[0] ?? '';
  const rest = await (await ask('GET', `/${id}?stream=true&starting_after=3`)).text();
  expect(rest).toContain('"sequence_number":4}');
  expect(rest).not.toContain('"sequence_number":3}');
  expect(whole.endsWith(rest)).toBe(true);
  expect(rest).toContain('response.completed');
  expect(whole.indexOf('response.queued')).toBeLessThan(whole.indexOf('event: response.in_progress'));
  const job = await begin(100);
  expect((await ask('GET', `/${job.id}?stream=true`)).status).toBe(400);
});
