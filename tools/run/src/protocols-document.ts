import { ANSWER_HEADERS } from '@tollgate/api/relay-headers';
import {
  BETA_CLOUDS,
  BETA_RULES,
  CODECS,
  createStateWrapper,
  FEATURES,
  type FieldRule,
  FINISH_REASONS,
  type FinishReason,
  type Support,
} from '@tollgate/protocols';
import {
  COSTLY_FEATURE_NAMES,
  COSTLY_FEATURES,
  type CostlyFeature,
  type ClientProtocol,
  CLIENT_PROTOCOLS,
  PROTOCOLS,
} from '@tollgate/vocabulary';
import { dialectSections } from './dialects-document.ts';
import { markdownTable } from './markdown-table.ts';
import { taskSections } from './tasks-document.ts';

const LEVELS: Readonly<Record<Support, string>> = {
  carried: 'It means the same there.',
  emulated: 'It is done in another way. `x-tollgate-emulated` names the field.',
  dropped:
    'It is a hint that changes no meaning, and is left out. `x-tollgate-dropped` names the field; a strict key gets a 400 instead.',
  refused: 'The request is answered with 400, and the error names the field.',
};

const HEADERS = ['x-tollgate-dropped', 'x-tollgate-emulated', 'x-tollgate-estimated'] as const;

const MEANINGS: Readonly<Record<FinishReason, string>> = {
  stop: 'the answer is complete',
  stop_sequence: 'a stop sequence was met',
  length: 'the limit of output tokens was met',
  context_window: 'the context window is full',
  tool_calls: 'the model calls tools',
  content_filter: 'a filter stopped the answer',
  refusal: 'the model refused in its own words',
  pause: 'the vendor paused a long turn',
};

