import { z } from 'zod';
import { findOwn } from '@tollgate/vocabulary';
import { findFailure, toFailure } from '../../failure.ts';
import {
  countAt,
  isObject,
  type JsonObject,
  nonZero,
  numberAt,
  objectAt,
  parseJson,
  textAt,
} from '../../json.ts';
import type { ResponseRewriter } from '../../rewriter.ts';
import { modelField } from '../../schema.ts';
import { createSseSplitter, type SseRecord } from '../../stream/sse-splitter.ts';
import { setBodyFields } from '../../upstream-request.ts';
import type { AnswerRules, TaskClient, TaskCodec } from '../task-codec.ts';

const schema = z.looseObject({
  model: modelField,
  input: z.string({ error: 'is required and must be a string' }).min(1, 'must not be empty'),
  instructions: z.string({ error: 'must be a string' }).nullish(),
  response_format: z.string({ error: 'must be a string' }).nullish(),
  speed: z
    .number({ error: 'must be a number' })
    .min(0.25, 'must be at least 0.25')
    .max(4, 'must be at most 4')
    .nullish(),
  stream_format: z.enum(['audio', 'sse'], { error: 'must be "audio" or "sse"' }).nullish(),
});

/** Tokens of sound for each character that is spoken: OpenAI's have about 21 in a second, in which 15 characters are said. */
const USUAL_TOKENS = 1.5;
/** Where a text is said slowly, or as laughter and pauses. */
const MAX_TOKENS = 8;
const MAX_BESIDE = 512;

const speedOf = (body: JsonObject): number => Math.min(1, numberAt(body, 'speed') ?? 1);
/** As people count them, whatever their encoding. */
const charactersOf = (body: JsonObject): number => Array.from(textAt(body, 'input')).length;

const client: TaskClient = {
  schema,
  modelInBody: true,
  sounds: true,
  streams: (body) => body['stream_format'] === 'sse',
  readInputs: (body) => [{ texts: [textAt(body, 'input'), textAt(body, 'instructions')] }],
  readUnits: (body) => ({ characters: { counted: charactersOf(body), max: textAt(body, 'input').length } }),
  readWritten: (body) => ({ output_audio: Math.ceil((charactersOf(body) * USUAL_TOKENS) / speedOf(body)) }),
  output: (body) => ({
    ok: true,
    output: {
      limit: Math.ceil((charactersOf(body) * MAX_TOKENS) / speedOf(body)) + MAX_BESIDE,
      raisedTo: 0,
      beside: 0,
      answers: 1,
    },
  }),
};

const isDone = (event: unknown): boolean => textAt(event, 'type') === 'speech.audio.done';

const findUsage = (event: unknown): JsonObject | undefined => objectAt(event, 'usage');

const rules: AnswerRules = {
  usage: {
    findInBody: findUsage,
    findInEvent(event) {
      const usage = findUsage(event);
      return usage && { usage, final: true, cumulative: true };
    },
    toTokens: (usage) =>
      nonZero({ input: countAt(usage, 'input_tokens'), output_audio: countAt(usage, 'output_tokens') }),
  },
  extras: { findInBody: () => undefined, findInEvent: (_event, before) => before },
  findFailure(value) {
    if (textAt(value, 'type') !== 'error' || !isObject(value)) return findFailure(value);
    return findFailure(value) ?? toFailure(value);
  },
  isPreamble: () => false,
  isFinal: isDone,
  emittedText: () => '',
  streamsJsonArrays: false,
};

/** The sound in events, for clients that want nothing else. */
function readSound(): ResponseRewriter {
  const splitter = createSseSplitter();
  const toBytes = (records: readonly SseRecord[]): Buffer =>
    Buffer.concat(records.map(({ data }) => Buffer.from(textAt(parseJson(data ?? ''), 'audio'), 'base64')));
  return {
    push: (chunk) => toBytes(splitter.push(chunk)),
    end: () => toBytes(splitter.flush()),
    held: splitter.held,
  };
}

const TYPES: Readonly<Record<string, string>> = {
  mp3: 'audio/mpeg',
  opus: 'audio/opus',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
};

/** Models that say their sound as bytes alone, and report nothing. */
const WITHOUT_EVENTS = /^tts-1/;

/**
 * Text as speech, billed by its characters or by the tokens that the model reports. Those that are billed by tokens report them
 * with events alone, so events are asked for whatever the client wants.
 */
export const speak: TaskCodec = {
  telemetry: 'speech',
  mayFallBack: true,
  spokenBy: { 'openai-chat': ['openai'], 'openai-responses': ['openai'] },
  clients: { openai: client },
  upstreams: { openai: { path: () => '/v1/audio/speech', rules, bytes: { unwrap: readSound } } },
  streams: { usageOnRequest: false, replay: () => [] },
  convert({ bytes, body, namedModel, upstreamModel, pricedUnits = [] }) {
    const asksForEvents =
      !pricedUnits.includes('characters') &&
      body['stream_format'] !== 'sse' &&
      !WITHOUT_EVENTS.test(upstreamModel);
    const changes = {
      ...(namedModel === upstreamModel ? {} : { model: upstreamModel }),
      ...(asksForEvents ? { stream_format: 'sse' } : {}),
    };
    return {
      ok: true,
      bodies: [Object.keys(changes).length === 0 ? bytes : setBodyFields(bytes, changes)],
      ...(asksForEvents
        ? {
            bytesType: findOwn(TYPES, textAt(body, 'response_format') || 'mp3') ?? 'application/octet-stream',
          }
        : {}),
      dropped: [],
      toAnswer: () => 'as it is',
    };
  },
};
