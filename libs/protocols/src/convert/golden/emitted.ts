import { CLIENT_PROTOCOLS, type ClientProtocol, type Protocol } from '@tollgate/vocabulary';
import fc from 'fast-check';
import { isObject, type JsonObject, parseJson } from '../../json.ts';
import { replay } from '../../neutral/assemble.ts';
import type { NeutralAnswer } from '../../neutral/answer.ts';
import { relayError } from '../../relay-error.ts';
import { createSseSplitter } from '../../stream/sse-splitter.ts';
import { convertAnswer } from '../convert-answer.ts';
import { createStreamConverter } from '../convert-stream.ts';
import { CODECS } from '../../registry.ts';
import { answerFiles, answerPairs, toBytes, createPlan, readAnswerCase, convertStreamed } from './answer-cases.ts';
import { ANSWER_TOOLS, anyAnswer } from './arbitrary-answer.ts';

/** Something that a client gets of a converted answer: the answer, or the bytes of its stream. */
export interface Emitted {
  readonly client: ClientProtocol;
  readonly upstream: Protocol;
  readonly whole?: JsonObject;
  readonly stream?: string;
}

const ANSWERS_OF_A_PAIR = 60;
const SEED = 15;

const pairs = CLIENT_PROTOCOLS.flatMap((client) => CLIENT_PROTOCOLS.map((upstream) => ({ client, upstream })));

/** Answers of every upstream format as the clients of every format get them: the cases, and whatever fast-check makes up. */
export const emittedAnswers = (): Emitted[] => [...ofCases(), ...pairs.flatMap(ofPair)];

function ofCases(): Emitted[] {
  const wholes = answerFiles('answers').flatMap((file) =>
    answerPairs(readAnswerCase('answers', file)).flatMap(({ from, to, upstream }) => {
      const body = Buffer.from(JSON.stringify(upstream.answer));
      return wholeOf(from, to, body, upstream.tools);
    }),
  );
  const streams = answerFiles('streams').flatMap((file) =>
    answerPairs(readAnswerCase('streams', file)).map((pair): Emitted => {
      const stream = convertStreamed(pair, [toBytes(pair.to, pair.upstream.events ?? [])]);
      return { client: pair.from, upstream: pair.to, stream };
    }),
  );
  return [...wholes, ...streams];
}

function wholeOf(client: ClientProtocol, upstream: Protocol, body: Buffer, tools = ANSWER_TOOLS): Emitted[] {
  const converted = convertAnswer(createPlan(client, upstream, tools), body);
  const whole = converted.ok ? parseJson(converted.body.toString('utf8')) : undefined;
  return isObject(whole) ? [{ client, upstream, whole }] : [];
}

/** Where client and upstream speak the same it is what becomes of an answer that was no stream but should be one. */
function ofPair({ client, upstream }: { readonly client: ClientProtocol; readonly upstream: ClientProtocol }): Emitted[] {
  const own = createPlan(upstream, upstream, ANSWER_TOOLS).answer;
  const sample = (streamed: boolean): NeutralAnswer[] =>
    fc.sample(anyAnswer(upstream, streamed), { seed: SEED, numRuns: ANSWERS_OF_A_PAIR });
  const wholes = sample(false).flatMap((answer) =>
    wholeOf(
      client,
      upstream,
      Buffer.from(JSON.stringify(CODECS[upstream].conversion.encodeAnswer(answer, own))),
    ),
  );
  const streams = sample(true).map((answer, index): Emitted => {
    const encoder = CODECS[upstream].conversion.streamEncoder(own);
    const bytes = [...replay(answer)].map((event) => encoder.write(event)).join('') + encoder.end();
    const converter = createStreamConverter(createPlan(client, upstream, ANSWER_TOOLS), 'sse');
    // Some break off in the middle.
    const half = index % 10 === 0;
    const pushed = converter.push(Buffer.from(half ? bytes.slice(0, bytes.length / 2) : bytes));
    const ended = half ? converter.fail?.(relayError('upstream_error', 'It broke off.')) : converter.end();
    return { client, upstream, stream: Buffer.concat([pushed, ended].filter((part) => part !== undefined)).toString() };
  });
  return [...wholes, ...streams];
}

/** The events of a stream that hold JSON. */
export const splitEvents = (stream: string): JsonObject[] =>
  createSseSplitter()
    .push(Buffer.from(stream))
    .map(({ data = '' }) => parseJson(data))
    .filter(isObject);
