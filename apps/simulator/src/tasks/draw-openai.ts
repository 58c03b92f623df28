import { bearer, CREATED, type StreamEvent } from '../formats/format.ts';
import { openaiError } from '../formats/openai-error.ts';
import { field, type Json } from '../question.ts';
import { refuseBy, type ModelProfile, type Refusal, type Rule, type RuledRequest } from '../rules/rule.ts';
import type { Script } from '../script.ts';
import { drawBase64, ONE_PICTURE } from './drawing.ts';
import { countTokens } from './embedding.ts';
import type { TaskAnswer, TaskDoor } from './task-door.ts';

const API = 'https://platform.openai.com/docs/api-reference/images/create';
const GUIDE = 'https://platform.openai.com/docs/guides/image-generation';

/** What a family of models takes. */
interface ImageProfile {
  /** They answer base64 and usage; others answer addresses, unless asked, and no usage. */
  readonly isGptImage: boolean;
  readonly maxImages: number;
  readonly sizes: RegExp | undefined;
  readonly qualities: readonly string[] | undefined;
}

export const IMAGE_PROFILES: readonly ModelProfile<ImageProfile>[] = [
  {
    models: /gpt-image-2/,
    source: GUIDE,
    takes: {
      isGptImage: true,
      maxImages: 10,
      sizes: /^(?:auto|\d+x\d+)$/,
      qualities: ['auto', 'low', 'medium', 'high', 'xhigh', 'max'],
    },
  },
  {
    models: /gpt-image/,
    source: GUIDE,
    takes: {
      isGptImage: true,
      maxImages: 10,
      sizes: /^(?:auto|1024x1024|1536x1024|1024x1536)$/,
      qualities: ['auto', 'low', 'medium', 'high'],
    },
  },
];
const OTHERS: ImageProfile = { isGptImage: false, maxImages: 10, sizes: undefined, qualities: undefined };

const MEMBERS = new Set(
  `model prompt n size quality output_format output_compression background moderation stream partial_images
  safety_identifier user response_format style frame_count frame_duration_ms complexity svg`.split(/\s+/),
);

const wrong = (message: string, param: string): Refusal => ({ status: 400, message, param });
type Check = (request: RuledRequest<ImageProfile>) => Refusal | undefined;
const rule = (id: string, refuses: string, check: Check): Rule<ImageProfile> => ({
  id,
  refuses,
  source: API,
  check,
});

const isBetween = (value: unknown, from: number, to: number): boolean =>
  value === undefined || (Number.isInteger(value) && Number(value) >= from && Number(value) <= to);

export const OPENAI_DRAW_RULES = [
  rule('draw-unknown-member', 'a member that the end point does not know', ({ body }) => {
    const unknown = Object.keys(body).find((name) => !MEMBERS.has(name));
    return unknown === undefined ? undefined : wrong(`Unknown parameter: '${unknown}'.`, unknown);
  }),
  rule('draw-prompt', 'no prompt, or one of more than 32,000 characters', ({ body: { prompt } }) =>
    typeof prompt === 'string' && prompt !== '' && prompt.length <= 32_000
      ? undefined
      : wrong("Invalid 'prompt': expected a string of 1 to 32000 characters.", 'prompt'),
  ),
  rule('draw-n', 'fewer than 1 or more than 10 pictures', ({ body, profile }) =>
    isBetween(body['n'], 1, profile.maxImages)
      ? undefined
      : wrong(`Invalid 'n': integer out of range, at most ${profile.maxImages}.`, 'n'),
  ),
  rule(
    'draw-size',
    'a size that the model does not draw, or with a side that 16 does not divide',
    ({ body, profile }) => {
      const { size } = body;
      if (size === undefined || !profile.sizes) return undefined;
      const [width, height] = String(size).split('x').map(Number);
      const isOdd = size !== 'auto' && [width, height].some((side) => (side ?? 1) % 16 !== 0);
      return profile.sizes.test(String(size)) && !isOdd
        ? undefined
        : wrong(`Invalid size '${String(size)}' for this model.`, 'size');
    },
  ),
  rule('draw-quality', 'a quality that the model does not know', ({ body, profile }) =>
    body['quality'] === undefined || (profile.qualities?.includes(String(body['quality'])) ?? true)
      ? undefined
      : wrong(`Invalid value: '${String(body['quality'])}'.`, 'quality'),
  ),
  rule('draw-response-format', '`response_format` and `style` of GPT image models', ({ body, profile }) => {
    const unknown =
      profile.isGptImage && ['response_format', 'style'].find((name) => body[name] !== undefined);
    return unknown ? wrong(`Unknown parameter: '${unknown}'.`, unknown) : undefined;
  }),
  rule('draw-stream', 'a stream of several pictures', ({ body }) =>
    body['stream'] === true && Number(body['n'] ?? 1) > 1
      ? wrong('Streaming is only supported with n=1.', 'n')
      : undefined,
  ),
  rule('draw-partial-images', 'more than 3 partial pictures, or some where nothing is streamed', ({ body }) =>
    isBetween(body['partial_images'], 0, 3) &&
    (body['partial_images'] === undefined || body['stream'] === true)
      ? undefined
      : wrong("Invalid 'partial_images'.", 'partial_images'),
  ),
  rule('draw-transparent', 'a transparent background as jpeg', ({ body }) =>
    body['background'] === 'transparent' && body['output_format'] === 'jpeg'
      ? wrong("Transparent background is not supported for 'jpeg' output format.", 'background')
      : undefined,
  ),
];

