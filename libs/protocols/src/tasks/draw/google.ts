import { z } from 'zod';
import { findFailure, type Failure } from '../../failure.ts';
import { geminiUsage } from '../../gemini/usage.ts';
import {
  given,
  isObject,
  type JsonObject,
  listAt,
  nonZero,
  numberAt,
  objectAt,
  someTextAt,
  textAt,
} from '../../json.ts';
import { wholeAnswerRules } from '../answer-rules.ts';
import type { TaskHalf } from '../convert-task.ts';
import type { TaskClient, TaskUpstream } from '../task-codec.ts';
import { type DrawAnswer, type DrawRequest, findUndrawable, type Picture } from './drawing.ts';

/** Imagen draws as many where nobody says how many, and no more at once. */
const IMAGEN_COUNT = 4;
/** The model of others may draw more. */
const MAX_COUNT = 8;

const pathTo =
  (verb: string): TaskUpstream['path'] =>
  (model) =>
    `/v1beta/models/${model.split('/').map(encodeURIComponent).join('/')}:${verb}`;

const schema = z.looseObject({
  instances: z
    .array(
      z.looseObject({
        prompt: z.string({ error: 'is required and must be a string' }).min(1, 'must not be empty'),
      }),
      { error: 'is required and must be an array' },
    )
    .length(1, 'must hold one instance'),
  parameters: z
    .looseObject({
      sampleCount: z
        .int({ error: 'must be an integer' })
        .min(1, 'must be at least 1')
        .max(MAX_COUNT, `must be at most ${MAX_COUNT}`)
        .nullish(),
      storageUri: z.null({ error: 'pictures are sent, and not put elsewhere' }).optional(),
    })
    .nullish(),
});

const countOf = (body: JsonObject): number =>
  numberAt(objectAt(body, 'parameters'), 'sampleCount') ?? IMAGEN_COUNT;

export const imagenClient: TaskClient = {
  schema,
  modelInBody: false,
  draws: true,
  readUnits: (body) => ({ images: { counted: countOf(body), max: countOf(body) } }),
  readInputs: (body) => [{ texts: [textAt(listAt(body, 'instances')[0], 'prompt')] }],
  output: (body) => ({ ok: true, output: { limit: null, raisedTo: 0, beside: 0, answers: countOf(body) } }),
};

const isPicture = (prediction: unknown): boolean => textAt(prediction, 'bytesBase64Encoded') !== '';

/** Who holds all of the pictures back says why in place of them. */
function findHeldBack(body: unknown): Failure | undefined {
  const failure = findFailure(body);
  if (failure || !isObject(body) || listAt(body, 'predictions').some(isPicture)) return failure;
  const reasons = listAt(body, 'predictions').map((each) => textAt(each, 'raiFilteredReason'));
  const message =
    reasons.find((reason) => reason !== '') ?? 'The vendor held back what it drew, or drew nothing.';
  return { message, status: 400 };
}

export const imagenUpstream: TaskUpstream = {
  path: pathTo('predict'),
  rules: {
    ...wholeAnswerRules({
      findUsage: () => undefined,
      toTokens: () => ({}),
      findExtras: (body) => ({ units: { images: listAt(body, 'predictions').filter(isPicture).length } }),
    }),
    findFailure: findHeldBack,
  },
};

const IMAGEN_KNOWS = { ratios: ['1:1', '3:4', '4:3', '9:16', '16:9'], resolutions: ['1K', '2K'] };
/** What other vendors have a word for. */
const CARRIED = new Set(['sampleCount', 'aspectRatio', 'sampleImageSize', 'outputOptions']);

