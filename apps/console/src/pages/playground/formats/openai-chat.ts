import {
  type Answer,
  type Ask,
  at,
  countAt,
  dataUrl,
  type Format,
  given,
  isJson,
  type Json,
  listAt,
  SCHEMA_NAME,
  textAt,
  type ToolCall,
  type Turn,
} from './format.ts';

/** OpenAI Chat Completions. */
export const openaiChat: Format = {
  id: 'openai',
  path: () => '/v1/chat/completions',
  auth: (key) => ['Authorization', `Bearer ${key}`],
  body: ({ model, system, temperature, maxTokens, tools, turns, ...more }) =>
    given({
      model,
      messages: [
        ...(system === '' ? [] : [{ role: 'system', content: system }]),
        ...turns.flatMap(messagesOf),
      ],
      temperature,
      top_p: more.topP,
      max_completion_tokens: maxTokens,
      stop: more.stop,
      seed: more.seed,
      presence_penalty: more.presencePenalty,
      frequency_penalty: more.frequencyPenalty,
      reasoning_effort: more.effort,
      response_format: formatOf(more.output),
      tools: tools.map((tool) => ({ type: 'function', function: tool })),
      stream: true,
      stream_options: { include_usage: true },
    }),
  read(before, data) {
    const message = textAt(at(data, 'error'), 'message');
    if (message !== '') return { ...before, error: message };
    const usage = at(data, 'usage');
    const [choice] = listAt(data, 'choices');
    const delta = at(choice, 'delta');
    return {
      ...before,
      text: before.text + textAt(delta, 'content') + textAt(delta, 'refusal'),
      reasoning: before.reasoning + (textAt(delta, 'reasoning_content') || textAt(delta, 'reasoning')),
      calls: listAt(delta, 'tool_calls').reduce<Answer['calls']>(withPart, before.calls),
      finish: textAt(choice, 'finish_reason') || before.finish,
      tokens: isJson(usage)
        ? { input: countAt(usage, 'prompt_tokens'), output: countAt(usage, 'completion_tokens') }
        : before.tokens,
    };
  },
};

function formatOf(output: Ask['output']): Json | null {
  if (output === null) return null;
  if (output === 'json') return { type: 'json_object' };
  return {
    type: 'json_schema',
    json_schema: { name: SCHEMA_NAME, schema: output.schema, strict: true },
  };
}

function messagesOf(turn: Turn): Json[] {
  if (turn.role === 'tool')
    return turn.results.map(({ id, output }) => ({ role: 'tool', tool_call_id: id, content: output }));
  if (turn.role === 'assistant') {
    const { text, calls } = turn.answer;
    const tool_calls = calls.map(({ id, name, args }) => ({
      id,
      type: 'function',
      function: { name, arguments: args },
    }));
    return [{ role: 'assistant', content: text === '' ? null : text, ...given({ tool_calls }) }];
  }
  const { text, pictures } = turn;
  if (pictures.length === 0) return [{ role: 'user', content: text }];
  return [
    {
      role: 'user',
      content: [
        ...(text === '' ? [] : [{ type: 'text', text }]),
        ...pictures.map((picture) => ({ type: 'image_url', image_url: { url: dataUrl(picture) } })),
      ],
    },
  ];
}

/** A call comes in parts that name its place. */
function withPart(calls: Answer['calls'], part: unknown): Answer['calls'] {
  const place = countAt(part, 'index');
  const of = at(part, 'function');
  const before: ToolCall = calls[place] ?? { id: '', name: '', args: '' };
  const after = {
    id: before.id || textAt(part, 'id'),
    name: before.name || textAt(of, 'name'),
    args: before.args + textAt(of, 'arguments'),
  };
  return place < calls.length ? calls.with(place, after) : [...calls, after];
}
