import { z } from 'zod';

/*
 * Bodies of the vendors' formats. They are open: the fields that Tollgate itself reads are named, and the rest is the
 * vendor's. The formats' codecs check what comes.
 */

const model = z
  .string()
  .min(1)
  .max(256)
  .meta({ description: 'As the list of models names it', examples: ['sim-chat'] });
const stream = z.boolean().nullish().meta({ description: 'Answer in server-sent events' });

const LIMIT = 'How many tokens may come back; what a request may cost at most is held by it';
const limit = z.int().min(1).nullish().meta({ description: LIMIT });
const raises = z
  .int()
  .nullish()
  .meta({ description: 'Where it asks for more than the limit, it is the limit' });
const beside = z.int().nullish().meta({ description: 'Tokens that may come beside the limit' });
const answers = z.int().nullish().meta({ description: 'So many answers are held and billed' });

const message = z
  .looseObject({
    role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
    content: z.unknown().optional().meta({
      description: 'A text or a list of parts; only an assistant that called tools may have none',
    }),
  })
  .meta({ id: 'ChatMessage' });
const messages = z.array(message).min(1);

/** What servers of OpenAI's formats read of how much may be written, beside `max_tokens` and `n`. */
export const outputLimits = {
  num_return_sequences: answers,
  max_completion_tokens: limit,
  max_output_tokens: raises,
  max_new_tokens: raises,
  max_length: raises,
  min_tokens: raises,
  num_predict: raises,
  options: z.looseObject({ num_predict: raises }).nullish(),
  reasoning: z.looseObject({ max_tokens: raises }).nullish(),
  thinking: z.looseObject({ budget_tokens: raises }).nullish(),
  thinking_budget: beside,
  extra_body: z
    .looseObject({
      google: z
        .looseObject({ thinking_config: z.looseObject({ thinking_budget: raises }).nullish() })
        .nullish(),
    })
    .nullish(),
};

export const chatBody = z
  .looseObject({
    model,
    messages,
    stream,
    stream_options: z
      .looseObject({ include_usage: z.boolean().nullish() })
      .nullish()
      .meta({ description: 'A stream is metered whether its usage is asked for or not' }),
    ...outputLimits,
    max_tokens: limit,
    prediction: z
      .looseObject({ content: z.unknown().optional() })
      .nullish()
      .meta({ description: 'Words of it that the answer does not hold are billed as output' }),
    n: answers,
    best_of: answers,
  })
  .meta({
    id: 'ChatCompletionRequest',
    examples: [{ model: 'sim-chat', messages: [{ role: 'user', content: 'Hello' }], max_tokens: 100 }],
  });

export const responsesBody = z
  .looseObject({
    model,
    input: z
      .union([z.string(), z.array(z.unknown()), z.record(z.string(), z.unknown())])
      .meta({ description: 'A text, or a list of items' }),
    stream,
    max_output_tokens: limit,
    max_tokens: raises,
    max_completion_tokens: raises,
    reasoning: z.looseObject({ max_tokens: raises }).nullish(),
    thinking_budget: beside,
    n: answers,
    previous_response_id: z
      .string()
      .nullish()
      .meta({ description: 'An answer that was kept for this account; `store: false` keeps none' }),
    background: z.boolean().nullish().meta({
      description:
        'The answer goes on after the request, and is fetched by its id; of models that are sold so, without `stream` and `store: false`',
    }),
  })
  .meta({
    id: 'ResponseRequest',
    examples: [{ model: 'sim-responses', input: 'Hello', max_output_tokens: 100 }],
  });

export const countMessagesBody = z.looseObject({ model, messages }).meta({
  id: 'CountMessagesRequest',
  examples: [{ model: 'sim-claude', messages: [{ role: 'user', content: 'Hello' }] }],
});

export const messagesBody = z
  .looseObject({
    model,
    messages,
    max_tokens: z.int().min(1).meta({ description: LIMIT }),
    stream,
    thinking: z.looseObject({ budget_tokens: raises }).nullish(),
    max_output_tokens: raises,
    max_completion_tokens: raises,
    max_tokens_to_sample: raises,
  })
  .meta({
    id: 'MessagesRequest',
    examples: [{ model: 'sim-claude', max_tokens: 100, messages: [{ role: 'user', content: 'Hello' }] }],
  });

const contents = z
  .array(
    z
      .looseObject({
        role: z.enum(['user', 'model', 'function', 'system', 'tool']).nullish(),
        parts: z.array(z.looseObject({ text: z.string().nullish() })),
      })
      .meta({ id: 'GeminiContent' }),
  )
  .min(1);

export const geminiBody = z
  .looseObject({
    contents,
    generationConfig: z
      .looseObject({
        maxOutputTokens: limit,
        thinkingConfig: z.looseObject({ thinkingBudget: raises }).nullish(),
        candidateCount: answers,
      })
      .nullish(),
  })
  .meta({
    id: 'GenerateContentRequest',
    description: 'Names may be written in snake_case too',
    examples: [
      {
        contents: [{ role: 'user', parts: [{ text: 'Hello' }] }],
        generationConfig: { maxOutputTokens: 100 },
      },
    ],
  });

