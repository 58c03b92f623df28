import { z } from 'zod';
import type { RelayRoute } from './relay.ts';

/*
 * Routes of tasks, which are no conversations. Their bodies are open as those of conversations are: the fields that Tollgate
 * reads are named.
 */

const model = z.string().min(1).max(256).meta({ description: 'As the list of models names it' });
const tokens = z.array(z.int().nonnegative()).min(1);
const dimensions = z.int().min(1).nullish().meta({ description: 'Numbers of each vector' });

const embeddingsBody = z
  .looseObject({
    model,
    input: z
      .union([
        z.string().min(1),
        z.array(z.string().min(1)).min(1).max(2_048),
        tokens,
        z.array(tokens).min(1).max(2_048),
      ])
      .meta({ description: 'One text or several, as text or as tokens' }),
    dimensions,
    encoding_format: z
      .enum(['float', 'base64'])
      .nullish()
      .meta({ description: '`base64` is of 32-bit floats, the lowest byte first' }),
    user: z.string().nullish(),
  })
  .meta({
    id: 'EmbeddingsRequest',
    examples: [{ model: 'sim-embed', input: ['Hello', 'Good evening'] }],
  });

const embeddingsAnswer = z
  .looseObject({
    object: z.literal('list'),
    data: z.array(
      z.looseObject({
        object: z.literal('embedding'),
        index: z.int(),
        embedding: z.union([z.array(z.number()), z.string()]),
      }),
    ),
    model: z.string(),
    usage: z.looseObject({ prompt_tokens: z.int(), total_tokens: z.int() }),
  })
  .meta({ id: 'EmbeddingsAnswer' });

const embedContentBody = z
  .looseObject({
    content: z.looseObject({ parts: z.array(z.looseObject({ text: z.string().nullish() })).min(1) }),
    taskType: z.string().nullish(),
    title: z.string().nullish(),
    outputDimensionality: dimensions,
  })
  .meta({ id: 'EmbedContentRequest', examples: [{ content: { parts: [{ text: 'Hello' }] } }] });

const batchEmbedContentsBody = z.looseObject({ requests: z.array(embedContentBody).min(1).max(100) }).meta({
  id: 'BatchEmbedContentsRequest',
  examples: [{ requests: [{ content: { parts: [{ text: 'Hello' }] } }] }],
});

const values = z.looseObject({ values: z.array(z.number()) });

const EMBEDS = {
  method: 'POST',
  tag: 'Embeddings',
  kind: 'generate',
  description:
    'Upstreams of every format are asked: vectors keep their order and lose nothing, however they are written. What one call does not take is asked in several, and fails as a whole. No other model ever answers in place of the one that is named.',
} as const;

const geminiEmbeds = (below: '/v1beta' | '/v1', suffix: string): Readonly<Record<string, RelayRoute>> => {
  const base = {
    ...EMBEDS,
    protocol: 'gemini',
    params: z.object({ model: z.string().meta({ examples: ['sim-embed'] }) }),
  } as const;
  return {
    [`embedContent${suffix}`]: {
      ...base,
      path: `${below}/models/{model}:embedContent`,
      task: { task: 'embed', format: 'gemini-single' },
      summary: 'Embed one text',
      body: embedContentBody,
      answer: z.looseObject({ embedding: values }),
    },
    [`batchEmbedContents${suffix}`]: {
      ...base,
      path: `${below}/models/{model}:batchEmbedContents`,
      task: { task: 'embed', format: 'gemini' },
      summary: 'Embed several texts',
      body: batchEmbedContentsBody,
      answer: z.looseObject({ embeddings: z.array(values) }),
    },
  };
};

export const TASK_ROUTES: Readonly<Record<string, RelayRoute>> = {
  createEmbeddings: {
    ...EMBEDS,
    path: '/v1/embeddings',
    protocol: 'openai-chat',
    task: { task: 'embed', format: 'openai' },
    summary: 'Embed texts',
    body: embeddingsBody,
    answer: embeddingsAnswer,
  },
  ...geminiEmbeds('/v1beta', ''),
  ...geminiEmbeds('/v1', 'BelowV1'),
};
