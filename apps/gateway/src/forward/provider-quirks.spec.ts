/*
 * What known providers take of a format otherwise than its vendor: each is asked for at the simulator, which refuses it, and
 * through the gateway in the same format, which says it as the provider takes it. The cases are made from the presets, so a
 * quirk that the simulator does not refuse fails.
 */
import { upstreamInputSchema } from '@tollgate/catalogue';
import { findDialect, type JsonObject } from '@tollgate/protocols';
import { findProvider, PROVIDERS, type Provider, toUpstream } from '@tollgate/providers';
import { type RunningSimulator, startSimulator } from '@tollgate/simulator';
import type { ClientProtocol } from '@tollgate/vocabulary';
import { createTestPayload, startForwarding, upstream } from '../../testing/forwarding.ts';

type Quirk = NonNullable<Provider['quirks']>[number];

const SECRET = 'azkey-1';
const HELLO = { role: 'user', content: 'Hello' };
const TOOLS = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }];

/** Something that a client may say in each field that is refused anywhere. */
const SAID: Readonly<Record<string, JsonObject>> = {
  logprobs: { logprobs: true },
  top_logprobs: { logprobs: true, top_logprobs: 2 },
  logit_bias: { logit_bias: Object.fromEntries(Array.from({ length: 101 }, (_, token) => [token, 1])) },
  tools: { tools: TOOLS },
  tool_choice: { tools: TOOLS, tool_choice: 'auto' },
  parallel_tool_calls: { tools: TOOLS, parallel_tool_calls: true },
  user: { user: 'somebody' },
  seed: { seed: 1 },
  store: { store: true },
  metadata: { metadata: { a: 'b' }, store: true },
  service_tier: { service_tier: 'default' },
  presence_penalty: { presence_penalty: 0.5 },
  frequency_penalty: { frequency_penalty: 0.5 },
  stop: { stop: ['END'] },
  reasoning_effort: { reasoning_effort: 'low' },
  verbosity: { verbosity: 'low' },
  prediction: { prediction: { type: 'content', content: 'Hello' } },
  modalities: { modalities: ['text'] },
  audio: { audio: { voice: 'alloy', format: 'wav' }, modalities: ['text', 'audio'] },
  safety_identifier: { safety_identifier: 'somebody' },
  prompt_cache_key: { prompt_cache_key: 'somebody' },
  prompt_cache_retention: { prompt_cache_retention: '24h' },
};

interface Case {
  readonly provider: Provider;
  readonly protocol: ClientProtocol;
  readonly asks: JsonObject;
  readonly told: 'dropped' | 'emulated' | 'nothing';
}

/** What somebody says who knows nothing of a quirk. */
function findCases({ takes }: Quirk): Pick<Case, 'asks' | 'told'>[] {
  const { refused_fields: refused = [], ...members } = takes;
  const fields = refused.map((name) => ({
    asks: SAID[name] ?? { [name]: 'unknown' },
    told: 'dropped' as const,
  }));
  const others = Object.entries(members).flatMap(([member, value]): Pick<Case, 'asks' | 'told'>[] => {
    switch (member) {
      case 'limit_field':
        return [{ asks: { max_completion_tokens: 50 }, told: 'emulated' }];
      case 'sampling':
        return [
          { asks: { temperature: 0.2 }, told: 'dropped' },
          { asks: { top_p: 0.5, presence_penalty: 0.5 }, told: 'dropped' },
        ];
      case 'user_max':
        return [{ asks: { user: 'u'.repeat(Number(value) + 1) }, told: 'emulated' }];
      case 'user_min':
        return [{ asks: { user: 'u' }, told: 'emulated' }];
      case 'max_stops':
        return [
          {
            asks: { stop: Array.from({ length: Number(value) + 1 }, (_, at) => `END ${at}`) },
            told: 'dropped',
          },
        ];
      case 'reasoning_echo':
        return [
          {
            asks: {
              messages: [HELLO, { role: 'assistant', content: 'Yes?', reasoning_content: 'Hm.' }, HELLO],
            },
            told: 'nothing',
          },
        ];
      case 'reasons_with_tools':
        // Said of requests that come in other formats alone: their conversion is looked at where that is tested.
        return [];
      default:
        throw new Error(`Nobody asks for ${member} here: add what a client says that it is about.`);
    }
  });
  return [...fields, ...others];
}