export const countGeminiBody = z
  .union([geminiBody, z.looseObject({ generateContentRequest: z.looseObject({}) })])
  .meta({ examples: [{ contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] }] });

const usage = z.looseObject({}).optional().meta({ description: 'The tokens that are billed' });

export const chatAnswer = z
  .looseObject({ model: z.string().optional(), choices: z.array(z.looseObject({})).optional(), usage })
  .meta({ id: 'ChatCompletion' });
export const responsesAnswer = z
  .looseObject({ model: z.string().optional(), output: z.array(z.looseObject({})).optional(), usage })
  .meta({ id: 'Response' });
export const deletedResponse = z
  .object({ id: z.string(), object: z.literal('response'), deleted: z.literal(true) })
  .meta({ id: 'DeletedResponse' });
export const messagesAnswer = z
  .looseObject({ model: z.string().optional(), content: z.array(z.looseObject({})).optional(), usage })
  .meta({ id: 'Message' });
export const geminiAnswer = z
  .looseObject({
    modelVersion: z.string().optional(),
    candidates: z.array(z.looseObject({})).optional(),
    usageMetadata: usage,
  })
  .meta({ id: 'GeneratedContent' });

export const messagesCount = z.looseObject({ input_tokens: z.int() }).meta({ id: 'MessagesCount' });
export const geminiCount = z.looseObject({ totalTokens: z.int() }).meta({ id: 'GeminiCount' });

/** What an upstream says to a request that it finds wrong may hold more. */
export const openaiError = z
  .looseObject({
    error: z.looseObject({
      message: z.string(),
      type: z.string(),
      param: z.string().nullable().meta({ description: 'The field that is wrong' }),
      code: z.string().nullable(),
    }),
  })
  .meta({ id: 'OpenaiError' });
export const messagesError = z
  .looseObject({
    type: z.literal('error'),
    error: z.looseObject({
      type: z.string(),
      message: z.string(),
      details: z.looseObject({ error_code: z.string().optional() }).optional(),
    }),
    request_id: z.string().optional(),
  })
  .meta({ id: 'MessagesError' });
export const geminiError = z
  .looseObject({
    error: z.looseObject({
      code: z.int().meta({ description: 'The HTTP status' }),
      message: z.string(),
      status: z.string(),
      type: z.string(),
      details: z.array(z.looseObject({ '@type': z.string() })),
    }),
  })
  .meta({ id: 'GeminiError' });

const openaiModel = z
  .object({
    id: z.string(),
    object: z.literal('model'),
    created: z.int(),
    owned_by: z.string(),
    supported_endpoint_types: z
      .array(z.string())
      .meta({ description: 'Where it is asked; `supported_endpoint` of `/api/pricing` has their paths' }),
  })
  .meta({ id: 'Model' });
const messagesModel = z
  .object({
    type: z.literal('model'),
    id: z.string(),
    display_name: z.string(),
    created_at: z.iso.datetime(),
    max_input_tokens: z.int().nullable(),
    max_tokens: z.int().nullable(),
  })
  .meta({ id: 'MessagesModel' });
const geminiModel = z
  .object({
    name: z.string(),
    baseModelId: z.string(),
    version: z.string(),
    displayName: z.string(),
    description: z.string(),
    inputTokenLimit: z.int().optional(),
    outputTokenLimit: z.int().optional(),
    supportedGenerationMethods: z.array(z.string()),
  })
  .meta({ id: 'GeminiModel' });

export const modelAnswer = z.union([openaiModel, messagesModel, geminiModel]);
export const modelListAnswer = z.union([
  z.object({ object: z.literal('list'), data: z.array(openaiModel) }).meta({ id: 'ModelList' }),
  z
    .object({
      data: z.array(messagesModel),
      has_more: z.boolean(),
      first_id: z.string().nullable(),
      last_id: z.string().nullable(),
    })
    .meta({ id: 'MessagesModelList' }),
  z
    .object({ models: z.array(geminiModel), nextPageToken: z.string().optional() })
    .meta({ id: 'GeminiModelList' }),
]);

export const statusAnswer = z
  .object({
    success: z.literal(true),
    message: z.string(),
    data: z.object({
      version: z.string().meta({ description: 'Of the software' }),
      start_time: z.int().meta({ description: 'Seconds since 1970' }),
      system_name: z.string(),
      server_address: z.string(),
      docs_link: z.string(),
      setup: z.boolean(),
      quota_per_unit: z.int(),
      quota_display_type: z.string(),
      display_in_currency: z.boolean(),
      pricing_version: z.int().nullable().meta({ description: 'The number of the price snapshot' }),
    }),
  })
  .meta({ id: 'Status', description: 'In the shape that clients of such relays read' });