/** Words that are refused as a policy would. */
const HARM = /\bforbidden\b/i;
const BLOCKED: Refusal = {
  status: 400,
  code: 'moderation_blocked',
  message: 'Your request was rejected by the safety system.',
};

/** The guide's table of tokens by quality and shape: square, upright, wide. */
const TOKENS: Readonly<Record<string, readonly [number, number, number]>> = {
  low: [272, 408, 400],
  medium: [1_056, 1_584, 1_568],
  high: [4_160, 6_240, 6_208],
};
/** What each partial picture costs. */
const PARTIAL = 100;

function countImageTokens(body: Json): number {
  const [width = 1, height = 1] = String(body['size'] ?? '1024x1024')
    .split('x')
    .map(Number);
  const [square, upright, wide] = TOKENS[String(body['quality'] ?? 'medium')] ??
    TOKENS['medium'] ?? [0, 0, 0];
  const drawn = width === height || Number.isNaN(width) ? square : height > width ? upright : wide;
  return drawn + PARTIAL * Number(body['partial_images'] ?? 0);
}

const isGptImage = (model: string): boolean =>
  IMAGE_PROFILES.find(({ models }) => models.test(model))?.takes.isGptImage ?? false;

/** What OpenAI and those who speak its format draw, and charge. */
function answerDrawn(
  { model, prompt, imagesIn, type }: { model: string; prompt: string; imagesIn: number; type: string },
  body: Json,
  script: Script,
): TaskAnswer {
  const count = Math.max(0, Number(body['n'] ?? 1) - (script.held_back ?? 0));
  const reports = isGptImage(model);
  const asBase64 = reports || body['response_format'] === 'b64_json';
  const data = Array.from({ length: count }, (_, index) =>
    asBase64
      ? { b64_json: drawBase64(prompt, index, script) }
      : { url: `https://images.example/${index}.png`, revised_prompt: prompt },
  );
  const text = script.usage?.input ?? countTokens([prompt], script);
  const output = script.usage?.output ?? count * countImageTokens(body);
  const usage = {
    input_tokens: text + imagesIn,
    input_tokens_details: { text_tokens: text, image_tokens: imagesIn },
    output_tokens: output,
    total_tokens: text + imagesIn + output,
  };
  const head = {
    background: body['background'] ?? 'opaque',
    output_format: body['output_format'] ?? 'png',
    quality: body['quality'] ?? 'medium',
    size: body['size'] ?? '1024x1024',
  };
  const said = reports && script.no_usage !== true ? { usage } : {};
  const event = (of: string, more: object): StreamEvent => ({
    name: `${type}.${of}`,
    data: {
      type: `${type}.${of}`,
      b64_json: drawBase64(prompt, 0, script),
      created_at: CREATED,
      ...head,
      ...more,
    },
  });
  const partials = Array.from({ length: Number(body['partial_images'] ?? 0) }, (_, index) =>
    event('partial_image', { partial_image_index: index }),
  );
  return {
    body: { created: CREATED, ...(reports ? head : {}), data, ...said },
    ...(reports ? { events: [...partials, event('completed', said)], terminator: '' } : {}),
    billed: [
      {
        model,
        tier: 'standard',
        region: undefined,
        tokens: reports ? { input: text, image_input: imagesIn, image_output: output } : {},
        tools: reports ? {} : { image: count },
      },
    ],
    tokens: text + imagesIn,
    output: reports ? output : count * ONE_PICTURE,
  };
}

