import { z } from 'zod';
import { isObject, type JsonObject, textAt } from '../../json.ts';
import { modelField } from '../../schema.ts';
import { setBodyFields } from '../../upstream-request.ts';
import { wholeAnswerRules } from '../answer-rules.ts';
import type { TaskClient, TaskCodec } from '../task-codec.ts';

const MAX_INPUTS = 2_048;
/** What a picture counts at most. */
const PICTURE_TOKENS = 8_192;

const schema = z.looseObject({
  model: modelField,
  input: z.union(
    [
      z.string().min(1),
      z.array(z.string()).min(1).max(MAX_INPUTS),
      z
        .array(z.looseObject({ type: z.string() }))
        .min(1)
        .max(MAX_INPUTS),
    ],
    { error: 'is required and must be a string, or an array of strings or of parts' },
  ),
});

const readInput = (part: unknown) => {
  if (typeof part === 'string') return { texts: [part] };
  const isPicture = isObject(part) && part['type'] !== 'text';
  return { texts: [textAt(part, 'text')], media: isPicture ? PICTURE_TOKENS : 0 };
};

const client: TaskClient = {
  schema,
  modelInBody: true,
  // As OpenAI's own.
  defaultModel: 'omni-moderation-latest',
  readInputs: ({ input }: JsonObject) => (Array.isArray(input) ? input : [input]).map(readInput),
};

/** Whether texts and pictures are harmful. Nobody reports usage, and OpenAI asks nothing for it. */
export const moderate: TaskCodec = {
  telemetry: 'moderation',
  mayFallBack: true,
  spokenBy: { 'openai-chat': ['openai'], 'openai-responses': ['openai'] },
  clients: { openai: client },
  upstreams: {
    openai: {
      path: () => '/v1/moderations',
      rules: wholeAnswerRules({ findUsage: () => undefined, toTokens: () => ({}) }),
    },
  },
  // There is one format: requests and answers pass as they are, but for the name of the model.
  convert: ({ bytes, namedModel, upstreamModel }) => ({
    ok: true,
    bodies: [namedModel === upstreamModel ? bytes : setBodyFields(bytes, { model: upstreamModel })],
    dropped: [],
    toAnswer: () => 'as it is',
  }),
};
