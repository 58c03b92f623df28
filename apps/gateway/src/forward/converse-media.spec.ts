import { seal } from '@tollgate/platform';
import { renderError } from '@tollgate/protocols';
import {
  createTestPayload,
  simulate,
  type Simulated,
  startForwarding,
  upstream,
} from '../../testing/forwarding.ts';
import { shapeAnswer } from '../relay/shape-answer.ts';

/*
 * How many pictures and documents a message may hold, and how large they may be, differs by model on Bedrock, and AWS changes
 * it. So it is not guessed here: what AWS says of a request that holds too much reaches the caller in its own format, and
 * costs nothing.
 */
let simulated: Simulated;
beforeAll(async () => {
  simulated = await simulate();
});
afterAll(() => simulated.close());

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

async function send(protocol: 'openai-chat' | 'anthropic-messages', pictures: readonly string[]) {
  const forwarding = startForwarding({
    protocol,
    upstreams: [
      upstream('converse', `${simulated.url}/aws/bedrock-runtime`, [], {
        protocols: ['bedrock-converse'],
        auth: { kind: 'static', header: 'authorization', prefix: 'Bearer ' },
        credentials: [{ name: 'own', sealed: seal('bedrock-api-key', Buffer.alloc(32, 1)) }],
      }),
    ],
    pool: { members: [{ upstream: 'converse', model_map: { m: 'us.anthropic.claude-sonnet-4-v1:0' } }] },
  });
  const content = pictures.map((data) =>
    protocol === 'openai-chat'
      ? { type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } }
      : { type: 'image', source: { type: 'base64', media_type: 'image/png', data } },
  );
  const before = await simulated.count();
  const answer = await forwarding.send({
    protocol,
    action: 'generate',
    stream: false,
    payload: createTestPayload({ model: 'm', max_tokens: 5, messages: [{ role: 'user', content }] }),
  });
  await forwarding.close();
  return { answer, asked: (await simulated.count()) - before };
}

const LARGE = Buffer.alloc(4_000_000).toString('base64');

describe.each(['openai-chat', 'anthropic-messages'] as const)('a client of %s', (protocol) => {
  test.each([
    ['21 pictures in a message', Array.from({ length: 21 }, () => PIXEL), 'too many images: 21 > 20'],
    ['a picture of 4 MB', [LARGE], 'image exceeds the maximum size of'],
  ])('reads what AWS says of %s, and nobody else is asked', async (_what, pictures, words) => {
    const { answer, asked } = await send(protocol, pictures);
    expect(asked).toBe(1);
    if (answer.kind !== 'answer') throw new Error(`it ${answer.kind}`);
    expect(answer.status).toBe(400);
    const shaped = shapeAnswer(answer, answer.request, { tokens: 1, units: {} }, false);
    if (shaped.kind !== 'refused') throw new Error(`it ${shaped.kind}`);
    expect(JSON.parse(renderError(protocol, shaped.error, 'r').body)).toMatchObject({
      error: { type: 'invalid_request_error', message: expect.stringContaining(words) },
    });
  });

  test('has 20 pictures described', async () => {
    const { answer } = await send(
      protocol,
      Array.from({ length: 20 }, () => PIXEL),
    );
    expect(answer).toMatchObject({ kind: 'answer', status: 200 });
  });
});