const EDIT_API = 'https://platform.openai.com/docs/api-reference/images/createEdit';
const MAX_PICTURES = 16;
/** What the guide says that a picture of low fidelity counts. */
const PICTURE = 194;

/** Files of a form, or pictures of JSON. */
const listPictures = (body: Json): readonly unknown[] => [
  ...[body['image'] ?? [], body['image[]'] ?? [], body['images'] ?? []].flat(),
];

const editRule = (id: string, refuses: string, check: Check): Rule<ImageProfile> => ({
  id,
  refuses,
  source: EDIT_API,
  check,
});

const isFile = (each: unknown): boolean => typeof field(each, 'bytes') === 'number';
const isReference = (each: unknown): boolean => typeof field(each, 'image_url') === 'string';

export const OPENAI_EDIT_RULES = [
  editRule('edit-prompt', 'no prompt', ({ body: { prompt } }) =>
    typeof prompt === 'string' && prompt !== ''
      ? undefined
      : wrong("Missing required parameter: 'prompt'.", 'prompt'),
  ),
  editRule('edit-pictures', `no picture, or more than ${MAX_PICTURES}`, ({ body }) => {
    const count = listPictures(body).length;
    return count > 0 && count <= MAX_PICTURES
      ? undefined
      : wrong(`Expected 1 to ${MAX_PICTURES} images, got ${count}.`, 'image');
  }),
  editRule('edit-picture', 'a picture that is neither a file nor has an address', ({ body }) =>
    listPictures(body).every((each) => isFile(each) || isReference(each))
      ? undefined
      : wrong('Invalid image.', 'image'),
  ),
  editRule('edit-stream', 'a stream of several pictures', ({ body }) =>
    body['stream'] === true && Number(body['n'] ?? 1) > 1
      ? wrong('Streaming is only supported with n=1.', 'n')
      : undefined,
  ),
];

/** OpenAI's `/v1/images/edits`. */
export const openaiEdit: TaskDoor = {
  refuse: refuseBy({ rules: OPENAI_EDIT_RULES, profiles: IMAGE_PROFILES, unknown: OTHERS }),
  error: openaiError,
  credential: bearer,
  read: (body) => ({ model: String(body['model']), inputs: [String(body['prompt'])] }),
  answer: ({ model, inputs: [prompt] }, body, script) =>
    answerDrawn(
      { model, prompt: String(prompt), imagesIn: PICTURE * listPictures(body).length, type: 'image_edit' },
      body,
      script,
    ),
};

/** OpenAI's `/v1/images/generations`. */
export const openaiDraw: TaskDoor = {
  refuse: refuseBy({
    rules: [
      ...OPENAI_DRAW_RULES,
      rule('draw-moderation', 'a prompt with the word "forbidden"', ({ body }) =>
        HARM.test(String(body['prompt'])) ? BLOCKED : undefined,
      ),
    ],
    profiles: IMAGE_PROFILES,
    unknown: OTHERS,
  }),
  error: openaiError,
  credential: bearer,
  read: (body) => ({ model: String(body['model']), inputs: [String(body['prompt'])] }),
  answer: ({ model, inputs: [prompt] }, body, script) =>
    answerDrawn({ model, prompt: String(prompt), imagesIn: 0, type: 'image_generation' }, body, script),
};
