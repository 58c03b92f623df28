import { OUTPUT_TOKEN_KINDS, INPUT_TOKEN_KINDS, sumTokens, type TokenCounts } from '@tollgate/vocabulary';
import { z } from 'zod';
import { findFailure } from '../../failure.ts';
import { given, type JsonObject, listAt, numberAt, objectAt, someTextAt, textAt } from '../../json.ts';
import { drawingTokens } from '../../openai-chat/extras.ts';
import { boundImageOutput } from '../../openai-responses/drawing.ts';
import { atLeastOne, modelField, streamField } from '../../schema.ts';
import { setBodyFields } from '../../upstream-request.ts';
import type { TaskHalf } from '../convert-task.ts';
import type { AnswerRules, TaskClient, TaskStreams, TaskUpstream } from '../task-codec.ts';
import { type DrawAnswer, type DrawRequest, type Picture, toDrawSize, toPixels } from './drawing.ts';

/** No vendor draws more at once. */
const MAX_IMAGES = 10;
const MAX_PROMPT = 32_000;

/** What requests of generations and of edits share. */
export const drawFields = {
  model: modelField,
  prompt: z
    .string({ error: 'is required and must be a string' })
    .min(1, 'must not be empty')
    .max(MAX_PROMPT, `must have at most ${MAX_PROMPT} characters`),
  n: atLeastOne.max(MAX_IMAGES, `must be at most ${MAX_IMAGES}`).nullish(),
  size: z
    .string({ error: 'must be a string' })
    .regex(/^(?:auto|\d{1,5}x\d{1,5})$/, 'must be "auto", or a width and a height such as "1024x1024"')
    .nullish(),
  quality: z.string({ error: 'must be a string' }).nullish(),
  partial_images: z
    .int({ error: 'must be an integer' })
    .min(0, 'must be 0 to 3')
    .max(3, 'must be 0 to 3')
    .nullish(),
  /** What it draws is written by a second model, which has a price of its own. */
  output_format: z
    .string({ error: 'must be a string' })
    .refine((format) => format !== 'svg', 'svg is written by another model, which is not served here')
    .nullish(),
  stream: streamField,
};

const schema = z.looseObject(drawFields);

/** As many as are asked for, with what is shown before they are ready. */
export const drawOutput: NonNullable<TaskClient['output']> = (body) => {
  const answers = numberAt(body, 'n') ?? 1;
  if (body['stream'] === true && answers > 1)
    return { ok: false, fault: { path: ['n'], message: 'Streaming is only supported with n=1' } };
  const { tokens, isExact, beside } = boundImageOutput(body);
  // What the model draws at most counts where the vendor chooses, but for a size that is stated.
  const isSized = /^\d/.test(textAt(body, 'size'));
  const limit = isExact ? tokens : null;
  return { ok: true, output: { limit, raisedTo: isSized && !isExact ? tokens : 0, beside, answers } };
};

/** By those that are there, as some may have been held back. */
const countImages: TaskClient['readUnits'] = (body) => {
  const images = numberAt(body, 'n') ?? 1;
  return { images: { counted: images, max: images } };
};

export const openaiDrawClient: TaskClient = {
  schema,
  modelInBody: true,
  draws: true,
  output: drawOutput,
  readUnits: countImages,
  readInputs: (body) => [{ texts: [textAt(body, 'prompt')] }],
};

const usageAt = (value: unknown): JsonObject | undefined => objectAt(value, 'usage');

const isDrawn = (event: unknown): boolean =>
  /^image_(?:generation|edit)\.completed$/.test(textAt(event, 'type'));

/** What a stream shows before a picture is ready is none that anybody pays for. */
export const imageRules: AnswerRules = {
  usage: {
    findInBody: usageAt,
    findInEvent(event) {
      const usage = isDrawn(event) ? usageAt(event) : undefined;
      return usage && { usage, final: true, cumulative: true };
    },
    toTokens: drawingTokens,
  },
  extras: {
    findInBody: (body) => ({ units: { images: listAt(body, 'data').length } }),
    findInEvent: (event, before) =>
      isDrawn(event) ? { units: { images: (before?.units?.images ?? 0) + 1 } } : before,
  },
  findFailure,
  isPreamble: (event) => !isDrawn(event),
  isFinal: isDrawn,
  emittedText: () => '',
  streamsJsonArrays: false,
};

export const openaiDrawUpstream: TaskUpstream = {
  path: () => '/v1/images/generations',
  rules: imageRules,
  isLarge: true,
};

/** What hints at how a picture is drawn, or says who asks. */
const HINTS = ['quality', 'style', 'moderation', 'complexity', 'partial_images'];
const FORMATS = new Set(['png', 'jpeg', 'webp']);

