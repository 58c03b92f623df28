import { CODECS, type Dialect } from '@tollgate/protocols';
import { PROTOCOLS } from '@tollgate/vocabulary';
import { markdownTable } from './markdown-table.ts';

type Member = Exclude<keyof Dialect, 'max_output_tokens'>;

const MEANINGS: Readonly<Record<Member, string>> = {
  sampling:
    'which of temperature, top-p, top-k and penalties are taken: `all`, `without_penalties` (all others), `temperature_or_top_p` (not both), `without_reasoning` (while the model does not reason) or `none`',
  reasoning:
    'how much to reason is said by an `effort` (at Anthropic with adaptive thinking, at Gemini as a level), by a `budget` of tokens, by `any` of them, or is `none` of the caller',
  efforts: 'the efforts that are taken; another one becomes the next lower',
  reasoning_off: 'whether the model can be told not to reason; else it reasons as little as it can',
  reasons_unasked: 'whether it reasons when nothing is said of it',
  reasons_with_tools: 'whether it reasons where there are tools; else it is told not to',
  min_budget: 'the least budget, in tokens',
  max_budget: 'the most; `null` is no limit',
  dynamic_budget: 'whether the budget may be left to the model',
  limit_field: 'the field of a Chat request that limits the output',
  min_output_tokens: 'the least limit of output tokens; a lower one is raised',
  encrypted_reasoning: 'whether a Responses model gives its reasoning back encrypted',
  prefill:
    'whether a conversation may end with words of the assistant; else the user asks to go on from them',
  structured_output: 'whether a JSON schema of the answer is taken; else it is told in words',
  json_with_tools:
    'whether JSON may be asked for where there are tools; else the shape of the answer is told in words alone',
  closed_schemas:
    'whether schemas of answers and of strict tools are closed, and their other keywords told in descriptions; alternatives at the root of a tool’s are told in its own',
  whole_schemas:
    'whether a list in a schema must say what is in it, which is then added, and a strict schema must be closed and require all that it names; another one is sent as not strict; alternatives at the root are told in words, as above',
  json_word:
    'who must have said the word "json" where any JSON is asked for; else a line that says it is added',
  user_min: "characters of the end user's id at least; another id is sent as its SHA-256",
  user_max: 'at most; `null` is no limit',
  user_alphabet: '`word` is letters, digits, `_` and `-`',
  call_id_min: "characters of a tool call's id at least; another id is replaced",
  call_id_max: 'at most; `null` is no limit',
  call_id_alphabet: 'as above',
  reasoning_echo: 'whether a Chat conversation may bring `reasoning_content` back',
  reasoning_required:
    'whether it must bring some of each turn of the assistant where tools are at work; other reasoning or a blank stands in',
  user_after_tool:
    'whether a user may speak right after a result of a tool; else the assistant says a word between them',
  custom_tools: 'whether free-form tools are known; else they are functions that take one text',
  allowed_tools: 'whether a choice among some tools can be said; else only those are offered',
  refusals:
    'whether a Chat message of the assistant may hold a refusal beside its content; else it is content',
  max_stops: 'how many stop sequences are taken, the first ones; `null` is no limit',
  cache_marks: '`placed`: see below; `none`: the caller alone says what is cached',
  min_cache_tokens: 'a shorter beginning of a request is not marked',
  refused_fields: 'top-level fields that are left out: those of all rules that match',
};

const value = (of: unknown): string =>
  Array.isArray(of) && of.length === 0 ? 'none' : `\`${JSON.stringify(of)}\``;

/** What models take of their formats, from the rules that decide it. */
export const dialectSections = (): string[] => [
  '## Dialects of models',
  [
    'Models of one format do not take the same of it. What a request is to say to a model is decided by rules over its name',
    'at the upstream, without the part before the last `/`, in small letters and with `-` for `.`. A later rule wins. A model',
    'of the catalogue states otherwise in its member `dialect`, such as `{"sampling": "none", "user_max": 128}`; for all',
    'upstreams that serve it. What is said in another way stands in `x-tollgate-emulated`, what is left out in',
    '`x-tollgate-dropped`; a value that every model has by default, such as a temperature of 1, is left out without a word.',
  ].join('\n'),
  [
    'An upstream whose vendor takes a format otherwise than others do says so in its member `dialects`, by format; known',
    '[providers](providers.md#what-they-take-otherwise) bring theirs. That holds for whatever model it serves, unless the model',
    'states its own, and of requests that come in the same format for `refused_fields`, `limit_field`, the ids of users,',
    '`max_stops`, `reasoning_echo` and `sampling` (`none`, `temperature_or_top_p`): these are not left as they are.',
  ].join('\n'),
  markdownTable(
    ['member', 'meaning', ...PROTOCOLS.map((protocol) => `\`${protocol}\``)],
    (Object.keys(MEANINGS) as Member[]).map((member) => [
      `\`${member}\``,
      MEANINGS[member],
      ...PROTOCOLS.map((protocol) => value(CODECS[protocol].dialects.usual[member])),
    ]),
  ),
  [
    'A limit of output tokens above the `max_output_tokens` of the model in the catalogue, or in the rules below where the',
    'catalogue states none, is lowered to that, also where both sides speak the same format. Where the caller states none and',
    'the format requires one, it is that number, or 8,192.',
  ].join('\n'),
  [
    'Anthropic caches only what a request marks, and clients of other formats mark nothing. So where `cache_marks` is',
    '`placed`, a converted request with tools, with an answer in it or with a `prompt_cache_key` gets up to four marks of five',
    'minutes: after the tools, after the system text, and after the last two messages of the user. What is written is',
    'reported and charged as `cache_write`, what is read as `cache_read`; the hold of a request counts its whole input at the',
    'most expensive of these. A single question is not marked, as nobody would read what it writes.',
  ].join('\n'),
  ...PROTOCOLS.flatMap((protocol) => [
    `### Models spoken to in ${CODECS[protocol].title}`,
    `The format itself: ${CODECS[protocol].dialects.source}.`,
    markdownTable(
      ['names that match', 'what they take', 'source'],
      CODECS[protocol].dialects.rules.map(({ models, says, source }) => [
        `\`${models.source.replaceAll('|', String.raw`\|`)}\``,
        Object.entries(says)
          .map(([member, its]) => `\`${member}\`: ${value(its)}`)
          .join(', '),
        source,
      ]),
    ),
  ]),
];
