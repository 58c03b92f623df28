import type { ClientProtocol } from '@tollgate/vocabulary';
import { parseJson } from '../json.ts';
import type { NeutralAnswer } from '../neutral/answer.ts';
import { assemble } from '../neutral/assemble.ts';
import type { RelayError } from '../relay-error.ts';
import { assembleAnswer, convertAnswer, type ConvertedAnswer, replayAnswer } from './convert-answer.ts';
import {
  answerFiles,
  type AnswerPair,
  answerPairs,
  toBytes,
  createPlan,
  readAnswerCase,
  convertStreamed,
} from './golden/answer-cases.ts';
import { createEventReader } from './read-events.ts';
import { CODECS } from '../registry.ts';
import { inputObject } from './tool-input.ts';

const pairsOf = (kind: 'answers' | 'streams') =>
  answerFiles(kind).flatMap((file) =>
    answerPairs(readAnswerCase(kind, file)).map((pair) => ({ ...pair, file })),
  );

const planOfPair = ({ from, to, upstream }: AnswerPair) => createPlan(from, to, upstream.tools);

/** What a client reads in a stream of its own format. */
function readStream(protocol: ClientProtocol, stream: string): NeutralAnswer | RelayError {
  const reader = createEventReader(createPlan(protocol, protocol), 'sse');
  return assemble([...reader.push(Buffer.from(stream)), ...reader.end()]);
}

/** What a client reads in a whole answer of its own format; the refusal where it got none. */
const readWhole = (protocol: ClientProtocol, converted: ConvertedAnswer): NeutralAnswer | RelayError =>
  converted.ok
    ? CODECS[protocol].conversion.decodeAnswer(
        parseJson(converted.body.toString('utf8')),
        createPlan(protocol, protocol),
      )
    : converted.error;

/** The words, the calls and the end: where reasoning and its states stand is each format's own affair. */
function gist(answer: NeutralAnswer | RelayError) {
  if (!('choices' in answer)) return { failed: answer.message };
  const [choice] = answer.choices;
  const parts = choice?.parts ?? [];
  const words = (kind: 'text' | 'refusal' | 'thinking') =>
    parts.flatMap((part) => (part.kind === kind ? [part.text] : [])).join('');
  return {
    text: words('text'),
    refusal: words('refusal'),
    thinking: words('thinking'),
    calls: parts.flatMap((part) =>
      part.kind === 'tool_call'
        ? [{ ...part, input: part.custom ? part.input : inputObject(part.input) }]
        : [],
    ),
    finish: choice?.finish,
    tokens: answer.tokens,
  };
}

test.each(pairsOf('streams'))('$file: a stream of $to put together says the same to $from', (pair) => {
  const bytes = toBytes(pair.to, pair.upstream.events ?? []);
  const whole = assembleAnswer(planOfPair(pair), 'sse', bytes);
  expect(gist(readWhole(pair.from, whole))).toEqual(
    gist(readStream(pair.from, convertStreamed(pair, [bytes]))),
  );
});

test.each(pairsOf('answers'))(
  '$file: a whole answer of $to told as a stream says the same to $from',
  (pair) => {
    const body = Buffer.from(JSON.stringify(pair.upstream.answer));
    const whole = readWhole(pair.from, convertAnswer(planOfPair(pair), body));
    const replayed = replayAnswer(planOfPair(pair), body);
    const streamed = replayed.ok ? readStream(pair.from, replayed.body.toString('utf8')) : replayed.error;
    expect(gist(streamed)).toEqual(gist(whole));
  },
);