const CASES = PROVIDERS.flatMap((provider) =>
  (provider.quirks ?? []).flatMap((quirk) =>
    findCases(quirk).map((each): [string, string, Case] => [
      provider.name,
      JSON.stringify(each.asks).slice(0, 60),
      { provider, protocol: quirk.format as ClientProtocol, ...each },
    ]),
  ),
);

let simulator: RunningSimulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());

/** Where the simulator stands for a provider. */
function findDoor({ name, base_url }: Provider): string {
  if (name === 'openai') return `${simulator.url}/v1`;
  if (name === 'azure-openai') return `${simulator.url}/azure/openai/v1`;
  if (name === 'azure-openai-classic') return `${simulator.url}/azure`;
  const { pathname } = new URL(base_url);
  return `${simulator.url}/vendors/${name}${pathname === '/' ? '' : pathname}`;
}

const modelOf = ({ models: [first], name }: Provider) =>
  name.startsWith('azure') ? 'gpt-4.1' : (first?.upstream_name ?? first?.name ?? '');

const bodyOf = ({ protocol, asks }: Case): JsonObject =>
  protocol === 'openai-chat' ? { messages: [HELLO], ...asks } : { input: 'Hello', ...asks };

const startFor = (provider: Provider, protocol: ClientProtocol, hasQuirks: boolean) => {
  const { credentials: _, ...made } = upstreamInputSchema.parse(
    toUpstream(provider, { base_url: findDoor(provider), secret: SECRET, allow_private_addresses: true }),
  );
  const dialects = hasQuirks ? made.dialects : undefined;
  return startForwarding({
    upstreams: [upstream(provider.name, made.base_url, [SECRET], { ...made, dialects, costs: {} })],
    pool: { members: [{ upstream: provider.name, model_map: { m: modelOf(provider) } }] },
    protocol,
  });
};

test.each(CASES)('%s refuses %s, and takes it through the gateway', async (_name, _asks, given) => {
  const { provider, protocol, asks, told } = given;
  const send = async (hasQuirks: boolean, strict = false) => {
    const forwarding = startFor(provider, protocol, hasQuirks);
    const payload = createTestPayload({ model: 'm', ...bodyOf(given) });
    const forwarded = await forwarding.send({ protocol, payload, strict });
    await forwarding.close();
    return forwarded;
  };
  expect(await send(false)).not.toMatchObject({ status: 200 });
  const taken = await send(true);
  expect(taken).toMatchObject({ status: 200 });
  const notes = 'dropped' in taken ? { dropped: taken.dropped, emulated: taken.emulated } : undefined;
  const [last] = Object.keys(asks).slice(-1);
  if (told === 'nothing') expect(notes).toEqual({ dropped: [], emulated: [] });
  else expect(notes?.[told]).toContain(last);
  if (told === 'dropped') expect(await send(true, true)).toMatchObject({ error: { kind: 'unsupported' } });
});

test('what a request of another format becomes holds to the quirks too', () => {
  const dialects = toUpstream(findProvider('groq') as Provider, { secret: SECRET }).dialects ?? {};
  const dialect = findDialect('openai-chat', 'openai/gpt-oss-120b', {}, dialects['openai-chat']);
  expect(dialect).toMatchObject({ reasoning_echo: false, efforts: ['low', 'medium', 'high'] });
  expect(dialect.refused_fields).toEqual(expect.arrayContaining(['metadata', 'logprobs']));
});
