/*
 * Warm-ups over the WebSocket of Responses, which no upstream is asked for, on the shared stack: a key with a limit of requests
 * asks for more of them than it may.
 */
import { makePools, modelOn } from '../pools.ts';
import { makeKey, sharedStack } from '../shared-stack.ts';
import { openResponses } from '../websocket-client.ts';

const at = sharedStack();

test('a warm-up is one request to the limits of a key', async () => {
  await makePools(at, 'warm-up', ['openai-responses']);
  const limited = await makeKey(at, { group: 'warm-up', limits: { requests_per_minute: 2 } });
  const connection = await openResponses(at.baseUrl, limited.key);
  const warmUp = () =>
    connection.ask({ model: modelOn('openai-responses'), input: 'Hello', store: false, generate: false });
  const answers = [await warmUp(), await warmUp(), await warmUp()];
  expect(answers.map((events) => events.at(-1)?.type)).toEqual([
    'response.completed',
    'response.completed',
    'error',
  ]);
  connection.socket.terminate();
  expect(answers[2]?.at(-1)).toMatchObject({ status: 429, error: { code: 'rate_limit_exceeded' } });
});
