/*
 * What clients ask of other vendors' models, converted and checked by the simulator's rules, which refuse what the vendors
 * refuse. Every rule has a request that is refused without what the relay does to it and taken with it, or the reason why
 * there is none.
 */
import type { ModelDialect } from '@tollgate/catalogue';
import {
  CODECS,
  type ConversionRequest,
  convertRequest,
  createStateWrapper,
  type Dialect,
  findDialect,
  joinUpstreamUrl,
  parseJson,
  PLAIN_NAMES,
  upstreamPath,
} from '@tollgate/protocols';
import { upstreamHeadersWithKey } from '../../testing/upstream-headers.ts';
import { type RunningSimulator, startSimulator } from '@tollgate/simulator';
import { REFUSED } from '@tollgate/simulator/refused-cases';
import { type ClientProtocol, CLIENT_PROTOCOLS } from '@tollgate/vocabulary';
import type { Adapted, Excused } from '../../testing/adapted/adapted.ts';
import { ADAPTED_TO_CHAT, EXCUSED_TO_CHAT } from '../../testing/adapted/to-chat.ts';
import { ADAPTED_TO_GEMINI, EXCUSED_TO_GEMINI } from '../../testing/adapted/to-gemini.ts';
import { ADAPTED_TO_MESSAGES, EXCUSED_TO_MESSAGES } from '../../testing/adapted/to-messages.ts';
import { ADAPTED_TO_RESPONSES, EXCUSED_TO_RESPONSES } from '../../testing/adapted/to-responses.ts';

type Body = ConversionRequest['body'];

/** A model that takes whatever its format can say. */
const TAKES_ALL: ModelDialect = {
  sampling: 'all',
  reasoning: 'any',
  efforts: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'],
  reasoning_off: true,
  reasons_with_tools: true,
  min_budget: 0,
  max_budget: null,
  limit_field: 'max_completion_tokens',
  min_output_tokens: 1,
  encrypted_reasoning: true,
  prefill: true,
  structured_output: true,
  json_with_tools: true,
  closed_schemas: false,
  whole_schemas: false,
  json_word: 'nobody',
  user_min: 1,
  user_max: null,
  user_alphabet: 'any',
  call_id_min: 1,
  call_id_max: null,
  call_id_alphabet: 'any',
  reasoning_required: false,
  user_after_tool: true,
  custom_tools: true,
  allowed_tools: true,
  refusals: true,
  max_stops: null,
  refused_fields: [],
};

const ADAPTED: Readonly<Record<ClientProtocol, readonly Adapted[]>> = {
  'openai-chat': ADAPTED_TO_CHAT,
  'openai-responses': ADAPTED_TO_RESPONSES,
  'anthropic-messages': ADAPTED_TO_MESSAGES,
  gemini: ADAPTED_TO_GEMINI,
};
const EXCUSED: Readonly<Record<ClientProtocol, readonly Excused[]>> = {
  'openai-chat': EXCUSED_TO_CHAT,
  'openai-responses': EXCUSED_TO_RESPONSES,
  'anthropic-messages': EXCUSED_TO_MESSAGES,
  gemini: EXCUSED_TO_GEMINI,
};

const BODIES: Readonly<Record<ClientProtocol, Body>> = {
  'openai-chat': { model: 'm', messages: [{ role: 'user', content: 'Hello.' }] },
  'openai-responses': { model: 'm', input: 'Hello.' },
  'anthropic-messages': { model: 'm', max_tokens: 4_000, messages: [{ role: 'user', content: 'Hello.' }] },
  gemini: { contents: [{ role: 'user', parts: [{ text: 'Hello.' }] }] },
};

const states = createStateWrapper(Buffer.alloc(32));

let simulator: RunningSimulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());

interface Sent {
  readonly from: ClientProtocol;
  readonly to: ClientProtocol;
  readonly model: string;
  readonly body: Body;
}

function convert({ from, to, model, body }: Sent, dialect: Dialect) {
  return convertRequest({
    from,
    to,
    dialect,
    body,
    states,
    stream: false,
    framing: 'none',
    includeUsage: false,
    model: 'm',
    upstreamModel: model,
    defaultMaxTokens: 8_192,
    strict: false,
  });
}

/** The rule that refuses what a client's request is converted to; null where it is taken. */
function refusalOf(request: Sent, dialect: Dialect): string | null {
  const { to, model } = request;
  const converted = convert(request, dialect);
  if (!converted.ok) return `400: ${converted.error.message}`;
  const headers = upstreamHeadersWithKey(to);
  const sent = parseJson(converted.body.toString('utf8')) as Body;
  return ruleAgainst(to, model, sent, (name) => headers[name]);
}

