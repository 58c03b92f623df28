import { z } from 'zod';
import { IMAGE_ROUTES } from './relay-images.ts';
import { outputLimits } from './relay-bodies.ts';
import { AUDIO_ROUTES } from './relay-audio.ts';
import type { RelayRoute } from './relay-route.ts';

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

const cohereEmbedBody = z
  .looseObject({
    model,
    texts: z.array(z.string().min(1)).min(1).max(96),
    input_type: z
      .enum(['search_document', 'search_query', 'classification', 'clustering'])
      .nullish()
      .meta({ description: 'What the vectors are for; left out where the upstream knows nothing of it' }),
    embedding_types: z
      .array(z.enum(['float', 'base64']))
      .min(1)
      .nullish(),
    output_dimension: dimensions,
  })
  .meta({
    id: 'CohereEmbedRequest',
    examples: [{ model: 'sim-embed', texts: ['Hello'], input_type: 'search_query' }],
  });

const cohereEmbedAnswer = z
  .looseObject({
    id: z.string(),
    embeddings: z.looseObject({
      float: z.array(z.array(z.number())).optional(),
      base64: z.array(z.string()).optional(),
    }),
    texts: z.array(z.string()),
    meta: z.looseObject({}).optional(),
    response_type: z.literal('embeddings_by_type').optional(),
  })
  .meta({ id: 'CohereEmbedAnswer' });

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

const rerankBody = z
  .looseObject({
    model,
    query: z.string().min(1),
    documents: z
      .array(z.union([z.string(), z.looseObject({})]))
      .min(1)
      .max(10_000),
    top_n: z.int().min(1).nullish().meta({ description: 'How many of the best come back' }),
    return_documents: z.boolean().nullish(),
    max_tokens_per_doc: z.int().min(1).nullish(),
  })
  .meta({
    id: 'RerankRequest',
    examples: [{ model: 'sim-rerank', query: 'capital of France', documents: ['Paris', 'Rome'] }],
  });

const rerankAnswer = z
  .looseObject({
    id: z.string().optional(),
    results: z.array(z.looseObject({ index: z.int(), relevance_score: z.number() })),
  })
  .meta({ id: 'RerankAnswer', description: 'The best first, in what clients of Jina and of Cohere read' });

const RERANKS = {
  method: 'POST',
  tag: 'Reranking',
  kind: 'generate',
  protocol: 'openai-chat',
  summary: 'Order documents by how well they answer a query',
  description:
    'Upstreams of Jina’s format, of Cohere’s and of text-embeddings-inference are asked. A model that has a price for rerank units is billed by these: one for each hundred documents, where the upstream does not say how many.',
  body: rerankBody,
  answer: rerankAnswer,
} as const;

const moderationBody = z
  .looseObject({
    model: model.optional().meta({ description: '`omni-moderation-latest` where it is left out' }),
    input: z.union([
      z.string().min(1),
      z.array(z.string()).min(1).max(2_048),
      z
        .array(z.looseObject({ type: z.string() }))
        .min(1)
        .max(2_048),
    ]),
  })
  .meta({ id: 'ModerationRequest', examples: [{ input: 'Hello' }] });

const moderationAnswer = z
  .looseObject({
    id: z.string(),
    model: z.string(),
    results: z.array(z.looseObject({ flagged: z.boolean() })),
  })
  .meta({ id: 'ModerationAnswer' });

const choice = z.looseObject({ index: z.int(), text: z.string(), finish_reason: z.string().nullable() });

const completionBody = z
  .looseObject({
    model,
    prompt: z
      .union([z.string(), z.array(z.string()).min(1).max(2_048), tokens, z.array(tokens).min(1).max(2_048)])
      .nullish()
      .meta({ description: 'One text or several, as text or as tokens' }),
    ...outputLimits,
    max_tokens: z.int().min(0).nullish().meta({ description: 'Of each answer' }),
    n: z.int().min(1).max(128).nullish().meta({ description: 'Answers to each prompt' }),
    best_of: z.int().min(0).max(128).nullish().meta({ description: 'Answers that are written, and billed' }),
    echo: z.boolean().nullish(),
    logprobs: z.union([z.int().min(0), z.boolean()]).nullish(),
    suffix: z.string().nullish().meta({ description: 'What follows the answer, as editors ask for it' }),
    stream: z.boolean().nullish(),
    stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  })
  .meta({ id: 'CompletionRequest', examples: [{ model: 'sim-complete', prompt: 'Once upon a time' }] });

const completionAnswer = z
  .looseObject({
    id: z.string(),
    object: z.literal('text_completion'),
    model: z.string(),
    choices: z.array(choice),
    usage: z.looseObject({ prompt_tokens: z.int(), completion_tokens: z.int().optional() }).nullish(),
  })
  .meta({ id: 'CompletionAnswer' });

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
  embedBelowV2: {
    ...EMBEDS,
    path: '/v2/embed',
    protocol: 'openai-chat',
    task: { task: 'embed', format: 'cohere' },
    summary: 'Embed texts, as Cohere’s clients ask for it',
    body: cohereEmbedBody,
    answer: cohereEmbedAnswer,
  },
  rerank: { ...RERANKS, path: '/v1/rerank', task: { task: 'rerank', format: 'jina' } },
  rerankBelowRoot: { ...RERANKS, path: '/rerank', task: { task: 'rerank', format: 'jina' } },
  rerankBelowV2: { ...RERANKS, path: '/v2/rerank', task: { task: 'rerank', format: 'cohere' } },
  createModeration: {
    method: 'POST',
    tag: 'Moderation',
    kind: 'generate',
    protocol: 'openai-chat',
    path: '/v1/moderations',
    task: { task: 'moderate', format: 'openai' },
    summary: 'Tell whether texts and pictures are harmful',
    description:
      'No vendor reports usage of it: what a model costs for it is its price of a request, and of estimated tokens.',
    body: moderationBody,
    answer: moderationAnswer,
  },
  createCompletion: {
    method: 'POST',
    tag: 'Text completions',
    kind: 'generate',
    protocol: 'openai-chat',
    path: '/v1/completions',
    task: { task: 'complete', format: 'openai' },
    summary: 'Complete a text',
    description:
      'For models that complete texts, such as those of code: the prompt passes as it is, and never becomes a conversation. What is held counts every prompt, `n` and `best_of`.',
    body: completionBody,
    answer: completionAnswer,
    streams: 'asked for in the body',
  },
  ...IMAGE_ROUTES,
  ...AUDIO_ROUTES,
  ...geminiEmbeds('/v1beta', ''),
  ...geminiEmbeds('/v1', 'BelowV1'),
};
