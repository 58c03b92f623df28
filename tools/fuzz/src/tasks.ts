import type { Task, TaskFormat } from '@tollgate/vocabulary';
import type { Json } from './mutate.ts';

type OfFormats = Readonly<Partial<Record<TaskFormat, Json>>>;

const TEXT: Json = { parts: [{ text: 'Hello' }] };
const FILE: Json = { filename: 'a.wav', bytes: 64_000, beginning: 'UklGRiQAAABXQVZFZm10IA==' };
const RERANK: Json = {
  model: 'm',
  query: 'Which?',
  documents: ['one', { text: 'two' }, 'three'],
  top_n: 2,
  return_documents: true,
  max_tokens_per_doc: 100,
};
const DRAW: Json = {
  model: 'm',
  prompt: 'A cat',
  n: 2,
  size: '1024x1536',
  quality: 'high',
  output_format: 'jpeg',
  output_compression: 50,
  partial_images: 1,
  background: 'auto',
  user: 'u1',
};

/** A request of each task with something of everything, in each format of its clients. */
export const TASK_REQUESTS: Readonly<Record<Task, OfFormats>> = {
  embed: {
    openai: { model: 'm', input: ['Hello', 'World'], dimensions: 4, encoding_format: 'base64', user: 'u1' },
    cohere: {
      model: 'm',
      texts: ['Hello', 'World'],
      input_type: 'search_query',
      embedding_types: ['float', 'base64'],
      output_dimension: 4,
    },
    gemini: {
      requests: [
        { content: TEXT, taskType: 'RETRIEVAL_QUERY', outputDimensionality: 4 },
        { model: 'models/m', content: TEXT, taskType: 'RETRIEVAL_QUERY', outputDimensionality: 4 },
      ],
    },
    'gemini-single': { content: TEXT, taskType: 'CLUSTERING', title: 'T', outputDimensionality: 4 },
  },
  rerank: { jina: RERANK, cohere: RERANK },
  moderate: { openai: { model: 'm', input: [{ type: 'text', text: 'Hello' }] } },
  complete: {
    openai: {
      model: 'm',
      prompt: ['Once', 'Twice'],
      suffix: 'end',
      max_tokens: 10,
      n: 2,
      best_of: 2,
      logprobs: 1,
      echo: true,
      stream: true,
      stream_options: { include_usage: true },
    },
  },
  draw: {
    openai: DRAW,
    imagen: {
      instances: [{ prompt: 'A cat' }],
      parameters: {
        sampleCount: 2,
        aspectRatio: '3:4',
        sampleImageSize: '2K',
        outputOptions: { mimeType: 'image/jpeg', compressionQuality: 50 },
      },
    },
  },
  edit: {
    openai: {
      model: 'm',
      prompt: 'Bluer',
      n: '2',
      size: '1024x1024',
      images: [{ image_url: 'https://example.com/a.png' }],
      mask: { image_url: 'https://example.com/b.png' },
    },
  },
  transcribe: { openai: { model: 'm', file: FILE, response_format: 'srt', prompt: 'Names', stream: 'true' } },
  translate: { openai: { model: 'm', file: FILE, response_format: 'text' } },
  speak: {
    openai: {
      model: 'm',
      input: 'Hello',
      voice: 'alloy',
      response_format: 'wav',
      speed: 0.5,
      instructions: 'Slowly',
    },
  },
};

const VECTOR: Json = [0.5, -1, 0.25, 2];
const SOUND_USAGE: Json = {
  type: 'tokens',
  input_tokens: 14,
  input_token_details: { text_tokens: 4, audio_tokens: 10 },
  output_tokens: 45,
};
const RANKED: Json = {
  id: 'r1',
  results: [
    { index: 1, relevance_score: 0.9 },
    { index: 0, relevance_score: 0.1 },
  ],
  usage: { prompt_tokens: 7, total_tokens: 7 },
  meta: { billed_units: { search_units: 1, input_tokens: 7 } },
};
const DRAWN: Json = {
  created: 1,
  output_format: 'png',
  data: [{ b64_json: 'AAAA', revised_prompt: 'A cat' }, { url: 'https://example.com/a.png' }],
  usage: {
    input_tokens: 9,
    input_tokens_details: { text_tokens: 5, image_tokens: 4 },
    output_tokens: 272,
    total_tokens: 281,
  },
};
const TRANSCRIPT: Json = {
  text: 'Hello',
  duration: 1.5,
  segments: [{ start: 0, end: 1.5, text: ' Hello', speaker: 'A' }],
  usage: SOUND_USAGE,
};

/** An answer of each task with something of everything, in each format of its upstreams. */
export const TASK_ANSWERS: Readonly<Record<Task, OfFormats>> = {
  embed: {
    openai: {
      object: 'list',
      data: [
        { object: 'embedding', index: 1, embedding: VECTOR },
        { object: 'embedding', index: 0, embedding: 'AAAAPwAAgL8AAIA+AAAAQA==' },
      ],
      usage: { prompt_tokens: 3, total_tokens: 3 },
    },
    cohere: { embeddings: { float: [VECTOR, VECTOR] }, meta: { billed_units: { input_tokens: 3 } } },
    gemini: { embeddings: [{ values: VECTOR }, { values: VECTOR }], usageMetadata: { promptTokenCount: 3 } },
    'gemini-single': { embedding: { values: VECTOR }, usageMetadata: { promptTokenCount: 3 } },
    vertex: { predictions: [{ embeddings: { values: VECTOR, statistics: { token_count: 3 } } }] },
  },
  rerank: {
    jina: RANKED,
    cohere: RANKED,
    tei: [
      { index: 1, score: 0.9 },
      { index: 0, score: 0.1 },
      { index: 2, score: 0 },
    ],
  },
  moderate: { openai: { id: 'modr-1', results: [{ flagged: true, categories: { violence: true } }] } },
  complete: {
    openai: {
      id: 'cmpl-1',
      choices: [{ index: 0, text: 'upon', finish_reason: 'length', logprobs: null }],
      usage: { prompt_tokens: 2, completion_tokens: 9, total_tokens: 11 },
    },
  },
  draw: {
    openai: DRAWN,
    imagen: {
      predictions: [
        { mimeType: 'image/png', bytesBase64Encoded: 'AAAA', prompt: 'A cat' },
        { raiFilteredReason: 'no' },
      ],
    },
    gemini: {
      candidates: [
        {
          content: { parts: [{ text: 'Here.' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }] },
          finishReason: 'STOP',
        },
      ],
      usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 1_290, totalTokenCount: 1_295 },
    },
  },
  edit: { openai: DRAWN },
  transcribe: { openai: TRANSCRIPT },
  translate: { openai: TRANSCRIPT },
  speak: { openai: { type: 'speech.audio.done', usage: SOUND_USAGE } },
};
