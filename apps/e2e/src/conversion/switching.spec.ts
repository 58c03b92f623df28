import { Agent, setGlobalDispatcher } from 'undici';
import { CLIENT_PROTOCOLS } from '@tollgate/vocabulary';
import { sharedStack } from '../shared-stack.ts';
import { makePools, modelOn } from '../pools.ts';
import { CONVERSATIONS } from './conversations.ts';

// People change the model in the middle of a conversation, and pools fall over to another upstream: what the first one
// thought and called goes to the second, and back, as the official SDKs keep it.
setGlobalDispatcher(new Agent());

const at = sharedStack();
let key: string;
beforeAll(async () => {
  key = await makePools(at, 'switching');
}, 60_000);

const PAIRS = CLIENT_PROTOCOLS.flatMap((first) =>
  CLIENT_PROTOCOLS.filter((second) => second !== first).map((second) => [first, second] as const),
);
const WAYS = CLIENT_PROTOCOLS.flatMap((client) => [false, true].map((stream) => [client, stream] as const));

describe.each(WAYS)('a client of %s (stream: %s)', (client, stream) => {
  test.each(PAIRS)('goes from %s to %s, and back', async (from, to) => {
    const { say, give } = CONVERSATIONS[client]({ baseUrl: at.baseUrl, key }, stream);
    const [first, second] = [modelOn(from), modelOn(to)];
    // Between a call and its result, between two questions, and back in the same two places.
    expect(await say(first, 'Use tool please')).toMatchObject({ calls: 1 });
    expect(await give(second, 'Sunny')).toEqual({ text: expect.stringContaining('Sunny'), calls: 0 });
    expect(await say(second, 'Use tool again')).toMatchObject({ calls: 1 });
    expect(await give(first, 'Rainy')).toEqual({ text: expect.stringContaining('Rainy'), calls: 0 });
    expect(await say(first, 'Use tool at last')).toMatchObject({ calls: 1 });
    expect(await give(first, 'Foggy')).toEqual({ text: expect.stringContaining('Foggy'), calls: 0 });
    const { text } = await say(second, 'Recall');
    expect(text).toMatch(/Use tool please.*Use tool again.*Use tool at last/s);
    if (to !== 'gemini') expect(text).toMatch(/Sunny.*Rainy.*Foggy/s);
  });
});
