import { z } from 'zod';
import type { RelayRoute } from './relay-route.ts';

/* Routes that draw. Their bodies are open: the fields that Tollgate reads are named. */

const drawBody = z
  .looseObject({
    model: z.string().min(1).max(256).meta({ description: 'As the list of models names it' }),
    prompt: z.string().min(1).max(32_000),
    n: z.int().min(1).max(10).nullish().meta({ description: 'Pictures; of a stream one' }),
    size: z.string().nullish().meta({ description: '`auto`, or such as `1024x1536`' }),
    quality: z.string().nullish().meta({ description: 'With the size it tells how much is held' }),
    output_format: z.string().nullish().meta({ description: '`png`, `jpeg` or `webp`; `svg` is not served' }),
    output_compression: z.int().min(0).max(100).nullish(),
    background: z.string().nullish(),
    response_format: z.string().nullish().meta({ description: 'Of models that are not GPT image models' }),
    stream: z.boolean().nullish(),
    partial_images: z.int().min(0).max(3).nullish(),
  })
  .meta({ id: 'ImageRequest', examples: [{ model: 'sim-draw', prompt: 'A lighthouse at dusk' }] });

const drawAnswer = z
  .looseObject({
    created: z.int(),
    data: z.array(
      z.looseObject({
        b64_json: z.string().optional(),
        url: z.string().optional(),
        revised_prompt: z.string().optional(),
      }),
    ),
    usage: z.looseObject({ input_tokens: z.int(), output_tokens: z.int() }).optional(),
  })
  .meta({ id: 'ImageAnswer' });

const predictBody = z
  .looseObject({
    instances: z.array(z.looseObject({ prompt: z.string().min(1) })).length(1),
    parameters: z
      .looseObject({
        sampleCount: z.int().min(1).max(8).nullish().meta({ description: '4 where it is left out' }),
        aspectRatio: z.string().nullish(),
        sampleImageSize: z.string().nullish(),
        outputOptions: z.looseObject({ mimeType: z.string().nullish() }).nullish(),
      })
      .nullish(),
  })
  .meta({
    id: 'PredictRequest',
    examples: [{ instances: [{ prompt: 'A lighthouse at dusk' }], parameters: { sampleCount: 1 } }],
  });

const predictAnswer = z.looseObject({
  predictions: z.array(
    z.looseObject({ bytesBase64Encoded: z.string().optional(), mimeType: z.string().optional() }),
  ),
});

const DRAWS = {
  method: 'POST',
  tag: 'Image generation',
  kind: 'generate',
  description:
    'Upstreams of OpenAI’s format, Imagen and models of Gemini that draw are asked. A model is billed by tokens, as its upstream reports them, or by the picture where it has a price for `images`. What an upstream cannot draw is refused with 400, and hints that it does not know are named in `x-tollgate-dropped`.',
} as const;

const predicts = (below: '/v1beta' | '/v1' | '/v1beta1/publishers/google'): RelayRoute => ({
  ...DRAWS,
  protocol: 'gemini',
  path: `${below}/models/{model}:predict`,
  params: z.object({ model: z.string().meta({ examples: ['sim-draw'] }) }),
  task: { task: 'draw', format: 'imagen' },
  summary: 'Draw pictures, as Google’s clients ask for them',
  body: predictBody,
  answer: predictAnswer,
});

const editBody = drawBody
  .safeExtend({
    images: z
      .array(z.looseObject({ image_url: z.string() }))
      .min(1)
      .max(16)
      .meta({
        description: 'Addresses, or `data:` with base64. A form has files named `image` or `image[]`',
      }),
    mask: z.looseObject({ image_url: z.string() }).nullish(),
  })
  .meta({
    id: 'ImageEditRequest',
    examples: [
      {
        model: 'sim-draw',
        prompt: 'A lighthouse at dusk',
        images: [{ image_url: 'https://images.example/lighthouse.png' }],
      },
    ],
  });

export const IMAGE_ROUTES: Readonly<Record<string, RelayRoute>> = {
  createImage: {
    ...DRAWS,
    protocol: 'openai-chat',
    path: '/v1/images/generations',
    task: { task: 'draw', format: 'openai' },
    summary: 'Draw pictures of what a text says',
    body: drawBody,
    answer: drawAnswer,
    streams: 'asked for in the body',
  },
  editImage: {
    ...DRAWS,
    tag: 'Image editing',
    protocol: 'openai-chat',
    path: '/v1/images/edits',
    task: { task: 'edit', format: 'openai' },
    summary: 'Change pictures as a text says',
    description:
      'As JSON, or as a form with up to 16 files, which passes without being held in memory. It is billed as pictures that are drawn, with those that go in.',
    body: editBody,
    answer: drawAnswer,
    streams: 'asked for in the body',
  },
  predict: predicts('/v1beta'),
  predictBelowV1: predicts('/v1'),
  predictOfVertex: predicts('/v1beta1/publishers/google'),
};
