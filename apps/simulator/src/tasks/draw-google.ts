import { gemini } from '../formats/gemini.ts';
import { field, isObject, type Json, list } from '../question.ts';
import { refuseBy, type Refusal, type Rule } from '../rules/rule.ts';
import { drawBase64, ONE_PICTURE } from './drawing.ts';
import { countTokens } from './embedding.ts';
import type { TaskDoor } from './task-door.ts';

const API = 'https://ai.google.dev/gemini-api/docs/imagen';

const wrong = (message: string): Refusal => ({ status: 400, message });
const rule = (id: string, refuses: string, check: Rule<object>['check']): Rule<object> => ({
  id,
  refuses,
  source: API,
  check,
});

const RATIOS = ['1:1', '3:4', '4:3', '9:16', '16:9'];
const TYPES = ['image/png', 'image/jpeg'];
const MAX_IMAGES = 4;

export const IMAGEN_RULES = [
  rule('imagen-unknown-member', 'a member beside `instances` and `parameters`', ({ body }) => {
    const unknown = Object.keys(body).find((name) => !['instances', 'parameters'].includes(name));
    return unknown === undefined
      ? undefined
      : wrong(`Invalid JSON payload received. Unknown name "${unknown}": Cannot find field.`);
  }),
  rule('imagen-instances', 'anything but one instance with a prompt', ({ body }) => {
    const instances = list(body['instances']);
    return instances.length === 1 && typeof field(instances[0], 'prompt') === 'string'
      ? undefined
      : wrong('instances must hold one instance with a prompt.');
  }),
  rule('imagen-sample-count', `more than ${MAX_IMAGES} pictures`, ({ body }) => {
    const count = field(body['parameters'], 'sampleCount') ?? 1;
    return Number.isInteger(count) && Number(count) >= 1 && Number(count) <= MAX_IMAGES
      ? undefined
      : wrong(`sampleCount must be in the range 1 to ${MAX_IMAGES}.`);
  }),
  rule('imagen-aspect-ratio', 'a shape that it does not draw', ({ body }) => {
    const ratio = field(body['parameters'], 'aspectRatio') ?? '1:1';
    return RATIOS.includes(String(ratio))
      ? undefined
      : wrong(`aspectRatio must be one of ${RATIOS.join(', ')}.`);
  }),
  rule('imagen-output', 'a file that is neither png nor jpeg', ({ body }) => {
    const type = field(field(body['parameters'], 'outputOptions'), 'mimeType') ?? 'image/png';
    return TYPES.includes(String(type)) ? undefined : wrong(`mimeType must be one of ${TYPES.join(', ')}.`);
  }),
];

/** Imagen at Google: it says nothing of tokens, and charges by the picture. */
export const imagen: TaskDoor = {
  refuse: refuseBy({ rules: IMAGEN_RULES, profiles: [], unknown: {} }),
  error: gemini.error,
  credential: gemini.credential,
  read: (body, model) => ({
    model: model ?? '',
    inputs: list(body['instances']).map((instance) => String(field(instance, 'prompt'))),
  }),
  answer({ model, inputs: [said] }, body, script) {
    const prompt = String(said);
    const parameters = isObject(body['parameters']) ? body['parameters'] : {};
    const asked = Number(parameters['sampleCount'] ?? MAX_IMAGES);
    const heldBack = Math.min(asked, script.held_back ?? 0);
    const mimeType = field(parameters['outputOptions'], 'mimeType') ?? 'image/png';
    const drawn = Array.from({ length: asked - heldBack }, (_, index) => ({
      mimeType,
      bytesBase64Encoded: drawBase64(prompt, index, script),
    }));
    const filtered = Array.from({ length: heldBack }, () => ({
      raiFilteredReason: 'Unable to show generated images. All images were filtered out.',
    }));
    return {
      body: {
        predictions: [
          ...drawn,
          ...(parameters['includeRaiReason'] === true || drawn.length === 0 ? filtered : []),
        ],
      },
      billed: [{ model, tier: 'standard', region: undefined, tokens: {}, tools: { image: drawn.length } }],
      tokens: 0,
      output: drawn.length * ONE_PICTURE,
    };
  },
};