/** What the simulator itself says to it. */
async function statusOf(request: Sent, dialect: Dialect): Promise<string> {
  const { to, model } = request;
  const converted = convert(request, dialect);
  if (!converted.ok) return converted.error.message;
  const path = upstreamPath(to, { model, action: converted.action });
  const answer = await fetch(joinUpstreamUrl(simulator.url, path), {
    method: 'POST',
    headers: { ...upstreamHeadersWithKey(to), 'content-type': 'application/json' },
    body: converted.body.toString('utf8'),
  });
  const said = await answer.text();
  return answer.ok ? 'taken' : `${answer.status} ${said}`;
}

function ruleAgainst(
  to: ClientProtocol,
  model: string,
  body: Body,
  header: (name: string) => string | undefined,
): string | null {
  return REFUSED[to].refusedBy({ body, model, header, counts: false, stream: false, account: 'key' }) ?? null;
}

const notAdapted = (to: ClientProtocol, model: string, unlike: ModelDialect = {}): Dialect => ({
  ...findDialect(to, model, { ...TAKES_ALL, ...unlike }),
  max_output_tokens: null,
});

describe.each(CLIENT_PROTOCOLS)('to %s', (to) => {
  const { rules, cases } = REFUSED[to];

  test('each rule has a request that the relay adapts, or the reason why there is none', () => {
    const entries = [...ADAPTED[to], ...EXCUSED[to]].map(({ rule }) => rule);
    expect([...new Set(entries)].sort()).toEqual([...rules].sort());
    const adapted = ADAPTED[to].map(({ rule }) => rule);
    expect(EXCUSED[to].filter(({ rule }) => adapted.includes(rule))).toEqual([]);
  });

  test('each rule refuses one of its cases before any other does', () => {
    const refused = cases.filter(({ rule, model = 'sim', bad, headers }) => {
      const body = { ...BODIES[to], ...bad };
      const sent: Readonly<Record<string, string>> = { ...upstreamHeadersWithKey(to), ...headers };
      return ruleAgainst(to, model, body, (name) => sent[name]) === rule;
    });
    expect([...new Set(refused.map(({ rule }) => rule))].sort()).toEqual([...rules].sort());
  });

  test.each(ADAPTED[to].map((each) => ({ model: 'sim', ...each })))(
    '$rule: $model refuses $asks from $from as it is, and takes it as the relay says it',
    async ({ rule, from, asks, model, maxOutputTokens: max_output_tokens = null, by, unlike }) => {
      const sent = { from, to, model, body: { ...BODIES[from], ...asks } };
      const unadapted = refusalOf(sent, notAdapted(to, model, unlike));
      expect(unadapted === rule).toBe(by === 'dialect');
      const dialect = findDialect(to, model, { max_output_tokens });
      expect(refusalOf(sent, dialect)).toBeNull();
      expect(await statusOf(sent, dialect)).toBe('taken');
    },
  );

  /** What the simulator's own tests see refused, asked for by the clients of the other formats. */
  const asked = cases.flatMap((each, index) =>
    CLIENT_PROTOCOLS.filter((from) => from !== to).map((from) => ({ ...each, index, from })),
  );
  const passedOn = EXCUSED[to].filter((each) => each.passedOn).map(({ rule }) => rule);

  test.each(asked)(
    '$rule: no client of $from can cause it ($index)',
    ({ rule, from, bad, model = 'sim' }) => {
      const body = asClientOf(from, to, JSON.parse(JSON.stringify({ ...BODIES[to], ...bad })) as Body);
      const refused = body && refusalOf({ from, to, model, body }, findDialect(to, model));
      if (passedOn.includes(rule)) expect([null, undefined, rule]).toContain(refused);
      else expect(refused ?? null).toBeNull();
    },
  );
});

test.each(
  CLIENT_PROTOCOLS.flatMap((to) =>
    EXCUSED[to].flatMap(({ rule, passedOn }) => (passedOn ? [{ to, rule, ...passedOn }] : [])),
  ),
)('the refusal of $to by $rule is passed on', ({ to, rule, from, asks }) => {
  const sent = { from, to, model: 'sim', body: { ...BODIES[from], ...asks } };
  expect(refusalOf(sent, findDialect(to, 'sim'))).toBe(rule);
});

class CannotSay extends Error {}

/** Says everything, without a word about what is lost. */
const notes = {
  dropped: new Set<string>(),
  emulated: new Set<string>(),
  ask: () => true,
  fieldOf: (feature: string) => feature,
  drop: () => undefined,
  dropAll: () => undefined,
  emulate: () => undefined,
  refuse: (field: string): never => {
    throw new CannotSay(field);
  },
};

/** A request of one format as a client of another writes it; undefined where that cannot say it. */
function asClientOf(from: ClientProtocol, format: ClientProtocol, body: Body): Body | undefined {
  try {
    return CODECS[from].conversion.encodeRequest(
      CODECS[format].conversion.decodeRequest(body, { states, notes, stream: false }),
      { model: 'm', dialect: notAdapted(from, 'm'), names: PLAIN_NAMES, notes, defaultMaxTokens: 4_000 },
    );
  } catch (error) {
    if (error instanceof CannotSay) return undefined;
    throw error;
  }
}
