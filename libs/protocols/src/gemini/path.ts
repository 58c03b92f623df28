import type { PathTarget } from '../codec.ts';

const ACTIONS: ReadonlyMap<string, Omit<PathTarget, 'model'>> = new Map<string, Omit<PathTarget, 'model'>>([
  ['generateContent', { action: 'generate' }],
  ['streamGenerateContent', { action: 'stream' }],
  ['countTokens', { action: 'count' }],
  ['embedContent', { action: 'generate', task: { task: 'embed', format: 'gemini-single' } }],
  ['batchEmbedContents', { action: 'generate', task: { task: 'embed', format: 'gemini' } }],
  ['predict', { action: 'generate', task: { task: 'draw', format: 'imagen' } }],
]);

/**
 * The model and the action of a path such as `/v1beta/models/{model}:generateContent`, or
 * `/v1beta1/publishers/google/models/{model}:predict`, as clients of Vertex ask that have a key and no project. The action stands behind the
 * last colon: a model may contain colons and slashes. Null when the path names no action that is served.
 */
export function parsePath(path: string): PathTarget | null {
  const match = /^\/(?:v1(?:beta)?|v1beta1\/publishers\/google)\/(.+):(\w+)$/.exec(path);
  if (!match?.[1] || !match[2]) return null;
  const action = ACTIONS.get(match[2]);
  const model = decode(match[1])?.replace(/^(?:models\/){1,2}/, '');
  return action === undefined || !model ? null : { model, ...action };
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
