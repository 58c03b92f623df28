import { z } from 'zod';
import { isObject, type JsonObject, listAt, textAt } from '../../json.ts';
import { setBodyFields } from '../../upstream-request.ts';
import { drawFields, drawOutput, imageRules, createImageStreams } from '../draw/openai.ts';
import type { TaskClient, TaskCodec } from '../task-codec.ts';

/** No vendor takes more at once. */
const MAX_PICTURES = 16;
/** What a picture that goes in counts at most. */
const PICTURE_TOKENS = 7_000;

/** Forms hold texts alone: a number is one all the same. */
const numeric = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => (typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value), schema);

const picture = z
  .looseObject({
    image_url: z.string({ error: 'must be a string' }).nullish(),
    file_id: z.null({ error: 'no files are kept here; send image_url' }).optional(),
  })
  .refine((each) => typeof each.image_url === 'string' && each.image_url !== '', {
    path: ['image_url'],
    error: 'is required',
  });

/** What a form tells of a file. */
const file = z.looseObject({ bytes: z.int() }, { error: 'must be a file' });

const schema = z
  .looseObject({
    ...drawFields,
    n: numeric(drawFields.n),
    partial_images: numeric(drawFields.partial_images),
    stream: z.union([drawFields.stream, z.enum(['true', 'false'])], { error: 'must be true or false' }),
    images: z
      .array(picture, { error: 'must be an array of pictures' })
      .min(1, 'must not be empty')
      .max(MAX_PICTURES, `must be at most ${MAX_PICTURES} pictures`)
      .optional(),
    image: z.union([file, z.array(file)], { error: 'must be a file' }).optional(),
    'image[]': z.array(file, { error: 'must be files' }).optional(),
    mask: z.union([picture, file], { error: 'must be a picture' }).nullish(),
  })
  .superRefine((body, context) => {
    const pictures = countPictures(body) - (isObject(body.mask) ? 1 : 0);
    const path = ['image' in body || 'image[]' in body ? 'image' : 'images'];
    if (pictures === 0) context.addIssue({ code: 'custom', path: ['image'], message: 'is required' });
    else if (pictures > MAX_PICTURES)
      context.addIssue({ code: 'custom', path, message: `must be at most ${MAX_PICTURES} pictures` });
  });

/** Those that are changed, and the mask. */
function countPictures(body: JsonObject): number {
  const { image, mask } = body;
  const single = isObject(image) ? 1 : listAt(body, 'image').length;
  return single + listAt(body, 'image[]').length + listAt(body, 'images').length + (isObject(mask) ? 1 : 0);
}

/** With its numbers and its choices as JSON has them, however they were sent. */
const asJson = (body: JsonObject): JsonObject => ({
  ...body,
  n: toNumber(body['n']),
  partial_images: toNumber(body['partial_images']),
  stream: body['stream'] === true || body['stream'] === 'true',
});

const toNumber = (value: unknown): unknown =>
  typeof value === 'string' && value !== '' ? Number(value) : value;

const countOf = (body: JsonObject): number => Number(asJson(body)['n'] ?? 1);

const client: TaskClient = {
  schema,
  form: 'allowed',
  modelInBody: true,
  draws: true,
  output: (body) => drawOutput(asJson(body)),
  readUnits: (body) => ({ images: { counted: countOf(body), max: countOf(body) } }),
  readInputs: (body) => [{ texts: [textAt(body, 'prompt')], media: countPictures(body) * PICTURE_TOKENS }],
};

/** Pictures out of others, as a text says. */
export const edit: TaskCodec = {
  telemetry: 'image_edit',
  mayFallBack: true,
  spokenBy: { 'openai-chat': ['openai'], 'openai-responses': ['openai'] },
  clients: { openai: client },
  upstreams: { openai: { path: () => '/v1/images/edits', rules: imageRules, isLarge: true } },
  streams: createImageStreams('image_edit.completed'),
  // There is one format: requests and answers pass as they are, but for the name of the model.
  convert: ({ bytes, namedModel, upstreamModel }) => ({
    ok: true,
    bodies: [namedModel === upstreamModel ? bytes : setBodyFields(bytes, { model: upstreamModel })],
    form: namedModel === upstreamModel ? {} : { model: upstreamModel },
    dropped: [],
    toAnswer: () => 'as it is',
  }),
};