/** What docs/protocols.md says: everything in it that may change is read from the code that decides it. */
export function protocolsDocument(): string {
  return `${[
    '# Protocols',
    '`npm run docs` writes this page from the conversion code in `libs/protocols`. Do not edit it by hand.',
    [
      `A client speaks one of ${CLIENT_PROTOCOLS.length} wire formats, and so does an upstream; some upstreams speak another one`,
      `(${PROTOCOLS.filter((protocol) => !CLIENT_PROTOCOLS.some((client) => client === protocol))
        .map(code)
        .join(', ')}). Where the two are the same, a request and its`,
      'answer pass without a conversion. Where they differ, both are converted, and this page says what becomes of each',
      'field.',
    ].join('\n'),
    markdownTable(
      ['name', 'wire format'],
      PROTOCOLS.map((protocol) => [code(protocol), CODECS[protocol].title]),
    ),
    '## What becomes of a feature',
    markdownTable(['level', 'meaning'], Object.entries(LEVELS)),
    'A column is the format of the upstream that serves the request.',
    featureTable(),
    '## Headers of an answer',
    markdownTable(
      ['header', 'value'],
      HEADERS.map((name) => [code(name), ANSWER_HEADERS[name].description ?? '']),
    ),
    '## What clients name in place of sending it',
    [
      'A client of the Responses route that does not say `store: false` may send the ids of what it was answered',
      '(`item_reference`, `previous_response_id`). Answers that were converted are kept for that, sealed, for some hours, for the',
      'account that received them (`KEPT_RESPONSES_TTL_S` and its neighbours), whatever model is asked next. What a vendor of',
      'the same format keeps is asked for at that vendor, and cannot be carried to another: `server_state`. A reference to',
      'reasoning that is not there is left out and listed in `x-tollgate-dropped`; for anything else the answer is a 404.',
    ].join('\n'),
    [
      'Over a WebSocket the newest answer of each stream is remembered by its connection also with `store: false`;',
      '[the relay](relay-api.md#responses-over-a-websocket) says how.',
    ].join('\n'),
    '## Reasoning of earlier turns',
    [
      'Vendors sign or encrypt the state of their reasoning, and refuse that of another vendor or of another account. What a',
      'client brings back of an answer that was converted is unwrapped for the credential that made it, and left out for every',
      'other one, also where nothing else is converted. Of a vendor’s own state it is known for six hours which credential made',
      'it, as long as more than one can be asked: a conversation keeps to that credential while it answers. Where another one',
      'must serve, the state is left out. A refusal of reasoning all the same (400) is healed once: the same upstream is asked',
      'again without it. What was left out stands in `x-tollgate-dropped` as `reasoning_state`; a strict key gets no 400 for it, as',
      'its conversation could not go on.',
    ].join('\n'),
    '## What upstreams say in their own ways',
    [
      '- Of servers that speak Chat all of this is read: content as a list of parts, with thinking among them; calls that share',
      '  an `index` or have none; arguments as an object; the one `function_call` of old; usage inside the choice or `x_groq`.',
      '- Images of an answer reach Gemini clients as `inlineData`, Chat clients in `images`, Responses clients as an',
      '  `image_generation_call`. Messages has no place for them: a text says that there was one, and the header of a whole answer',
      '  lists `answer.image`.',
      '- An error in place of an answer is one, whatever its status: a 200 with `error`, `status: "failed"`, a stream of nothing',
      '  but an error or an announcement. The next upstream is asked, and nothing is charged. After the first words the error',
      '  ends the stream, and what was produced is charged.',
      '- A context that is too long is told in the words and codes that agents act on: `context_length_exceeded` (for Codex in the',
      '  stream), `prompt is too long: … tokens > … maximum`.',
    ].join('\n'),
    '## Strict keys',
    [
      'An API key with `strict` on prefers an error to a field that is left out: whatever would stand in',
      '`x-tollgate-dropped` is answered with 400 and the field in `param`. What is emulated is still done.',
    ].join('\n'),
    ...taskSections(),
    '## Sessions over a WebSocket',
    [
      '- `GET /v1/responses` carries Responses in both directions, for every model and every format of upstream:',
      '  [how](relay-api.md#responses-over-a-websocket).',
      '- `GET /v1/realtime` opens sessions of OpenAI’s Realtime, at upstreams of OpenAI and Azure, whose events pass as they are:',
      '  [how](relay-api.md#realtime-sessions). WebRTC and SIP are a 400 that says so.',
      '- Gemini Live (`BidiGenerateContent`) is not served, in either direction: nothing converts its events, and no model of it can',
      '  stand behind `/v1/realtime`. Its paths are a 400 that says so.',
    ].join('\n'),
    '## What costs more than tokens',
    [
      'Vendors run tools themselves, and sell speed, tiers, regions and pictures of other models, at prices of their own. None',
      'of it is served, whatever the format of the upstream, until an operator sells it or gives it away: a model of the catalogue',
      'names it under `features`, such as `{"web_search": "priced"}` with its price beside it ([how](catalogue.md)), or `"free"`,',
      'and its callers pay for tokens alone.',
    ].join('\n'),
    [
      '- A tool of the vendor that is offered beside others is left out and listed in `x-tollgate-dropped`. Every tool that',
      '  is not known to run at the client is taken for one.',
      '- One that is demanded, by `tool_choice` or as the only tool, is a 400 that names it, and so is every field below. A',
      '  strict key gets a 400 for what is merely offered too.',
      '- A tool that draws is told the first of `image_models` where it names no model; one that is not among them is not served.',
      '- The body is written again only where something is left out or named. What an upstream sets by `set_parameters` is the word of',
      '  its operator and stays.',
    ].join('\n'),
    costTable(),
    ...dialectSections(),
    '## Betas of Anthropic behind clouds',
    [
      'Clouds that carry Anthropic’s models refuse a whole request for one beta that they do not know. What a client names in',
      '`anthropic-beta` is sent under the name that it has there, and left out where it has none; so is every beta that is not in',
      'this table. `x-tollgate-dropped` lists what was left out. To count tokens Vertex is sent those of thinking and of context alone.',
    ].join('\n'),
    betaTable(),
    '## Fields of a request',
    [
      'The feature of a field says what becomes of it. A field that stands in no table is a hint of one vendor',
      '(`vendor_hint`). Features without a field, such as images, are asked for inside messages and tools.',
    ].join('\n'),
    ...CLIENT_PROTOCOLS.flatMap((protocol) => [`### From ${CODECS[protocol].title}`, fieldTable(protocol)]),
    '## Why an answer ended',
    'A row is the reason that the upstream gave, a column the word that a client of that format reads.',
    finishTable(),
  ].join('\n\n')}\n`;
}

const code = (text: string): string => `\`${text}\``;

