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
import { type ClientProtocol, CLIENT_PROTOCOLS, PROTOCOLS } from '@tollgate/vocabulary';
import { conversationSections, sessionSections } from './conversations-document.ts';
import { costSections } from './costs-document.ts';
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
    exampleSection(),
    '## Which formats are there?',
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
    '## What becomes of a feature?',
    markdownTable(['level', 'meaning'], Object.entries(LEVELS)),
    'A column is the format of the upstream that serves the request.',
    featureTable(),
    '## How does an answer tell of it?',
    markdownTable(
      ['header', 'value'],
      HEADERS.map((name) => [code(name), ANSWER_HEADERS[name].description ?? '']),
    ),
    ...conversationSections(),
    ...taskSections(),
    ...sessionSections(),
    ...costSections(),
    ...dialectSections(),
    '## Which betas of Anthropic pass behind clouds?',
    [
      'Clouds that carry Anthropic’s models refuse a whole request for one beta that they do not know. What a client names in',
      '`anthropic-beta` is sent under the name that it has there, and left out where it has none; so is every beta that is not in',
      'this table. `x-tollgate-dropped` lists what was left out. To count tokens Vertex is sent those of thinking and of context alone.',
    ].join('\n'),
    betaTable(),
    '## Which feature does a field ask for?',
    [
      'The feature of a field says what becomes of it. A field that stands in no table is a hint of one vendor',
      '(`vendor_hint`). Features without a field, such as images, are asked for inside messages and tools.',
    ].join('\n'),
    ...CLIENT_PROTOCOLS.flatMap((protocol) => [`### From ${CODECS[protocol].title}`, fieldTable(protocol)]),
    '## How is it said why an answer ended?',
    'A row is the reason that the upstream gave, a column the word that a client of that format reads.',
    finishTable(),
  ].join('\n\n')}\n`;
}

const code = (text: string): string => `\`${text}\``;

const EXAMPLE = {
  client: 'openai-chat',
  upstream: 'anthropic-messages',
  fields: ['temperature', 'prompt_cache_key', 'logit_bias', 'n'],
} as const;

function exampleSection(): string {
  const { client, upstream, fields } = EXAMPLE;
  const levels = fields.map((field) => {
    const rule = CODECS[client].conversion.fields[field];
    if (!rule) throw new Error(`${field} is no field that asks for a feature`);
    const level = CODECS[upstream].conversion.support[rule.feature];
    return [code(field), level, LEVELS[level]];
  });
  return [
    '## An example',
    `A client of ${CODECS[client].title} asks a model whose upstream speaks ${CODECS[upstream].title}.`,
    markdownTable(['it sends', 'level', 'meaning'], levels),
    'In the tables below a row is a feature; [which feature a field asks for](#which-feature-does-a-field-ask-for) is at the end.',
  ].join('\n\n');
}

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
