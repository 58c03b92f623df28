import { readRefusal } from '../ask-relay.ts';
import type { Refusal } from '../progress.ts';
import { toBase64 } from '../pictures.ts';

/** What is asked of a model, as the person gave it. */
export type TaskInput = { readonly model: string } & (
  | { readonly task: 'embed'; readonly texts: readonly string[] }
  | { readonly task: 'draw'; readonly prompt: string }
  | { readonly task: 'speak'; readonly text: string; readonly voice: string }
  | { readonly task: 'transcribe'; readonly file: File }
);

export type TaskResult =
  | { readonly task: 'embed'; readonly vectors: readonly (readonly number[])[] }
  /** As `data:` addresses, or where the vendor keeps them. */
  | { readonly task: 'draw'; readonly pictures: readonly string[] }
  | { readonly task: 'speak'; readonly sound: string }
  | { readonly task: 'transcribe'; readonly text: string };

export interface TaskOutcome {
  readonly input: TaskInput;
  readonly requestId: string | null;
  readonly totalMs: number;
  readonly result: TaskResult | null;
  /** Why there is no result; null where it was stopped. */
  readonly refusal: Refusal | null;
}

const PATHS = {
  embed: '/v1/embeddings',
  draw: '/v1/images/generations',
  speak: '/v1/audio/speech',
  transcribe: '/v1/audio/transcriptions',
} as const;

/** Asks for a task and reads its answer. Never throws. */
export async function askTask(
  input: TaskInput,
  {
    key,
    signal,
    origin = '',
  }: { readonly key: string; readonly signal: AbortSignal; readonly origin?: string },
): Promise<TaskOutcome> {
  const start = performance.now();
  let requestId: string | null = null;
  const end = (result: TaskResult | null, refusal: Refusal | null): TaskOutcome => ({
    input,
    requestId,
    totalMs: performance.now() - start,
    result,
    refusal,
  });
  const fail = (status: number) => end(null, { status, message: '', retryAfterS: null });
  try {
    const body = toBody(input);
    const response = await fetch(origin + PATHS[input.task], {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        ...(typeof body === 'string' ? { 'content-type': 'application/json' } : {}),
      },
      body,
      credentials: 'omit',
      signal,
    });
    requestId = response.headers.get('x-request-id');
    if (!response.ok) return end(null, await readRefusal(response));
    const result = await readResult(input, response);
    return result ? end(result, null) : fail(response.status);
  } catch {
    return signal.aborted ? end(null, null) : fail(0);
  }
}

function toBody(input: TaskInput): string | FormData {
  const { model } = input;
  switch (input.task) {
    case 'embed':
      return JSON.stringify({ model, input: input.texts, encoding_format: 'float' });
    case 'draw':
      return JSON.stringify({ model, prompt: input.prompt, n: 1 });
    case 'speak':
      return JSON.stringify({ model, input: input.text, voice: input.voice, response_format: 'mp3' });
    case 'transcribe': {
      const form = new FormData();
      form.set('model', model);
      form.set('file', input.file);
      return form;
    }
  }
}

async function readResult({ task }: TaskInput, response: Response): Promise<TaskResult | null> {
  if (task === 'speak') {
    const bytes = new Uint8Array(await response.arrayBuffer());
    const type = response.headers.get('content-type') ?? 'audio/mpeg';
    return { task, sound: `data:${type};base64,${toBase64(bytes)}` };
  }
  const answer: unknown = await response.json();
  if (task === 'transcribe') {
    const text = readField(answer, 'text');
    return typeof text === 'string' ? { task, text } : null;
  }
  const data = readField(answer, 'data');
  if (!Array.isArray(data)) return null;
  if (task === 'draw') return { task, pictures: data.flatMap(readPictureAddress) };
  const vectors = data.map((entry) => readField(entry, 'embedding'));
  return vectors.every(isVector) ? { task, vectors } : null;
}

const readField = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;

const isVector = (value: unknown): value is readonly number[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'number');

/** How the base64 of each kind of picture begins. */
const BEGINNINGS: readonly (readonly [string, string])[] = [
  ['/9j/', 'image/jpeg'],
  ['UklGR', 'image/webp'],
  ['R0lGOD', 'image/gif'],
];

function readPictureAddress(entry: unknown): readonly string[] {
  const base64 = readField(entry, 'b64_json');
  const url = readField(entry, 'url');
  if (typeof base64 !== 'string') return typeof url === 'string' ? [url] : [];
  const type = BEGINNINGS.find(([beginning]) => base64.startsWith(beginning))?.[1] ?? 'image/png';
  return [`data:${type};base64,${base64}`];
}