export const imagenDraw: TaskHalf<DrawRequest, DrawAnswer> = {
  maxInputs: IMAGEN_COUNT,
  read(body) {
    const instance = listAt(body, 'instances')[0];
    const parameters = objectAt(body, 'parameters') ?? {};
    const options = objectAt(parameters, 'outputOptions');
    const ratio = someTextAt(parameters, 'aspectRatio');
    const resolution = someTextAt(parameters, 'sampleImageSize');
    const more = Object.keys(isObject(instance) ? instance : {}).find((name) => name !== 'prompt');
    return {
      prompt: textAt(instance, 'prompt'),
      count: countOf(body),
      size:
        ratio === undefined && resolution === undefined
          ? undefined
          : {
              ratio: ratio ?? '1:1',
              resolution: resolution === '2K' ? '2K' : '1K',
              param: 'parameters.aspectRatio',
              said: ratio ?? '1:1',
            },
      mimeType: someTextAt(options, 'mimeType'),
      compression: numberAt(options, 'compressionQuality'),
      hints: Object.keys(parameters)
        .filter((name) => !CARRIED.has(name))
        .map((name) => `parameters.${name}`),
      uncarried:
        more === undefined
          ? undefined
          : { param: `instances[0].${more}`, message: 'the upstream of this model takes a prompt alone' },
    };
  },
  write(request) {
    const { prompt, count, size, mimeType, compression, hints } = request;
    const webp = mimeType === 'image/webp' && {
      param: 'output_format',
      message: 'the upstream of this model draws png and jpeg',
    };
    const cannot = webp ? { ok: false as const, ...webp } : findUndrawable(request, IMAGEN_KNOWS);
    if (cannot) return cannot;
    const options = given({
      mimeType,
      compressionQuality: mimeType === 'image/jpeg' ? compression : undefined,
    });
    return {
      ok: true,
      body: {
        instances: [{ prompt }],
        parameters: {
          sampleCount: count,
          ...given({
            aspectRatio: size?.ratio,
            // What has one size alone knows no word for it.
            sampleImageSize: size?.resolution === '2K' ? '2K' : undefined,
            outputOptions: Object.keys(options).length > 0 ? options : undefined,
          }),
        },
      },
      dropped: hints,
    };
  },
  readAnswer(answer) {
    const pictures = listAt(answer, 'predictions')
      .filter(isPicture)
      .map((each): Picture => ({
        data: textAt(each, 'bytesBase64Encoded'),
        mimeType: someTextAt(each, 'mimeType'),
        revisedPrompt: someTextAt(each, 'prompt'),
      }));
    return pictures.length === 0 ? undefined : { pictures, tokens: undefined };
  },
  writeAnswer: ({ pictures }) => ({
    predictions: pictures.map(({ data, mimeType = 'image/png' }) => ({ mimeType, bytesBase64Encoded: data })),
  }),
  rename: ({ bytes }) => bytes,
};

const GEMINI_KNOWS = {
  ratios: ['1:1', '2:3', '3:2', '3:4', '4:3', '4:5', '5:4', '9:16', '16:9', '21:9'],
  resolutions: ['1K', '2K', '4K'],
};

const listParts = (body: unknown): readonly unknown[] =>
  listAt(body, 'candidates').flatMap((candidate) => listAt(objectAt(candidate, 'content'), 'parts'));

const inlineOf = (part: unknown): JsonObject | undefined =>
  objectAt(part, 'inlineData') ?? objectAt(part, 'inline_data');

const dataOf = (part: unknown): string => textAt(inlineOf(part), 'data');

/** Why a model of Gemini drew nothing, as far as it says. */
function findUndrawn(body: unknown): Failure | undefined {
  const failure = findFailure(body);
  if (failure || !isObject(body) || listParts(body).some((part) => dataOf(part) !== '')) return failure;
  const [candidate] = listAt(body, 'candidates');
  const reason =
    someTextAt(objectAt(body, 'promptFeedback'), 'blockReason') ?? someTextAt(candidate, 'finishReason');
  const said = listParts(body)
    .map((part) => textAt(part, 'text'))
    .join('')
    .slice(0, 500);
  return { message: `The model drew nothing (${reason ?? 'no reason'}). ${said}`.trim(), status: 400 };
}

export const geminiDrawUpstream: TaskUpstream = {
  path: pathTo('generateContent'),
  rules: {
    ...wholeAnswerRules({
      findUsage: geminiUsage.findInBody,
      toTokens: (usage) => nonZero({ ...geminiUsage.toTokens(usage) }),
      findExtras: (body) => ({
        units: { images: listParts(body).filter((part) => dataOf(part) !== '').length },
      }),
    }),
    findFailure: findUndrawn,
  },
};

/** Models of Gemini draw in a conversation, one picture in each. */
export const geminiDraw: TaskHalf<DrawRequest, DrawAnswer> = {
  maxInputs: 1,
  write(request) {
    const cannot = findUndrawable(request, GEMINI_KNOWS);
    if (cannot) return cannot;
    const { prompt, size, mimeType, hints } = request;
    const imageSize = size?.resolution === '1K' ? undefined : size?.resolution;
    const imageConfig = given({ aspectRatio: size?.ratio, imageSize });
    return {
      ok: true,
      body: {
        contents: [{ role: 'user', parts: [{ text: prompt }] }],
        generationConfig: {
          responseModalities: ['TEXT', 'IMAGE'],
          ...(Object.keys(imageConfig).length > 0 ? { imageConfig } : {}),
        },
      },
      dropped: [...hints, ...(mimeType === undefined ? [] : ['output_format'])],
    };
  },
  readAnswer(answer) {
    const usage = geminiUsage.findInBody(answer);
    const pictures = listParts(answer).flatMap((part): Picture[] =>
      dataOf(part) === '' ? [] : [{ data: dataOf(part), mimeType: someTextAt(inlineOf(part), 'mimeType') }],
    );
    return pictures.length === 0 ? undefined : { pictures, tokens: usage && geminiUsage.toTokens(usage) };
  },
  rename: ({ bytes }) => bytes,
};
