import type { Tokens } from './evidence.ts';

type Json = Readonly<Record<string, unknown>>;

const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const at = (value: unknown, ...names: readonly string[]): unknown =>
  names.reduce<unknown>((found, name) => (isJson(found) ? found[name] : undefined), value);
const count = (value: unknown, ...names: readonly string[]): number => Number(at(value, ...names) ?? 0);

/** How each wire format tells its client what was used, by the kinds that the books have. */
const READERS: Readonly<Record<string, (answer: Json) => Tokens | undefined>> = {
  'openai-chat': ({ usage }) =>
    isJson(usage)
      ? {
          input: count(usage, 'prompt_tokens') - count(usage, 'prompt_tokens_details', 'cached_tokens'),
          cache_read: count(usage, 'prompt_tokens_details', 'cached_tokens'),
          output: count(usage, 'completion_tokens'),
        }
      : undefined,
  'openai-responses': (answer) => {
    const usage = at(answer, 'response', 'usage') ?? answer['usage'];
    return isJson(usage)
      ? {
          input: count(usage, 'input_tokens') - count(usage, 'input_tokens_details', 'cached_tokens'),
          cache_read: count(usage, 'input_tokens_details', 'cached_tokens'),
          output: count(usage, 'output_tokens'),
        }
      : undefined;
  },
  'anthropic-messages': (answer) => {
    const usage = at(answer, 'message', 'usage') ?? answer['usage'];
    return isJson(usage)
      ? {
          ...('input_tokens' in usage ? { input: count(usage, 'input_tokens') } : {}),
          ...('cache_read_input_tokens' in usage
            ? { cache_read: count(usage, 'cache_read_input_tokens') }
            : {}),
          output: count(usage, 'output_tokens'),
        }
      : undefined;
  },
  gemini: ({ usageMetadata: usage }) =>
    isJson(usage)
      ? {
          input: count(usage, 'promptTokenCount') - count(usage, 'cachedContentTokenCount'),
          cache_read: count(usage, 'cachedContentTokenCount'),
          output: count(usage, 'candidatesTokenCount') + count(usage, 'thoughtsTokenCount'),
        }
      : undefined,
};

/** What an answer says that was used; of a stream the last that its events say. Undefined where it says nothing. */
export function usageIn(protocol: string, stream: boolean, text: string): Tokens | undefined {
  const read = READERS[protocol];
  let usage: Tokens | undefined;
  for (const piece of stream ? eventsOf(text) : [text]) {
    const answer = parse(piece);
    const said = answer && read?.(answer);
    if (said) usage = { ...usage, ...said };
  }
  return usage;
}

const eventsOf = (text: string): readonly string[] =>
  text.split('\n').flatMap((line) => (line.startsWith('data: ') ? [line.slice('data: '.length)] : []));

function parse(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJson(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
