import { z } from 'zod';
import type { Codec } from '../codec.ts';
import { findFailure } from '../failure.ts';
import { isObject, listAt, numberAt, objectAt, textAt } from '../json.ts';
import { atLeastOne, isAbsentOr, isPlain, textsIn } from '../schema.ts';
import { geminiConversion } from './convert/conversion.ts';
import { geminiCosts } from './costs.ts';
import { geminiDialects } from './dialects.ts';
import { writeOpenaiRateLimit } from '../rate-limit-headers.ts';
import { geminiStates } from './states.ts';
import { findGeminiFailure, geminiErrorBody, geminiStreamError } from './errors.ts';
import { geminiModelList } from './model-list.ts';
import { parsePath } from './path.ts';
import { geminiStored } from './stored.ts';
import { respell } from './spelling.ts';
import { geminiExtras } from './extras.ts';
import { geminiUsage } from './usage.ts';

const ROLES = ['user', 'model', 'function', 'system', 'tool'] as const;

const contentField = z.looseObject({
  role: z.enum(ROLES, { error: 'must be "user" or "model"' }).nullish(),
  parts: z.array(z.looseObject({ text: z.string({ error: 'must be a string' }).nullish() }), {
    error: 'is required and must be an array of parts',
  }),
});

const PLAIN_ROLES: ReadonlySet<unknown> = new Set([...ROLES, undefined]);

const requestSchema = z.looseObject({
  contents: z.array(contentField, { error: 'is required and must be an array' }).min(1, 'must not be empty'),
  generationConfig: z
    .looseObject({ maxOutputTokens: atLeastOne.nullish() }, { error: 'must be an object' })
    .nullish(),
});

/** A count request may hold a whole generate request instead of contents. */
const countSchema = z.union([requestSchema, z.looseObject({ generateContentRequest: z.looseObject({}) })], {
  error: 'contents is required and must be an array',
});

/** Gemini generateContent. */
export const gemini: Codec = {
  title: 'Gemini generateContent',
  nearest: ['openai-chat', 'openai-responses', 'anthropic-messages'],
  requestSchema: ({ action }) => (action === 'count' ? countSchema : requestSchema),
  isPlainRequest: ({ contents, generationConfig }) =>
    Array.isArray(contents) &&
    contents.length > 0 &&
    contents.every(isPlainContent) &&
    isAbsentOr(limitsPlainly, generationConfig),
  conversion: geminiConversion,
  dialects: geminiDialects,
  costs: geminiCosts,
  stored: geminiStored,
  states: geminiStates,
  readRequest: (_body, { pathModel, action }) => ({
    model: pathModel?.trim() ?? '',
    stream: action === 'stream',
    includeUsage: true,
  }),
  outputFields: [
    { path: ['generationConfig', 'maxOutputTokens'], role: 'limit' },
    { path: ['generationConfig', 'thinkingConfig', 'thinkingBudget'], role: 'raises' },
    { path: ['generationConfig', 'candidateCount'], role: 'answers' },
  ],
  respell,
  modelInBody: false,
  parsePath,
  // Clients get one JSON array unless they ask for events.
  clientFraming: (query) => (new URLSearchParams(query).get('alt') === 'sse' ? 'sse' : 'json-array'),
  usageOnRequest: undefined,
  saysContextTooLong: () => true,
  readsErrorsInStreams: () => false,
  isOwnClient: ({ path, headers, queryKey }) =>
    path.startsWith('/v1beta') || headers['x-goog-api-key'] !== undefined || queryKey !== undefined,
  modelList: geminiModelList,
  // There are no names of its own.
  writeRateLimit: writeOpenaiRateLimit,
  errorBody: geminiErrorBody,
  streamError: geminiStreamError,
  // Some clients fail on a comment; an empty line, or white space in an array, harms none.
  keepAlive: Buffer.from('\n'),
  namedEventsNeedData: false,
  telemetry: { provider: 'gcp.gemini', operation: 'generate_content' },
  namesAnswers: false,
  upstreamPath: ({ model, action }) => {
    const verb = { generate: 'generateContent', stream: 'streamGenerateContent', count: 'countTokens' }[
      action
    ];
    return `/v1beta/models/${model.split('/').map(encodeURIComponent).join('/')}:${verb}`;
  },
  keyHeader: { name: 'x-goog-api-key', prefix: '' },
  streamRequest: { action: 'stream', query: 'alt=sse' },
  streamsJsonArrays: true,
  readFrame: undefined,
  modelListPath: '/v1beta/models',
  testRequest: (_model, words) => ({
    contents: [{ role: 'user', parts: [{ text: words }] }],
    generationConfig: { maxOutputTokens: 16 },
  }),
  // How long Google may take is not the caller's to say: its 504 would count against the health of an upstream for all.
  callerHeaders: { names: new Set(['x-goog-api-client']), prefixes: [] },
  callerQuery: new Set(['alt=sse']),
  defaultHeaders: {},
  modelPaths: [['modelVersion']],
  usage: geminiUsage,
  extras: geminiExtras,
  findFailure: findGeminiFailure,
  isPreamble: (event) =>
    isObject(event) &&
    findFailure(event) === undefined &&
    objectAt(event, 'promptFeedback') === undefined &&
    listAt(event, 'candidates').every(
      (candidate) =>
        textAt(candidate, 'finishReason') === '' &&
        listAt(objectAt(candidate, 'content'), 'parts').length === 0,
    ),
  isFinal: (event) =>
    listAt(event, 'candidates').some((candidate) => textAt(candidate, 'finishReason') !== '') ||
    objectAt(event, 'promptFeedback') !== undefined,
  finishReasons: (event) => [
    ...listAt(event, 'candidates').map((candidate) => textAt(candidate, 'finishReason')),
    textAt(objectAt(event, 'promptFeedback'), 'blockReason'),
  ],
  emittedText: (event) =>
    listAt(event, 'candidates')
      .flatMap((candidate) => listAt(objectAt(candidate, 'content'), 'parts'))
      .map((part) => {
        const call = objectAt(part, 'functionCall');
        return (
          textAt(part, 'text') +
          (isObject(call) ? textAt(call, 'name') + JSON.stringify(call['args'] ?? {}) : '')
        );
      })
      .join(''),
  requestText: (body) => textsIn(body['systemInstruction'], body['contents'], body['tools']),
  countedTokens: (body) => numberAt(body, 'totalTokens'),
  countRequest: (body) => ({ contents: body['contents'] }),
  countTokensBody: (tokens) => ({ totalTokens: tokens }),
};

const isPlainContent = (content: unknown): boolean =>
  isObject(content) &&
  PLAIN_ROLES.has(content['role']) &&
  Array.isArray(content['parts']) &&
  content['parts'].every(isPlainPart);

const isPlainPart = (part: unknown): boolean =>
  isObject(part) && (part['text'] === undefined || typeof part['text'] === 'string');

const limitsPlainly = (config: unknown): boolean =>
  isObject(config) && isAbsentOr(isPlain.limit, config['maxOutputTokens']);
