import { readFileSync } from 'node:fs';
import { seal } from '@tollgate/platform';
import {
  createTestPayload,
  simulate,
  type Simulated,
  startForwarding,
  upstream,
} from '../../testing/forwarding.ts';

/*
 * What Claude Code really sends, at the clouds: each refuses a whole request for one beta that it does not know. The simulated
 * doors do too.
 */
let cloud: Simulated;
beforeAll(async () => {
  cloud = await simulate();
});
afterAll(() => cloud.close());

interface Captured {
  readonly headers: Record<string, string>;
  readonly body: Record<string, unknown>;
}
const FILE = new URL('../../../../libs/protocols/src/golden/claude-code-2.1.329.json', import.meta.url);
const captured = JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, Captured>;

const PLACES = {
  bedrock: {
    model: 'us.anthropic.claude-sonnet-5',
    path: '/aws/bedrock-runtime',
    secret: () => Promise.resolve('bedrock-api-key'),
    auth: { kind: 'static', header: 'authorization', prefix: 'Bearer ' },
  },
  vertex: {
    model: 'claude-sonnet-5@20260901',
    path: '/google/v1/projects/p/locations/eu/publishers/anthropic',
    secret: async () =>
      (await fetch(`${cloud.url}/__sim/clouds/service-accounts/relay`, { method: 'POST' })).text(),
    auth: { kind: 'google' },
  },
  foundry: {
    model: 'claude-sonnet-5',
    path: '/azure/anthropic',
    secret: () => Promise.resolve('azkey-1'),
    auth: { kind: 'static', header: 'x-api-key' },
  },
  mantle: {
    model: 'anthropic.claude-sonnet-5',
    path: '/aws/bedrock-mantle/anthropic',
    secret: () => Promise.resolve('bedrock-api-key'),
    auth: { kind: 'static', header: 'authorization', prefix: 'Bearer ' },
  },
} as const;

describe.each(['bedrock', 'vertex', 'foundry', 'mantle'] as const)('%s', (name) => {
  test.each(['sonnet', 'opus'])(
    'takes what it sends for %s, whole, as a stream, and to count',
    async (model) => {
      const { path, secret, auth, model: there } = PLACES[name];
      const { headers = {}, body = {} } = captured[model] ?? {};
      const forwarding = startForwarding({
        protocol: 'anthropic-messages',
        upstreams: [
          upstream('cloud', cloud.url + path, [], {
            protocols: ['anthropic-messages'],
            auth,
            wrapping: { 'anthropic-messages': name },
            credentials: [{ name: 'own', sealed: seal(await secret(), Buffer.alloc(32, 1)) }],
          }),
        ],
        pool: { members: [{ upstream: 'cloud', model_map: { m: there } }] },
      });
      const { stream: _stream, max_tokens: _max, metadata: _who, ...counted } = body;
      for (const [action, sent] of [
        ['generate', { ...body, stream: false }],
        ['stream', body],
        ['count', counted],
      ] as const) {
        // The door of mantle does not count.
        if (name === 'mantle' && action === 'count') continue;
        const answer = await forwarding.send({
          protocol: 'anthropic-messages',
          action,
          stream: action === 'stream',
          headers,
          query: 'beta=true',
          payload: createTestPayload({ ...sent, model: 'm' }),
        });
        const said = answer.kind === 'answer' ? answer.json : undefined;
        expect([action, answer.kind, 'status' in answer && answer.status, said]).toEqual([
          action,
          action === 'stream' ? 'stream' : 'answer',
          200,
          action === 'stream' ? undefined : expect.anything(),
        ]);
        if (answer.kind === 'stream') answer.body.destroy();
      }
      await forwarding.close();
    },
  );
});
