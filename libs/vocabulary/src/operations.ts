import { CLIENT_PROTOCOLS } from './protocols.ts';

/** Operations beside conversations: a request and an answer each. Those who read them have a small codec for each. */
export const TASKS = [
  'embed',
  'rerank',
  'moderate',
  'complete',
  'draw',
  'edit',
  'transcribe',
  'translate',
  'speak',
] as const;
export type Task = (typeof TASKS)[number];

/** What is asked of models beside conversations that come and go: a task, or a session that stays open. */
export const OTHER_OPERATIONS = [...TASKS, 'realtime'] as const;
export type OtherOperation = (typeof OTHER_OPERATIONS)[number];

/** What a caller asks of a model: an answer in a conversation, or something else. Models that answer count tokens too, which costs nothing. */
export const MODEL_OPERATIONS = ['generate', ...OTHER_OPERATIONS] as const;
export type ModelOperation = (typeof MODEL_OPERATIONS)[number];

/** What has limits of its own, over all callers: conversations by the format of their clients, everything else by what is asked. */
export const LIMITED_ROUTES = [...CLIENT_PROTOCOLS, ...OTHER_OPERATIONS] as const;
export type LimitedRoute = (typeof LIMITED_ROUTES)[number];

/** What people read of them, where nobody has translated it. */
export const OPERATION_NAMES: Readonly<Record<ModelOperation, string>> = {
  generate: 'Conversations',
  realtime: 'Realtime sessions',
  embed: 'Embeddings',
  rerank: 'Reranking',
  moderate: 'Moderation',
  complete: 'Text completions',
  draw: 'Image generation',
  edit: 'Image editing',
  transcribe: 'Transcription',
  translate: 'Speech translation',
  speak: 'Speech',
};

/** Where each is asked for, by the names that clients of such relays know. */
export const ENDPOINT_TYPES = {
  generate: {
    openai: '/v1/chat/completions',
    'openai-response': '/v1/responses',
    anthropic: '/v1/messages',
    gemini: '/v1beta/models/{model}:generateContent',
  },
  realtime: { 'openai-realtime': '/v1/realtime' },
  embed: { embeddings: '/v1/embeddings' },
  rerank: { 'jina-rerank': '/v1/rerank' },
  moderate: { moderations: '/v1/moderations' },
  complete: { completions: '/v1/completions' },
  draw: { 'image-generation': '/v1/images/generations' },
  edit: { 'image-edit': '/v1/images/edits' },
  transcribe: { 'audio-transcriptions': '/v1/audio/transcriptions' },
  speak: { 'audio-speech': '/v1/audio/speech' },
  translate: { 'audio-translations': '/v1/audio/translations' },
} as const satisfies Readonly<Record<ModelOperation, Readonly<Record<string, string>>>>;

/** Conversations are reached in all of their formats: gateways convert between these. */
export const listEndpointTypes = (operations: readonly ModelOperation[]): string[] =>
  operations.flatMap((operation) => Object.keys(ENDPOINT_TYPES[operation]));

/** The wire formats of each task; those of conversations have codecs of their own. */
export const TASK_FORMATS = {
  embed: ['openai', 'gemini', 'gemini-single', 'cohere', 'vertex'],
  rerank: ['jina', 'cohere', 'tei'],
  moderate: ['openai'],
  complete: ['openai'],
  draw: ['openai', 'imagen', 'gemini'],
  edit: ['openai'],
  transcribe: ['openai'],
  translate: ['openai'],
  speak: ['openai'],
} as const satisfies Readonly<Record<Task, readonly string[]>>;
export type TaskFormat<T extends Task = Task> = (typeof TASK_FORMATS)[T][number];
