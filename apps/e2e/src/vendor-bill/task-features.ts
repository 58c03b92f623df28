import { type Task, TASKS } from '@tollgate/vocabulary';
import { type Answer, call } from '../call.ts';
import type { Shown } from './features.ts';

/** A request of a task, as whole or as a stream, and the model that does it at one vendor. */
interface TaskFeature {
  readonly task: Task;
  readonly what: string;
  readonly model: object;
  readonly upstream: object;
  /** What the vendor charges, as its page says it. */
  readonly atVendor: object;
  readonly path: string;
  /** What is sent; the text is where the vendor finds its script. */
  readonly body: (text: string) => object;
  /** Requests come as forms. */
  readonly form?: true;
  /** What asks for a stream; absent where there is none. */
  readonly stream?: object;
  readonly script?: object;
  readonly shows: readonly Shown[];
}

const OPENAI = { protocols: ['openai-chat'] };
const GOOGLE = { protocols: ['gemini'] };
const NO_TOKENS = { input: 0, output: 0 };

/** Prices in micro-USD for a million, and the same as the vendor says them. */
const perToken = (task: Task, prices: Readonly<Record<string, number>>, atVendor: object) => ({
  task,
  model: { operations: [task], prices: { output: 0, ...prices } },
  upstream: OPENAI,
  atVendor: { per_million: atVendor },
});
const perUnit = (task: Task, unit_prices: Readonly<Record<string, number>>, atVendor: object) => ({
  task,
  model: { operations: [task], prices: NO_TOKENS, unit_prices },
  upstream: OPENAI,
  atVendor: { per_million: {}, per_thousand: atVendor },
});

const EMBEDDED = perToken('embed', { input: 130_000 }, { input: '0.13' });
const embedding = { path: '/v1/embeddings', body: (text: string) => ({ input: [text, 'two words'] }) };

const reranking = {
  path: '/v1/rerank',
  body: (query: string) => ({ query, documents: ['Rome is in Italy', 'Paris is in France', 'cheese'] }),
};
const RERANKED = perUnit('rerank', { rerank_units: 2_000_000_000 }, { rerank: '2' });

const DRAWN_PRICES = [
  { input: 5_000_000, input_image: 8_000_000, output: 10_000_000, output_image: 30_000_000 },
  { input: '5', image_input: '8', output: '10', image_output: '30' },
] as const;
const drawing = {
  path: '/v1/images/generations',
  body: (prompt: string) => ({ prompt }),
  stream: { stream: true },
};
const IN_BASE64 = {
  path: drawing.path,
  body: (prompt: string) => ({ prompt, n: 2, response_format: 'b64_json' }),
};
const PICTURE = { image_url: `data:image/png;base64,${Buffer.from('PNG').toString('base64')}` };
const editing = { path: '/v1/images/edits', body: (prompt: string) => ({ prompt, images: [PICTURE] }) };
const perImage = (task: Task) => perUnit(task, { images: 40_000_000_000 }, { image: '40' });

const listening = {
  path: '/v1/audio/transcriptions',
  body: (prompt: string) => ({ prompt }),
  form: true,
} as const;
const LENGTH = [{ audio_milliseconds: 100_000 }, { audio_millisecond: '0.0001' }] as const;
const saying = { path: '/v1/audio/speech', body: (input: string) => ({ input, voice: 'alloy' }) };

