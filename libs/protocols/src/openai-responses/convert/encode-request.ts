import type { EncodeRequestContext } from '../../convert/conversion.ts';
import { effortOfBudget } from '../../neutral/effort.ts';
import { plainText, toUrl } from '../../convert/media.ts';
import { joinText } from '../../neutral/turns.ts';
import { given, type JsonObject } from '../../json.ts';
import type {
  NeutralRequest,
  Part,
  Reasoning,
  ResponseFormat,
  Tool,
  ToolChoice,
  Turn,
} from '../../neutral/request.ts';

/** A stateless request: nothing is stored at the vendor, and its reasoning comes back encrypted for the next turn. */
export function encodeResponsesRequest(request: NeutralRequest, context: EncodeRequestContext): JsonObject {
  const { sampling, tools, toolChoice, responseFormat } = request;
  const { verbosity, prediction: _prediction, logit_bias: _bias, ...shared } = request.shared;
  const calls = request.turns.flatMap(({ parts }) => parts.filter((part) => part.kind === 'tool_call'));
  const customCalls = new Set(calls.flatMap((call) => (call.custom ? [call.id] : [])));
  const text = given({ format: responseFormat && formatOf(responseFormat), verbosity });
  return {
    model: context.model,
    ...(request.system.length > 0 ? { instructions: request.system.join('\n\n') } : {}),
    input: withoutLooseReasoning(request.turns.flatMap((turn) => itemsOf(turn, customCalls, context))),
    ...(request.stream ? { stream: true } : {}),
    store: false,
    ...(context.dialect.encrypted_reasoning ? { include: ['reasoning.encrypted_content'] } : {}),
    ...given({
      max_output_tokens: sampling.maxOutputTokens,
      temperature: sampling.temperature,
      top_p: sampling.topP,
      tools: tools.length > 0 ? encodeTools(tools, context) : undefined,
      tool_choice: toolChoice && tools.length > 0 ? choiceOf(toolChoice, tools, context) : undefined,
      parallel_tool_calls: tools.length > 0 ? request.parallelToolCalls : undefined,
      text: Object.keys(text).length > 0 ? text : undefined,
      reasoning: request.reasoning && reasoningOf(request.reasoning),
      user: request.user,
    }),
    ...shared,
  };
}

/** Reasoning must be followed by what came of it; of a turn that was broken off, nothing did. */
function withoutLooseReasoning(items: readonly JsonObject[]): JsonObject[] {
  let followed = false;
  const kept = items.toReversed().filter(({ type, role }) => {
    if (type === 'reasoning') return followed;
    followed = role === 'assistant' || type === 'function_call' || type === 'custom_tool_call';
    return true;
  });
  return kept.toReversed();
}

function itemsOf(turn: Turn, customCalls: ReadonlySet<string>, context: EncodeRequestContext): JsonObject[] {
  if (turn.role === 'system')
    return [
      { type: 'message', role: 'developer', content: [{ type: 'input_text', text: joinText(turn.parts) }] },
    ];
  if (turn.role === 'assistant') return turn.parts.flatMap((part) => assistantItem(part, context));
  const results = turn.parts.flatMap((part) =>
    part.kind === 'tool_result' ? [resultItem(part, customCalls, context)] : [],
  );
  const content = turn.parts.flatMap((part) => inputPart(part, context));
  return content.length === 0 ? results : [...results, { type: 'message', role: 'user', content }];
}

function assistantItem(part: Part, { names, dialect }: EncodeRequestContext): JsonObject[] {
  switch (part.kind) {
    case 'text':
      return [
        {
          type: 'message',
          role: 'assistant',
          content: [{ type: 'output_text', text: part.text, annotations: [] }],
        },
      ];
    case 'refusal':
      return [{ type: 'message', role: 'assistant', content: [{ type: 'refusal', refusal: part.text }] }];
    case 'thinking':
      if (part.state?.format !== 'openai-responses' || !dialect.encrypted_reasoning) return [];
      return [
        {
          type: 'reasoning',
          ...given({ id: part.state.id }),
          summary: part.text === '' ? [] : [{ type: 'summary_text', text: part.text }],
          encrypted_content: part.state.data,
        },
      ];
    case 'tool_call': {
      const { id: call_id, namespace } = part;
      const named = { call_id, name: names.toUpstream(part.name, namespace), ...given({ namespace }) };
      return [
        part.custom
          ? { type: 'custom_tool_call', ...named, input: part.input }
          : { type: 'function_call', ...named, arguments: part.input || '{}' },
      ];
    }
    default:
      return [];
  }
}