const GEMINI_API = 'https://ai.google.dev/gemini-api/docs/image-generation';
const GEMINI_RATIOS = [...RATIOS, '2:3', '3:2', '4:5', '5:4', '21:9'];
/** What the page says that one picture counts. */
const GEMINI_PICTURE = 1_290;

const configOf = (body: Json): unknown => field(field(body, 'generationConfig'), 'imageConfig');

const geminiRule = (id: string, refuses: string, check: Rule<object>['check']): Rule<object> => ({
  id,
  refuses,
  source: GEMINI_API,
  check,
});

export const GEMINI_DRAW_RULES = [
  geminiRule('gemini-draw-contents', 'no content', ({ body }) =>
    list(body['contents']).length > 0
      ? undefined
      : wrong('* GenerateContentRequest.contents: is not specified'),
  ),
  geminiRule('gemini-draw-aspect-ratio', 'a shape that it does not draw', ({ body }) =>
    GEMINI_RATIOS.includes(String(field(configOf(body), 'aspectRatio') ?? '1:1'))
      ? undefined
      : wrong('aspect_ratio must be one of 1:1, 2:3, 3:2, 3:4, 4:3, 4:5, 5:4, 9:16, 16:9 and 21:9.'),
  ),
  geminiRule('gemini-draw-image-size', 'a size other than 1K, 2K and 4K', ({ body }) =>
    ['1K', '2K', '4K'].includes(String(field(configOf(body), 'imageSize') ?? '1K'))
      ? undefined
      : wrong('image_size must be one of 1K, 2K, 4K.'),
  ),
  geminiRule('gemini-draw-candidates', 'several candidates', ({ body }) =>
    Number(field(body['generationConfig'], 'candidateCount') ?? 1) === 1
      ? undefined
      : wrong('Multiple candidates is not enabled for this model'),
  ),
];

/** Whether a conversation is to be answered with a picture. */
export const asksForPicture = (body: Json): boolean =>
  list(field(body['generationConfig'], 'responseModalities')).includes('IMAGE');

/** A model of Gemini that answers with a picture. */
export const geminiDraw: TaskDoor = {
  refuse: refuseBy({ rules: GEMINI_DRAW_RULES, profiles: [], unknown: {} }),
  error: gemini.error,
  credential: gemini.credential,
  read: (body, model) => ({
    model: model ?? '',
    inputs: list(body['contents']).map((content) =>
      list(field(content, 'parts'))
        .map((part) => String(field(part, 'text') ?? ''))
        .join(' '),
    ),
  }),
  answer({ model, inputs }, _body, script) {
    const prompt = String(inputs[0]);
    const input = countTokens(inputs, script);
    const isBlocked = (script.held_back ?? 0) > 0;
    const image = isBlocked ? 0 : (script.usage?.output ?? GEMINI_PICTURE);
    const data = drawBase64(prompt, 0, script);
    const usage = {
      promptTokenCount: input,
      candidatesTokenCount: image,
      totalTokenCount: input + image,
      promptTokensDetails: [{ modality: 'TEXT', tokenCount: input }],
      candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: image }],
    };
    const drawn = { role: 'model', parts: [{ inlineData: { mimeType: 'image/png', data } }] };
    return {
      body: {
        candidates: [
          isBlocked
            ? { finishReason: 'IMAGE_SAFETY', index: 0 }
            : { content: drawn, finishReason: 'STOP', index: 0 },
        ],
        ...(script.no_usage ? {} : { usageMetadata: usage }),
        modelVersion: model,
      },
      billed: [
        { model, tier: 'standard', region: undefined, tokens: { input, image_output: image }, tools: {} },
      ],
      tokens: input,
      output: image,
    };
  },
};