const featureTable = (): string =>
  markdownTable(
    ['feature', 'what it is', ...PROTOCOLS.map(code)],
    Object.entries(FEATURES).map(([feature, title]) => [
      code(feature),
      title,
      ...PROTOCOLS.map((protocol) => CODECS[protocol].conversion.support[feature as keyof typeof FEATURES]),
    ]),
  );

const fieldTable = (protocol: ClientProtocol): string =>
  markdownTable(
    ['field', 'feature', 'asks for nothing when it is'],
    Object.entries(CODECS[protocol].conversion.fields).map(([field, rule]) => [
      code(field),
      rule === null ? 'every format, in its own way' : code(rule.feature),
      nothingOf(rule),
    ]),
  );

const betaTable = (): string =>
  markdownTable(
    ['beta', ...BETA_CLOUDS.map(code), 'source'],
    Object.entries(BETA_RULES).map(([beta, rule]) => [
      code(beta),
      ...BETA_CLOUDS.map((cloud) => betaAt(beta, rule[cloud])),
      rule.source,
    ]),
  );

const betaAt = (beta: string, there: string | null): string =>
  there === null ? 'left out' : there === beta ? 'sent' : `sent as ${code(there)}`;

/** Of each feature the fields and tools that ask for it; a tool by how its type begins. */
const costTable = (): string =>
  markdownTable(
    ['feature', 'what it is', ...CLIENT_PROTOCOLS.map(code)],
    COSTLY_FEATURES.map((feature) => [
      code(feature),
      COSTLY_FEATURE_NAMES[feature],
      ...CLIENT_PROTOCOLS.map((protocol) => costsOf(protocol, feature)),
    ]),
  );

function costsOf(protocol: ClientProtocol, feature: CostlyFeature): string {
  const { fields, hostedTools } = CODECS[protocol].costs;
  const asked = Object.entries(fields).flatMap(([field, { feature: its, free = [], instead = {} }]) => {
    if (its !== feature) return [];
    const words = [
      ...(free.length > 0 ? [`free as ${free.map((value) => code(JSON.stringify(value))).join(', ')}`] : []),
      ...Object.entries(instead).map(([from, to]) => `${code(from)} is sent as ${code(String(to))}`),
    ];
    return [`${code(field)}${words.length > 0 ? ` (${words.join('; ')})` : ''}`];
  });
  const tools = hostedTools.flatMap(([beginning, its]) =>
    its === feature ? [`tool ${code(`${beginning}…`)}`] : [],
  );
  return [...asked, ...tools].join(', ');
}

const nothingOf = (rule: FieldRule | null): string =>
  (rule?.unless ?? []).map((value) => code(JSON.stringify(value))).join(', ');

const finishTable = (): string =>
  markdownTable(
    ['reason', ...CLIENT_PROTOCOLS.map(code)],
    FINISH_REASONS.map((reason) => [
      MEANINGS[reason],
      ...CLIENT_PROTOCOLS.map((protocol) => code(finishWord(protocol, reason))),
    ]),
  );

/** The word in the whole answer that a client of this format gets. */
function finishWord(protocol: ClientProtocol, finish: FinishReason): string {
  const answer = CODECS[protocol].conversion.encodeAnswer(
    { id: 'answer', choices: [{ parts: [], finish }], tokens: undefined },
    {
      model: 'model',
      states: createStateWrapper(Buffer.alloc(32)),
      created: 0,
      fallbackId: '',
      framing: 'none',
      includeUsage: false,
    },
  );
  const paths: Readonly<Record<ClientProtocol, readonly (readonly (string | number)[])[]>> = {
    'openai-chat': [['choices', 0, 'finish_reason']],
    'openai-responses': [['status'], ['incomplete_details', 'reason']],
    'anthropic-messages': [['stop_reason']],
    gemini: [['candidates', 0, 'finishReason']],
  };
  return paths[protocol]
    .map((path) => path.reduce<unknown>((value, key) => Object(value ?? {})[key], answer))
    .filter((word) => typeof word === 'string')
    .join(': ');
}