/** Every task, at each vendor that bills it in another way. A model is called by what its row says, in small letters. */
export const TASK_FEATURES: Readonly<Record<string, TaskFeature>> = {
  'text-embedding': { ...EMBEDDED, ...embedding, what: 'OpenAI', shows: ['input', 'standard'] },
  'gemini-embedding': { ...EMBEDDED, ...embedding, what: 'Gemini', upstream: GOOGLE, shows: ['input'] },
  'cohere-embed': {
    ...EMBEDDED,
    ...embedding,
    what: 'Cohere',
    upstream: { ...OPENAI, task_formats: { embed: 'cohere' } },
    shows: ['input'],
  },
  'jina-rerank': {
    ...perToken('rerank', { input: 20_000 }, { input: '0.02' }),
    ...reranking,
    what: 'by tokens',
    shows: ['input', 'standard'],
  },
  'cohere-rerank': {
    ...RERANKED,
    ...reranking,
    what: 'by units',
    upstream: { ...OPENAI, task_formats: { rerank: 'cohere' } },
    shows: ['rerank_units'],
  },
  moderation: {
    ...perToken('moderate', { input: 0 }, {}),
    path: '/v1/moderations',
    body: (input) => ({ input }),
    what: 'without a charge',
    shows: ['standard'],
  },
  completion: {
    ...perToken('complete', { input: 1_500_000, output: 2_000_000 }, { input: '1.5', output: '2' }),
    path: '/v1/completions',
    body: (prompt) => ({ prompt, max_tokens: 9 }),
    what: 'by tokens',
    stream: { stream: true },
    shows: ['input', 'output', 'standard'],
  },
  'gpt-image-2': {
    ...perToken('draw', ...DRAWN_PRICES),
    ...drawing,
    what: 'by tokens',
    shows: ['input', 'output_image', 'standard'],
  },
  'gemini-image': {
    ...perToken('draw', ...DRAWN_PRICES),
    ...drawing,
    what: 'Gemini, by tokens',
    upstream: GOOGLE,
    shows: ['input', 'output_image'],
  },
  painter: { ...perImage('draw'), ...IN_BASE64, what: 'by pictures', shows: ['images'] },
  imagen: { ...perImage('draw'), ...drawing, what: 'Imagen', upstream: GOOGLE, shows: ['images'] },
  'gpt-image-2-edit': {
    ...perToken('edit', ...DRAWN_PRICES),
    ...editing,
    what: 'by tokens',
    stream: { stream: true },
    shows: ['input', 'input_image', 'output_image', 'standard'],
  },
  'painter-edit': { ...perImage('edit'), ...editing, what: 'by pictures', shows: ['images'] },
  'gpt-4o-transcribe': {
    ...perToken(
      'transcribe',
      { input: 2_500_000, input_audio: 6_000_000, output: 10_000_000 },
      { input: '2.5', audio_input: '6', output: '10' },
    ),
    ...listening,
    what: 'by tokens',
    stream: { stream: 'true' },
    shows: ['input', 'input_audio', 'output', 'standard'],
  },
  'whisper-1': {
    ...perUnit('transcribe', ...LENGTH),
    ...listening,
    what: 'by the length of the sound, in fractions of a millisecond',
    script: { sound_seconds: 2.0071 },
    shows: ['audio_milliseconds'],
  },
  'whisper-1-translate': {
    ...perUnit('translate', ...LENGTH),
    ...listening,
    path: '/v1/audio/translations',
    what: 'by the length of the sound',
    script: { sound_seconds: 1.005 },
    shows: ['audio_milliseconds', 'standard'],
  },
  'tts-1': {
    ...perUnit('speak', { characters: 15_000_000 }, { character: '0.015' }),
    ...saying,
    what: 'by characters',
    shows: ['characters'],
  },
  'gpt-4o-mini-tts': {
    ...perToken(
      'speak',
      { input: 600_000, output: 12_000_000, output_audio: 12_000_000 },
      {
        input: '0.6',
        audio_output: '12',
      },
    ),
    ...saying,
    what: 'by tokens',
    stream: { stream_format: 'sse' },
    shows: ['input', 'output_audio', 'standard'],
  },
};

/** Each row whole, and as a stream where there is one. */
export const TASK_ROWS = TASKS.flatMap((task) =>
  Object.entries(TASK_FEATURES)
    .filter(([, feature]) => feature.task === task)
    .flatMap(([name, { what, stream }]) =>
      [false, ...(stream ? [true] : [])].map((streams) => ({ task, what, name, streams })),
    ),
);

/** Sends a row's request, which its vendor remembers by a mark. */
export function sendTask(
  baseUrl: string,
  name: string,
  of: { readonly key: string; readonly model: string; readonly mark: string; readonly streams: boolean },
): Promise<Answer> {
  const feature = TASK_FEATURES[name];
  if (!feature) throw new Error(`no row ${name}`);
  const { path, script = {}, stream } = feature;
  const text = `${of.mark} [[sim ${JSON.stringify(script)}]]`;
  const body = { model: of.model, ...feature.body(text), ...(of.streams ? stream : {}) };
  const headers = { authorization: `Bearer ${of.key}` };
  return feature.form
    ? sendForm(`${baseUrl}${path}`, headers, body)
    : call(`${baseUrl}${path}`, { headers, body });
}

async function sendForm(url: string, headers: Record<string, string>, body: object): Promise<Answer> {
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(32_000)]), 'a.mp3');
  for (const [name, value] of Object.entries(body)) form.set(name, String(value));
  const answer = await fetch(url, { method: 'POST', headers, body: form });
  return { status: answer.status, headers: answer.headers, text: await answer.text(), json: undefined };
}
