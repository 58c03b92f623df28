import { seal } from '@tollgate/platform';
import { makeLongTermSecret } from '@tollgate/simulator/clouds';
import { simulate, type Simulated, startForwarding, upstream } from '../../testing/forwarding.ts';

/*
 * Bedrock's streams with every fault that a frame can have, from the simulator: whether another upstream may still answer,
 * what is read of what came before, and what the health of the upstream is told.
 */
let bedrock: Simulated;
let other: Simulated;
beforeAll(async () => {
  [bedrock, other] = await Promise.all([simulate(), simulate()]);
});
afterAll(() => Promise.all([bedrock.close(), other.close()]));
afterEach(async () => {
  for (const { url } of [bedrock, other]) await fetch(`${url}/__sim/requests`, { method: 'DELETE' });
});

const KEY = 'AKIASIMFRAMES';
const MODEL = 'anthropic.claude-sonnet-4-20250514-v1:0';
const secret = JSON.stringify({ access_key_id: KEY, secret_access_key: makeLongTermSecret(KEY) });

/** The two ways to its models: how many frames announce an answer before its first words. */
const DOORS = {
  converse: { announcing: 1, more: { protocols: ['bedrock-converse' as const] } },
  invoke: {
    announcing: 3,
    more: {
      protocols: ['anthropic-messages' as const],
      wrapping: { 'anthropic-messages': 'bedrock' as const },
    },
  },
};
type BedrockDoor = keyof typeof DOORS;

/** Bedrock, and another upstream where there is one to fall back on. */
function start(door: BedrockDoor, hasOther = true) {
  const first = upstream('bedrock', `${bedrock.url}/aws/bedrock-runtime`, [], {
    auth: { kind: 'aws', region: 'us-east-1' },
    credentials: [{ name: 'own', sealed: seal(secret, Buffer.alloc(32, 1)) }],
    ...DOORS[door].more,
  });
  return startForwarding({
    upstreams: [first, upstream('other', other.url, ['b'])],
    pool: {
      members: [
        { upstream: 'bedrock', model_map: { m: MODEL } },
        ...(hasOther ? [{ upstream: 'other', priority: 1 }] : []),
      ],
    },
  });
}

async function ask(forwarding: ReturnType<typeof start>, fault: object) {
  await bedrock.script({ text: 'one two three four', frame_fault: fault });
  const answer = await forwarding.send({ stream: true });
  const target = forwarding.stages[0]?.candidates.find(
    ({ client }) => client.upstream.name === 'bedrock',
  )?.target;
  return { answer, target };
}

async function readAll(answer: Awaited<ReturnType<typeof ask>>['answer']): Promise<string> {
  if (answer.kind !== 'stream') throw new Error(`a stream is expected, not: ${JSON.stringify(answer)}`);
  const chunks: Buffer[] = [];
  for await (const chunk of answer.body) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

const byOther = { kind: 'stream', candidate: { client: { upstream: { name: 'other' } } } };
const SPOILT = ['prelude_checksum', 'checksum', 'huge', 'longer', 'half', 'end'] as const;

describe.each<BedrockDoor>(['converse', 'invoke'])('%s', (door) => {
  const { announcing } = DOORS[door];

  describe.each([0, announcing])('at frame %i, before the first words', (at) => {
    test.each(SPOILT)('%s: another upstream answers, and it is a failure', async (kind) => {
      const forwarding = start(door);
      const { answer, target } = await ask(forwarding, { at, kind });
      expect(answer).toMatchObject(byOther);
      expect([await bedrock.count(), await other.count()]).toEqual([1, 1]);
      expect(target?.tally.failures).toEqual(new Map([['broken', 1]]));
      await forwarding.close();
    });

    test.each([
      ['throttlingException', { 'rate-limited': 1 }],
      ['serviceUnavailableException', { failed: 1 }],
      ['internalServerException', { failed: 1 }],
      ['modelStreamErrorException', { failed: 1 }],
      ['novelException', { failed: 1 }],
    ])('%s: another upstream answers, and it is noted', async (exception, outcomes) => {
      const forwarding = start(door);
      const { answer, target } = await ask(forwarding, { at, kind: 'exception', exception });
      expect(answer).toMatchObject(byOther);
      expect(target?.tally.outcomes).toMatchObject(outcomes);
      await forwarding.close();
    });

    test('validationException is the caller’s: nobody else is asked, and its words are told', async () => {
      const forwarding = start(door);
      const { answer, target } = await ask(forwarding, {
        at,
        kind: 'exception',
        exception: 'validationException',
      });
      expect(answer).toMatchObject({ kind: 'answer', status: 400 });
      expect(JSON.stringify(answer.kind === 'answer' && answer.json)).toContain('told to break off');
      expect(await other.count()).toBe(0);
      expect(target?.tally.outcomes).toMatchObject({ failed: 0 });
      await forwarding.close();
    });
  });

  test.each([
    ...SPOILT.map((kind) => [kind, 'upstream_error', /cannot be read/] as const),
    ['throttlingException', 'upstream_rate_limited', /at its limit/] as const,
    ['serviceUnavailableException', 'upstream_unavailable', /told to break off/] as const,
    ['modelStreamErrorException', 'upstream_error', /told to break off/] as const,
  ])('%s at its beginning, where nobody else is: the caller is told', async (fault, kind, says) => {
    const forwarding = start(door, false);
    const { answer } = await ask(forwarding, {
      at: 0,
      ...(fault.endsWith('Exception') ? { kind: 'exception', exception: fault } : { kind: fault }),
    });
    expect(answer).toMatchObject({
      kind: 'failed',
      error: { kind, message: expect.stringMatching(says) as string },
    });
    await forwarding.close();
  });

  test.each(SPOILT)('%s after some words: these are read, and nobody else is asked', async (kind) => {
    const forwarding = start(door);
    const { answer } = await ask(forwarding, { at: announcing + 2, kind });
    const read = await readAll(answer);
    expect(read).toContain('two');
    expect(read).not.toContain('three');
    expect(await other.count()).toBe(0);
    await forwarding.close();
  });

  test('an event that nobody knows takes nothing from the answer', async () => {
    const forwarding = start(door);
    const { answer } = await ask(forwarding, { at: announcing + 2, kind: 'unknown' });
    const read = await readAll(answer);
    for (const word of ['one', 'two', 'three', 'four']) expect(read).toContain(word);
    await forwarding.close();
  });
});