function read(body: JsonObject): DrawRequest {
  const [, width, height] = /^(\d+)x(\d+)$/.exec(textAt(body, 'size')) ?? [];
  const format = someTextAt(body, 'output_format');
  return {
    prompt: textAt(body, 'prompt'),
    count: numberAt(body, 'n') ?? 1,
    size: width && height ? toDrawSize('size', Number(width), Number(height)) : undefined,
    mimeType: format && `image/${format}`,
    compression: numberAt(body, 'output_compression'),
    hints: HINTS.filter((name) => body[name] !== undefined && body[name] !== null && body[name] !== 'auto'),
    uncarried: findUncarried(body, format),
  };
}

function findUncarried(body: JsonObject, format: string | undefined): DrawRequest['uncarried'] {
  if (format !== undefined && !FORMATS.has(format))
    return { param: 'output_format', message: `the upstream of this model draws no ${format}` };
  if (body['background'] === 'transparent')
    return { param: 'background', message: 'the upstream of this model draws no transparent background' };
  if (body['response_format'] === 'url')
    return {
      param: 'response_format',
      message: 'the upstream of this model sends pictures, and no addresses',
    };
  return undefined;
}

/** These answer base64 always, and know no field that asks for it. */
const ALWAYS_BASE64 = /gpt-image/i;

export const openaiDraw: TaskHalf<DrawRequest, DrawAnswer> = {
  maxInputs: MAX_IMAGES,
  read,
  write({ prompt, count, size, mimeType, compression, hints, uncarried }, model) {
    if (uncarried) return { ok: false, ...uncarried };
    const pixels = size && toPixels(size);
    if (size && pixels === undefined)
      return { ok: false, param: size.param, message: `the upstream of this model draws no ${size.said}` };
    return {
      ok: true,
      body: {
        model,
        prompt,
        n: count,
        ...given({
          size: pixels,
          output_format: mimeType?.replace('image/', ''),
          output_compression: mimeType === 'image/png' ? undefined : compression,
          response_format: ALWAYS_BASE64.test(model) ? undefined : 'b64_json',
        }),
      },
      dropped: hints,
    };
  },
  readAnswer(answer) {
    const usage = usageAt(answer);
    const format = someTextAt(answer, 'output_format');
    const pictures = listAt(answer, 'data').map((each): Picture => ({
      data: textAt(each, 'b64_json'),
      url: textAt(each, 'url'),
      mimeType: format && `image/${format}`,
    }));
    return pictures.length === 0 ? undefined : { pictures, tokens: usage && drawingTokens(usage) };
  },
  writeAnswer: ({ pictures, tokens }) => {
    const format = pictures[0]?.mimeType?.replace('image/', '');
    return {
      created: Math.floor(Date.now() / 1_000),
      data: pictures.map(({ data, revisedPrompt }) => ({
        b64_json: data,
        ...given({ revised_prompt: revisedPrompt }),
      })),
      ...given({ output_format: format, usage: tokens && toUsage(tokens) }),
    };
  },
  rename: ({ bytes, upstreamModel }) => setBodyFields(bytes, { model: upstreamModel }),
};

function toUsage(tokens: TokenCounts): JsonObject {
  const [input, output] = [sumTokens(tokens, INPUT_TOKEN_KINDS), sumTokens(tokens, OUTPUT_TOKEN_KINDS)];
  const [imagesIn, imagesOut] = [tokens.input_image ?? 0, tokens.output_image ?? 0];
  return {
    input_tokens: input,
    input_tokens_details: { text_tokens: input - imagesIn, image_tokens: imagesIn },
    output_tokens: output,
    output_tokens_details: { text_tokens: output - imagesOut, image_tokens: imagesOut },
    total_tokens: input + output,
  };
}

/** Each picture as the event that tells that it is ready. */
export const createImageStreams = (type: string): TaskStreams => ({
  usageOnRequest: false,
  replay: (answer) =>
    listAt(answer, 'data').map((each) => ({
      name: type,
      data: {
        type,
        ...(each as JsonObject),
        created_at: numberAt(answer, 'created') ?? Math.floor(Date.now() / 1_000),
        background: someTextAt(answer, 'background') ?? 'auto',
        output_format: someTextAt(answer, 'output_format') ?? 'png',
        quality: someTextAt(answer, 'quality') ?? 'auto',
        size: someTextAt(answer, 'size') ?? 'auto',
        usage: usageAt(answer) ?? { input_tokens: 0, output_tokens: 0, total_tokens: 0 },
      },
    })),
});
