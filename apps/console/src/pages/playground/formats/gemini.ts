import {
  type Answer,
  parseArguments,
  at,
  countAt,
  type Format,
  given,
  isJson,
  type Json,
  listAt,
  findNative,
  orNull,
  textAt,
  type ToolCall,
  type Turn,
} from './format.ts';

/** Gemini `generateContent`. */
export const gemini: Format = {
  id: 'gemini',
  path: (model) => `/v1beta/models/${encodeURIComponent(model)}:streamGenerateContent?alt=sse`,
  auth: (key) => ['x-goog-api-key', key],
  body: ({ system, temperature, maxTokens, tools, turns, ...more }) =>
    given({
      contents: turns.map(contentOf),
      systemInstruction: system === '' ? null : { parts: [{ text: system }] },
      generationConfig: orNull(
        given({
          temperature,
          topP: more.topP,
          maxOutputTokens: maxTokens,
          stopSequences: more.stop,
          seed: more.seed,
          presencePenalty: more.presencePenalty,
          frequencyPenalty: more.frequencyPenalty,
          thinkingConfig:
            more.effort === null ? null : { thinkingLevel: more.effort.toUpperCase(), includeThoughts: true },
          responseMimeType: more.output === null ? null : 'application/json',
          responseJsonSchema: more.output === null || more.output === 'json' ? null : more.output.schema,
        }),
      ),
      tools:
        tools.length === 0
          ? []
          : [
              {
                functionDeclarations: tools.map(({ name, description, parameters }) => ({
                  name,
                  description,
                  parametersJsonSchema: parameters,
                })),
              },
            ],
    }),
  read(before, data) {
    const message = textAt(at(data, 'error'), 'message');
    if (message !== '') return { ...before, error: message };
    const [candidate] = listAt(data, 'candidates');
    const after = listAt(at(candidate, 'content'), 'parts').reduce<Answer>(withPart, before);
    const usage = at(data, 'usageMetadata');
    return {
      ...after,
      finish:
        textAt(candidate, 'finishReason') ||
        textAt(at(data, 'promptFeedback'), 'blockReason') ||
        after.finish,
      tokens: isJson(usage)
        ? {
            input: countAt(usage, 'promptTokenCount'),
            output: countAt(usage, 'candidatesTokenCount') + countAt(usage, 'thoughtsTokenCount'),
          }
        : after.tokens,
    };
  },
};

function contentOf(turn: Turn): Json {
  if (turn.role === 'tool') {
    const parts = turn.results.map(({ id, name, output }) => ({
      functionResponse: { ...given({ id: id.startsWith(OWN_ID) ? '' : id }), name, response: { output } },
    }));
    return { role: 'user', parts };
  }
  if (turn.role === 'assistant') {
    const { text, calls } = turn.answer;
    const parts = findNative(turn, 'gemini') ?? [
      ...(text === '' ? [] : [{ text }]),
      ...calls.map((call) => ({
        functionCall: { id: call.id, name: call.name, args: parseArguments(call) },
      })),
    ];
    return { role: 'model', parts };
  }
  const { text, pictures } = turn;
  return {
    role: 'user',
    parts: [
      ...pictures.map(({ type, base64 }) => ({ inlineData: { mimeType: type, data: base64 } })),
      ...(text === '' ? [] : [{ text }]),
    ],
  };
}

/** Calls need not have an id here; ours tells them apart on the page and is not sent. */
const OWN_ID = 'call-';

function withPart(before: Answer, part: unknown): Answer {
  if (!isJson(part)) return before;
  const native = joined(before.native, part);
  const called = at(part, 'functionCall');
  if (isJson(called)) {
    const call: ToolCall = {
      id: textAt(called, 'id') || `${OWN_ID}${before.calls.length + 1}`,
      name: textAt(called, 'name'),
      args: JSON.stringify(at(called, 'args') ?? {}),
    };
    return { ...before, calls: [...before.calls, call], native };
  }
  const text = textAt(part, 'text');
  return part['thought'] === true
    ? { ...before, reasoning: before.reasoning + text, native }
    : { ...before, text: before.text + text, native };
}

/** Plain text goes on in the part before it; every other part, and what has a signature, stays by itself. */
function joined(parts: readonly Json[], part: Json): readonly Json[] {
  const last = parts.at(-1);
  const isPlain = (each: Json) => Object.keys(each).length === 1 && typeof each['text'] === 'string';
  return last && isPlain(last) && isPlain(part)
    ? parts.with(-1, { text: textAt(last, 'text') + textAt(part, 'text') })
    : [...parts, part];
}