function resultItem(
  part: Extract<Part, { kind: 'tool_result' }>,
  customCalls: ReadonlySet<string>,
  context: EncodeRequestContext,
): JsonObject {
  if (part.isError) context.notes.ask('tool_result_error', part.at ?? 'tool results');
  const plain = part.content.every(({ kind }) => kind === 'text');
  const text = joinText(part.content);
  const output = plain
    ? part.isError
      ? `Error: ${text}`
      : text
    : [
        ...(part.isError ? [{ type: 'input_text', text: 'Error:' }] : []),
        ...part.content.flatMap((each) => inputPart(each, context)),
      ];
  return {
    type: customCalls.has(part.callId) ? 'custom_tool_call_output' : 'function_call_output',
    call_id: part.callId,
    output,
  };
}

function inputPart(part: Part, { notes }: EncodeRequestContext): JsonObject[] {
  switch (part.kind) {
    case 'text':
    case 'refusal':
      return [{ type: 'input_text', text: part.text }];
    case 'image':
      if (part.source.type === 'id')
        return notes.refuse(part.at ?? 'image', 'a file of another vendor cannot be read.');
      return [{ type: 'input_image', image_url: toUrl(part.source), detail: part.detail ?? 'auto' }];
    case 'file': {
      const text = plainText(part.source);
      if (text !== undefined)
        return [{ type: 'input_text', text: [part.name, text].filter(Boolean).join('\n\n') }];
      if (part.source.type === 'id')
        return notes.refuse(part.at ?? 'file', 'a file of another vendor cannot be read.');
      if (part.source.mediaType?.startsWith('video/')) notes.ask('video_input', part.at ?? 'video');
      if (part.source.type === 'url') return [{ type: 'input_file', file_url: part.source.url }];
      return [{ type: 'input_file', file_data: toUrl(part.source), filename: part.name ?? 'document.pdf' }];
    }
    case 'audio':
      notes.ask('audio_input', part.at ?? 'audio');
      return [];
    default:
      return [];
  }
}

/** Tools of a namespace stand together in it. */
function encodeTools(tools: readonly Tool[], context: EncodeRequestContext): JsonObject[] {
  const namespaces = new Map<string, JsonObject[]>();
  const list: JsonObject[] = [];
  for (const tool of tools) {
    const encoded = toolOf(tool, context);
    if (tool.namespace === undefined) {
      list.push(encoded);
      continue;
    }
    const inner = namespaces.get(tool.namespace);
    if (inner) inner.push(encoded);
    else {
      const first = [encoded];
      namespaces.set(tool.namespace, first);
      list.push({ type: 'namespace', name: tool.namespace, description: '', tools: first });
    }
  }
  return list;
}

function toolOf(tool: Tool, { names }: EncodeRequestContext): JsonObject {
  const named = {
    name: names.toUpstream(tool.name, tool.namespace),
    ...given({ description: tool.description }),
  };
  if (tool.kind === 'custom') {
    return {
      type: 'custom',
      ...named,
      format: tool.grammar ? { type: 'grammar', ...tool.grammar } : { type: 'text' },
    };
  }
  return { type: 'function', ...named, parameters: tool.parameters, strict: tool.strict ?? false };
}

function choiceOf(choice: ToolChoice, tools: readonly Tool[], { names }: EncodeRequestContext): unknown {
  const byName = new Map(tools.toReversed().map((tool) => [tool.name, tool]));
  const reference = (name: string) => {
    const tool = byName.get(name);
    return { type: tool?.kind ?? 'function', name: names.toUpstream(name, tool?.namespace) };
  };
  if (choice.mode === 'tool') return reference(choice.name);
  if (choice.allowed === undefined) return choice.mode;
  return { type: 'allowed_tools', mode: choice.mode, tools: choice.allowed.map(reference) };
}

function formatOf(format: ResponseFormat): JsonObject {
  if (format.type === 'json') return { type: 'json_object' };
  const { type: _type, ...schema } = format;
  return { type: 'json_schema', ...schema };
}

function reasoningOf(reasoning: Reasoning): JsonObject | undefined {
  const effort =
    reasoning.effort ?? (reasoning.budget === undefined ? undefined : effortOfBudget(reasoning.budget));
  const encoded = given({ effort, summary: reasoning.shown ? 'auto' : undefined });
  return Object.keys(encoded).length > 0 ? encoded : undefined;
}
