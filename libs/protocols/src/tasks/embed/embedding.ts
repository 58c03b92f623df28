import type { JsonObject } from '../../json.ts';
import type { WrittenTask } from '../convert-task.ts';

/** What is embedded: a text, or the tokens of one. */
export interface EmbedInput {
  readonly text?: string;
  readonly tokens?: readonly number[];
  /** What the vector is for, in Gemini's words. */
  readonly purpose?: string | undefined;
  readonly title?: string | undefined;
  readonly dimensions?: number | undefined;
  /** As Gemini says it, with what is no text. */
  readonly content?: JsonObject;
  readonly hasMedia?: boolean;
}

export interface EmbedRequest {
  readonly inputs: readonly EmbedInput[];
  readonly encoding: 'float' | 'base64';
  /** Cohere's clients may ask for both at once. */
  readonly encodings?: readonly EmbedRequest['encoding'][];
}

/** In the order of the inputs. */
export interface EmbedAnswer {
  readonly vectors: readonly Vector[];
}

/** Numbers, or the base64 of their 32-bit floats, the lowest byte first. */
type Vector = readonly number[] | string;

/** The same vector as it is asked for: nothing of its 32-bit floats is lost either way. */
export function toEncoding(vector: Vector, encoding: EmbedRequest['encoding']): Vector {
  if (encoding === 'base64') return typeof vector === 'string' ? vector : toBase64(vector);
  return typeof vector === 'string' ? fromBase64(vector) : vector;
}

function toBase64(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * FLOAT_BYTES);
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * FLOAT_BYTES);
  return bytes.toString('base64');
}

function fromBase64(text: string): number[] {
  const bytes = Buffer.from(text, 'base64');
  return Array.from({ length: Math.floor(bytes.length / FLOAT_BYTES) }, (_, index) =>
    bytes.readFloatLE(index * FLOAT_BYTES),
  );
}

const FLOAT_BYTES = 4;

/** Undefined for what is no vector. */
export function readVector(value: unknown): Vector | undefined {
  if (typeof value === 'string') return value.length > 0 && isBase64(value) ? value : undefined;
  if (!Array.isArray(value) || value.length === 0) return undefined;
  return value.every((each) => typeof each === 'number') ? (value as number[]) : undefined;
}

const isBase64 = (text: string): boolean =>
  /^[A-Za-z0-9+/]+={0,2}$/.test(text) && Buffer.byteLength(text, 'base64') % FLOAT_BYTES === 0;

/** Undefined unless all of them are there, one for each input. */
export function allVectors(
  vectors: readonly (Vector | undefined)[],
  { inputs }: EmbedRequest,
): EmbedAnswer | undefined {
  const found = vectors.filter((each) => each !== undefined);
  return found.length === inputs.length && vectors.length === inputs.length ? { vectors: found } : undefined;
}

/** What of a request cannot be said where inputs are texts, and one setting holds for all of them. */
export function findUncarried(
  { inputs }: EmbedRequest,
  names: readonly ('tokens' | 'hasMedia' | 'dimensions' | 'purpose')[],
): Extract<WrittenTask, { ok: false }> | undefined {
  const refuse = (param: string, message: string) =>
    ({ ok: false, param, message: `the upstream of this model ${message}` }) as const;
  const differs = (name: 'dimensions' | 'purpose') =>
    names.includes(name) && inputs.some((each) => each[name] !== inputs[0]?.[name]);
  if (names.includes('tokens') && inputs.some(({ tokens }) => tokens !== undefined))
    return refuse('input', 'takes texts, and no tokens');
  if (names.includes('hasMedia') && inputs.some(({ hasMedia }) => hasMedia === true))
    return refuse('content', 'takes texts alone');
  if (differs('dimensions')) return refuse('outputDimensionality', 'takes one for all texts of a request');
  if (differs('purpose')) return refuse('taskType', 'takes one for all texts of a request');
  return undefined;
}
