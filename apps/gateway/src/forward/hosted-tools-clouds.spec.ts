import { seal } from '@tollgate/platform';
import {
  createTestPayload,
  simulate,
  type Simulated,
  startForwarding,
  upstream,
} from '../../testing/forwarding.ts';

/*
 * Tools that Anthropic runs itself, and that a cloud with its models does not: the cloud is not asked, as it would refuse the
 * whole request.
 */
let simulated: Simulated;
beforeAll(async () => {
  simulated = await simulate();
});
afterAll(() => simulated.close());

const sealed = (secret: string) => [{ name: 'own', sealed: seal(secret, Buffer.alloc(32, 1)) }];
const bedrock = () =>
  upstream('bedrock', `${simulated.url}/aws/bedrock-runtime`, [], {
    protocols: ['anthropic-messages'],
    auth: { kind: 'static', header: 'authorization', prefix: 'Bearer ' },
    wrapping: { 'anthropic-messages': 'bedrock' },
    credentials: sealed('bedrock-api-key'),
  });
const PATHS = {
  bedrock: '/aws/bedrock-runtime',
  vertex: '/google/v1/projects/sim/locations/eu/publishers/anthropic',
  mantle: '/aws/bedrock-mantle/anthropic',
  foundry: '/azure/anthropic',
} as const;
const cloud = (wrapping: keyof typeof PATHS) =>
  upstream(wrapping, simulated.url + PATHS[wrapping], [], {
    protocols: ['anthropic-messages'],
    auth: { kind: 'static', header: 'authorization', prefix: 'Bearer ' },
    wrapping: { 'anthropic-messages': wrapping },
    credentials: sealed('cloud-api-key'),
  });
const anthropic = () =>
  upstream('anthropic', simulated.url, [], {
    protocols: ['anthropic-messages'],
    credentials: sealed('anthropic-key'),
  });

async function send(upstreams: ReturnType<typeof bedrock>[], tools: readonly object[]) {
  const members = upstreams.map(({ name }, priority) => ({
    upstream: name,
    priority,
    model_map: name === 'bedrock' ? { m: 'us.anthropic.claude-sonnet-4-v1:0' } : { m: 'claude-sonnet-4' },
  }));
  const forwarding = startForwarding({
    protocol: 'anthropic-messages',
    upstreams,
    pool: { members },
    // What is not sold is left out before anybody is asked.
    model: { features: { web_search: 'free', web_fetch: 'free', code_execution: 'free' } },
  });
  const before = await simulated.count();
  const answer = await forwarding.send({
    protocol: 'anthropic-messages',
    action: 'generate',
    stream: false,
    payload: createTestPayload({
      model: 'm',
      max_tokens: 50,
      messages: [{ role: 'user', content: 'Hello' }],
      tools,
    }),
  });
  await forwarding.close();
  return { answer, asked: (await simulated.count()) - before };
}

const SEARCH = { type: 'web_search_20250305', name: 'web_search' };
const OWN = { name: 'weather', input_schema: { type: 'object' } };

test('a request with a tool that the first upstream does not run goes to the next one', async () => {
  const { answer, asked } = await send([bedrock(), anthropic()], [OWN, SEARCH]);
  expect(answer).toMatchObject({ kind: 'answer', status: 200 });
  expect(asked).toBe(1);
  expect((await simulated.requests()).at(-1)?.url).toBe('/v1/messages');
});

test('where nobody runs it the caller is told, and nobody is asked', async () => {
  const { answer, asked } = await send([bedrock()], [OWN, SEARCH]);
  expect(answer).toMatchObject({
    kind: 'failed',
    error: {
      kind: 'invalid_request',
      param: 'tools.1',
      message: expect.stringMatching(/web_search_20250305/),
    },
  });
  expect(asked).toBe(0);
});

const TOOLS = {
  web_search: SEARCH,
  web_fetch: { type: 'web_fetch_20250910', name: 'web_fetch' },
  code_execution: { type: 'code_execution_20250825', name: 'code_execution' },
};

test.each([
  ['bedrock', []],
  ['vertex', ['web_search']],
  ['mantle', ['web_search']],
  ['foundry', ['web_search', 'web_fetch', 'code_execution']],
] as const)('%s is asked for the tools %j of Anthropic, and for no other', async (wrapping, run) => {
  const left: string[] = [];
  for (const [name, tool] of Object.entries(TOOLS)) {
    const { answer, asked } = await send([cloud(wrapping)], [OWN, tool]);
    // Some of these doors want other credentials, and say so: what counts is who refuses.
    const isOurs = answer.kind === 'failed' && answer.error.param === 'tools.1';
    if (isOurs) expect(asked).toBe(0);
    else left.push(name);
  }
  expect(left).toEqual(run);
});

test('a request with tools of its own is served as ever', async () => {
  const { answer } = await send([bedrock()], [OWN]);
  expect(answer).toMatchObject({ kind: 'answer', status: 200 });
});
