import {
  type Answer,
  type Ask,
  parseArguments,
  at,
  countAt,
  type Format,
  given,
  isJson,
  type Json,
  findNative,
  orNull,
  textAt,
  type ToolCall,
  type Turn,
} from './format.ts';

/** The format wants a limit in every request. */
const MAX_TOKENS = 4_096;

/** Anthropic Messages. */
export const anthropicMessages: Format = {
  id: 'anthropic',
  path: () => '/v1/messages',
  auth: (key) => ['x-api-key', key],
  body: ({ model, system, temperature, topP, maxTokens, stop, effort, output, tools, turns }) =>
    given({
      model,
      max_tokens: maxTokens ?? MAX_TOKENS,
      system,
      messages: turns.map(messageOf),
      temperature,
      top_p: topP,
      stop_sequences: stop,
      output_config: orNull(given({ effort, format: formatOf(output) })),
      tools: tools.map(({ name, description, parameters }) => ({
        name,
        description,
        input_schema: parameters,
      })),
      stream: true,
    }),
  read(before, data) {
    switch (data['type']) {
      case 'message_start':
        return { ...before, tokens: tokensOf(before, at(at(data, 'message'), 'usage')) };
      case 'content_block_start':
        return begun(before, at(data, 'content_block'));
      case 'content_block_delta':
        return grown(before, at(data, 'delta'));
      case 'content_block_stop':
        return closed(before);
      case 'message_delta':
        return {
          ...before,
          finish: textAt(at(data, 'delta'), 'stop_reason') || before.finish,
          tokens: tokensOf(before, at(data, 'usage')),
        };
      case 'error':
        return { ...before, error: textAt(at(data, 'error'), 'message') || 'error' };
      default:
        return before;
    }
  },
};

/** There is no JSON without a schema here: one that lets any object pass stands for it. */
const formatOf = (output: Ask['output']): Json | null =>
  output === null
    ? null
    : { type: 'json_schema', schema: output === 'json' ? { type: 'object' } : output.schema };

function messageOf(turn: Turn): Json {
  if (turn.role === 'tool') {
    const content = turn.results.map(({ id, output }) => ({
      type: 'tool_result',
      tool_use_id: id,
      content: output,
    }));
    return { role: 'user', content };
  }
  if (turn.role === 'assistant') {
    const { text, calls } = turn.answer;
    const content = findNative(turn, 'anthropic') ?? [
      ...(text === '' ? [] : [{ type: 'text', text }]),
      ...calls.map((call) => ({
        type: 'tool_use',
        id: call.id,
        name: call.name,
        input: parseArguments(call),
      })),
    ];
    return { role: 'assistant', content };
  }
  const { text, pictures } = turn;
  if (pictures.length === 0) return { role: 'user', content: text };
  return {
    role: 'user',
    content: [
      ...pictures.map(({ type, base64 }) => ({
        type: 'image',
        source: { type: 'base64', media_type: type, data: base64 },
      })),
      ...(text === '' ? [] : [{ type: 'text', text }]),
    ],
  };
}

/** What was read from a cache or written to it was read all the same. Later reports replace earlier ones. */
function tokensOf({ tokens }: Answer, usage: unknown): Answer['tokens'] {
  if (!isJson(usage)) return tokens;
  const input =
    countAt(usage, 'input_tokens') +
    countAt(usage, 'cache_read_input_tokens') +
    countAt(usage, 'cache_creation_input_tokens');
  return { input: input || (tokens?.input ?? 0), output: countAt(usage, 'output_tokens') };
}

/** Blocks come one after another: the last one is the one that grows. */
function begun(before: Answer, block: unknown): Answer {
  if (!isJson(block)) return before;
  const call: ToolCall = { id: textAt(block, 'id'), name: textAt(block, 'name'), args: '' };
  return {
    ...before,
    text: before.text + (block['type'] === 'text' ? textAt(block, 'text') : ''),
    calls: block['type'] === 'tool_use' ? [...before.calls, call] : before.calls,
    native: [...before.native, block],
  };
}

function grown(before: Answer, delta: unknown): Answer {
  const block = before.native.at(-1);
  if (!block) return before;
  const add = (key: string, text: string): readonly Json[] =>
    before.native.with(-1, { ...block, [key]: textAt(block, key) + text });
  switch (at(delta, 'type')) {
    case 'text_delta': {
      const text = textAt(delta, 'text');
      return { ...before, text: before.text + text, native: add('text', text) };
    }
    case 'thinking_delta': {
      const text = textAt(delta, 'thinking');
      return { ...before, reasoning: before.reasoning + text, native: add('thinking', text) };
    }
    case 'signature_delta':
      return { ...before, native: add('signature', textAt(delta, 'signature')) };
    case 'input_json_delta': {
      const call = before.calls.at(-1);
      if (!call) return before;
      const args = call.args + textAt(delta, 'partial_json');
      return { ...before, calls: before.calls.with(-1, { ...call, args }) };
    }
    default:
      return before;
  }
}

/** Once a call is whole its arguments stand in its block. */
function closed(before: Answer): Answer {
  const block = before.native.at(-1);
  const call = before.calls.at(-1);
  if (block?.['type'] !== 'tool_use' || !call) return before;
  return { ...before, native: before.native.with(-1, { ...block, input: parseArguments(call) }) };
}
