import { createTaskConversion } from '../convert-task.ts';
import type { TaskCodec } from '../task-codec.ts';
import { cohereEmbed, cohereEmbedClient, cohereEmbedUpstream } from './cohere.ts';
import type { EmbedAnswer, EmbedRequest } from './embedding.ts';
import { geminiEmbed, geminiEmbedClients, geminiEmbedUpstreams, geminiSingleEmbed } from './gemini.ts';
import { vertexEmbed, vertexEmbedUpstream } from './vertex.ts';
import { openaiEmbed, openaiEmbedClient, openaiEmbedUpstream } from './openai.ts';

/** Texts to vectors. */
export const embed: TaskCodec = {
  telemetry: 'embeddings',
  // Vectors of two models have nothing in common.
  mayFallBack: false,
  spokenBy: {
    'openai-chat': ['openai'],
    'openai-responses': ['openai'],
    gemini: ['gemini', 'gemini-single'],
  },
  clients: { openai: openaiEmbedClient, cohere: cohereEmbedClient, ...geminiEmbedClients },
  upstreams: {
    openai: openaiEmbedUpstream,
    ...geminiEmbedUpstreams,
    cohere: cohereEmbedUpstream,
    vertex: vertexEmbedUpstream,
  },
  convert: createTaskConversion<EmbedRequest, EmbedAnswer>({
    formats: {
      openai: openaiEmbed,
      gemini: geminiEmbed,
      'gemini-single': geminiSingleEmbed,
      cohere: cohereEmbed,
      vertex: vertexEmbed,
    },
    split(request, maxInputs) {
      const { inputs } = request;
      if (inputs.length <= maxInputs) return [request];
      const calls = Math.ceil(inputs.length / maxInputs);
      return Array.from({ length: calls }, (_, call) => ({
        ...request,
        inputs: inputs.slice(call * maxInputs, (call + 1) * maxInputs),
      }));
    },
    join: (answers) => ({ vectors: answers.flatMap(({ vectors }) => vectors) }),
  }),
};
