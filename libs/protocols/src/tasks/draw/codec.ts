import type { TokenCounts } from '@tollgate/vocabulary';
import { createTaskConversion } from '../convert-task.ts';
import type { TaskCodec } from '../task-codec.ts';
import type { DrawAnswer, DrawRequest } from './drawing.ts';
import { geminiDraw, geminiDrawUpstream, imagenClient, imagenDraw, imagenUpstream } from './google.ts';
import { openaiDraw, openaiDrawClient, openaiDrawUpstream, createImageStreams } from './openai.ts';

/** Pictures of what a text says. */
export const draw: TaskCodec = {
  telemetry: 'image_generation',
  mayFallBack: true,
  spokenBy: {
    'openai-chat': ['openai'],
    'openai-responses': ['openai'],
    gemini: ['gemini', 'imagen'],
  },
  // Google has two kinds of models that draw, which are told apart by their names alone.
  formatOf: (model) => (/imagen/i.test(model) ? 'imagen' : /gemini/i.test(model) ? 'gemini' : undefined),
  clients: { openai: openaiDrawClient, imagen: imagenClient },
  upstreams: { openai: openaiDrawUpstream, imagen: imagenUpstream, gemini: geminiDrawUpstream },
  streams: createImageStreams('image_generation.completed'),
  convert: createTaskConversion<DrawRequest, DrawAnswer>({
    formats: { openai: openaiDraw, imagen: imagenDraw, gemini: geminiDraw },
    split(request, maxInputs) {
      const calls = Math.ceil(request.count / maxInputs) || 1;
      return Array.from({ length: calls }, (_, call) => ({
        ...request,
        count: Math.min(maxInputs, request.count - call * maxInputs),
      }));
    },
    join: (answers) => ({
      pictures: answers.flatMap(({ pictures }) => pictures),
      tokens: answers.some(({ tokens }) => tokens !== undefined)
        ? addUp(answers.map(({ tokens = {} }) => tokens))
        : undefined,
    }),
  }),
};

function addUp(counts: readonly TokenCounts[]): TokenCounts {
  const sum: Partial<Record<keyof TokenCounts, number>> = {};
  for (const each of counts)
    for (const kind of Object.keys(each) as (keyof TokenCounts)[])
      sum[kind] = (sum[kind] ?? 0) + (each[kind] ?? 0);
  return sum;
}
