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
  findNative,
  SCHEMA_NAME,
  textAt,
  type Turn,
} from './format.ts';

/** OpenAI Responses. Nothing is stored at the vendor: every request brings the whole conversation. */
export const openaiResponses: Format = {
  id: 'openai-response',
  path: () => '/v1/responses',
  auth: (key) => ['Authorization', `Bearer ${key}`],
  body: ({ model, system, temperature, topP, maxTokens, effort, output, tools, turns }) =>
    given({
      model,
      instructions: system,
      input: turns.flatMap(itemsOf),
      temperature,
      top_p: topP,
      max_output_tokens: maxTokens,
      reasoning: effort === null ? null : { effort, summary: 'auto' },
      text: output === null ? null : { format: formatOf(output) },
      tools: tools.map((tool) => ({ type: 'function', ...tool, strict: false })),
      store: false,
      include: ['reasoning.encrypted_content'],
      stream: true,
    }),
  read(before, data) {
    const delta = textAt(data, 'delta');
    switch (data['type']) {
      case 'response.output_text.delta':
      case 'response.refusal.delta':
        return { ...before, text: before.text + delta };
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        return { ...before, reasoning: before.reasoning + delta };
      case 'response.output_item.done':
        return withItem(before, at(data, 'item'));
      case 'response.completed':
      case 'response.incomplete':
        return ended(before, at(data, 'response'));
      case 'response.failed':
        return { ...before, error: textAt(at(at(data, 'response'), 'error'), 'message') || 'failed' };
      case 'error':
        return {
          ...before,
          error: textAt(data, 'message') || textAt(at(data, 'error'), 'message') || 'error',
        };
      default:
        return before;
    }
  },
};

const formatOf = (output: NonNullable<Ask['output']>): Json =>
  output === 'json'
    ? { type: 'json_object' }
    : { type: 'json_schema', name: SCHEMA_NAME, schema: output.schema, strict: true };

function itemsOf(turn: Turn): readonly Json[] {
  if (turn.role === 'tool')
    return turn.results.map(({ id, output }) => ({ type: 'function_call_output', call_id: id, output }));
  if (turn.role === 'assistant') {
    const { text, calls } = turn.answer;
    return (
      findNative(turn, 'openai-response') ?? [
        ...(text === '' ? [] : [{ role: 'assistant', content: [{ type: 'output_text', text }] }]),
        ...calls.map(({ id, name, args }) => ({ type: 'function_call', call_id: id, name, arguments: args })),
      ]
    );
  }
  const { text, pictures } = turn;
  return [
    {
      role: 'user',
      content: [
        ...(text === '' ? [] : [{ type: 'input_text', text }]),
        ...pictures.map((picture) => ({ type: 'input_image', image_url: dataUrl(picture), detail: 'auto' })),
      ],
    },
  ];
}

function withItem(before: Answer, item: unknown): Answer {
  if (!isJson(item)) return before;
  const call = { id: textAt(item, 'call_id'), name: textAt(item, 'name'), args: textAt(item, 'arguments') };
  return {
    ...before,
    calls: item['type'] === 'function_call' ? [...before.calls, call] : before.calls,
    native: [...before.native, item],
  };
}

function ended(before: Answer, response: unknown): Answer {
  const usage = at(response, 'usage');
  return {
    ...before,
    finish:
      textAt(at(response, 'incomplete_details'), 'reason') || textAt(response, 'status') || before.finish,
    tokens: isJson(usage)
      ? { input: countAt(usage, 'input_tokens'), output: countAt(usage, 'output_tokens') }
      : before.tokens,
  };
}
