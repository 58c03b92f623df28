import { z } from 'zod';
import type { Codec } from '../codec.ts';
import { failureIn } from '../failure.ts';
import { isObject, listAt, numberAt, objectAt, textAt } from '../json.ts';
import { atLeastOne, modelField, textsIn } from '../schema.ts';
import { geminiCosts } from './costs.ts';
import { writeOpenaiRateLimit } from '../rate-limit-headers.ts';
import { geminiStates } from '../reasoning/gemini-states.ts';
import { geminiErrorBody, geminiStreamError } from './errors.ts';
import { geminiModelList } from './model-list.ts';
import { parsePath } from './path.ts';
import { geminiStored } from './stored.ts';
import { respell } from './spelling.ts';
import { geminiTokens } from './usage.ts';

const ROLES = ['user', 'model', 'function', 'system', 'tool'] as const;

const contentField = z.looseObject({
  role: z.enum(ROLES, { error: 'must be "user" or "model"' }).nullish(),
  parts: z.array(z.looseObject({ text: z.string({ error: 'must be a string' }).nullish() }), {
    error: 'is required and must be an array of parts',
  }),
});

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
  requestSchema: ({ action }) => (action === 'count' ? countSchema : requestSchema),
  costs: geminiCosts,
  stored: geminiStored,
  states: geminiStates,
  readRequest: (_body, { pathModel, action }) => ({
    model: modelField.parse(pathModel),
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
  authHeaders: (credential) => ({ 'x-goog-api-key': credential }),
  defaultHeaders: {},
  modelPaths: [['modelVersion']],
  usageOfBody: (body) => objectAt(body, 'usageMetadata'),
  usageOfEvent(event) {
    const usage = objectAt(event, 'usageMetadata');
    const finished = listAt(event, 'candidates').some(
      (candidate) => textAt(candidate, 'finishReason') !== '',
    );
    return usage && { usage, final: finished, cumulative: true };
  },
  failureOf: (event) => failureIn(Array.isArray(event) ? event[0] : event),
  isPreamble: (event) =>
    isObject(event) &&
    failureIn(event) === undefined &&
    objectAt(event, 'promptFeedback') === undefined &&
    listAt(event, 'candidates').every(
      (candidate) =>
        textAt(candidate, 'finishReason') === '' &&
        listAt(objectAt(candidate, 'content'), 'parts').length === 0,
    ),
  isFinal: (event) =>
    listAt(event, 'candidates').some((candidate) => textAt(candidate, 'finishReason') !== '') ||
    objectAt(event, 'promptFeedback') !== undefined,
  tokensOf: geminiTokens,
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
