import type { EncodeRequestContext } from '../../convert/conversion.ts';
import { effortOfBudget } from '../../neutral/effort.ts';
import { audioFormat, plainText, toUrl } from '../../convert/media.ts';
import { customAsFunction, customInput } from '../../convert/tool-input.ts';
import { mergeTurns, joinText } from '../../neutral/turns.ts';
import { given, type JsonObject, textAt } from '../../json.ts';
import type { NeutralRequest, Part, ResponseFormat, Tool, ToolChoice, Turn } from '../../neutral/request.ts';

export function encodeChatRequest(request: NeutralRequest, context: EncodeRequestContext): JsonObject {
  const { sampling, toolChoice, reasoning } = request;
  const tools = offered(request, context);
  const budget = reasoning?.budget;
  return {
    model: context.model,
    messages: [
      ...request.system.map((content) => ({ role: 'system', content })),
      // Each call of an assistant's message must be answered before the next one of them.
      ...wordsAfterTools(
        resultsAfterCalls(
          mergeTurns(request.turns, 'assistant').flatMap((turn) => messagesOf(turn, context)),
        ),
        context,
      ),
    ],
    ...(request.stream ? { stream: true, stream_options: { include_usage: true } } : {}),
    ...given({
      [context.dialect.limit_field]: sampling.maxOutputTokens,
      temperature: sampling.temperature,
      top_p: sampling.topP,
      stop: sampling.stop,
      seed: sampling.seed,
      presence_penalty: sampling.presencePenalty,
      frequency_penalty: sampling.frequencyPenalty,
      n: sampling.n,
      tools: tools.length > 0 ? tools.map((tool) => toolOf(tool, context)) : undefined,
      tool_choice: toolChoice && tools.length > 0 ? choiceOf(toolChoice, tools, context) : undefined,
      parallel_tool_calls: tools.length > 0 ? request.parallelToolCalls : undefined,
      response_format: request.responseFormat && formatOf(request.responseFormat),
      reasoning_effort: reasoning?.effort ?? (budget === undefined ? undefined : effortOfBudget(budget)),
      user: request.user,
    }),
    ...request.shared,
  };
}

/** Where a choice among some tools cannot be said, only those are offered. */
function offered({ tools, toolChoice }: NeutralRequest, { dialect, notes }: EncodeRequestContext) {
  if (dialect.allowed_tools || toolChoice?.mode === 'tool' || toolChoice?.allowed === undefined) return tools;
  const allowed = new Set(toolChoice.allowed);
  notes.emulate('tool_choice');
  return tools.filter(({ name }) => allowed.has(name));
}

/** Results must follow the calls, before anybody says anything else. */
function resultsAfterCalls(messages: readonly JsonObject[]): JsonObject[] {
  const ordered: JsonObject[] = [];
  let place = 0;
  for (const message of messages) {
    if (message['role'] === 'tool' && place > 0) ordered.splice(place++, 0, message);
    else ordered.push(message);
    if (message['role'] === 'assistant') place = ordered.length;
  }
  return ordered;
}

/** Where nobody but the assistant may speak after a tool, it says a word before them. */
function wordsAfterTools(
  messages: readonly JsonObject[],
  { dialect, notes }: EncodeRequestContext,
): readonly JsonObject[] {
  if (dialect.user_after_tool) return messages;
  const said: JsonObject[] = [];
  for (const message of messages) {
    const last = said.at(-1);
    const answers = message['role'] === 'tool' || message['role'] === 'assistant';
    if (answers || last?.['role'] !== 'tool') {
      said.push(message);
      continue;
    }
    notes.emulate('words right after results of tools');
    // What agents remind their models of belongs to the turn that is under way: no answer may end it.
    const reminds = message['role'] === 'system' && typeof last['content'] === 'string';
    if (reminds)
      said[said.length - 1] = { ...last, content: `${last['content']}\n\n${textAt(message, 'content')}` };
    else said.push({ role: 'assistant', content: 'Done.' }, message);
  }
  return said;
}

function messagesOf(turn: Turn, context: EncodeRequestContext): JsonObject[] {
  switch (turn.role) {
    case 'system':
      return [{ role: 'system', content: joinText(turn.parts) }];
    case 'assistant':
      return assistantMessages(turn.parts, context);
    case 'user':
      return userMessages(turn.parts, context);
  }
}

function assistantMessages(parts: readonly Part[], context: EncodeRequestContext): JsonObject[] {
  const { names, dialect } = context;
  const text = joinText(dialect.refusals ? parts.filter(({ kind }) => kind === 'text') : parts);
  const refusal = dialect.refusals ? joinText(parts.filter(({ kind }) => kind === 'refusal')) : '';
  const own = parts.flatMap((part) =>
    part.kind === 'thinking' && part.state?.format === 'openai-chat'
      ? [{ text: part.text, data: part.state.data }]
      : [],
  );
  const reasoning = dialect.reasoning_echo ? own.map((each) => each.text).join('') : '';
  const signature = own.find(({ data }) => data !== '')?.data;
  const calls = parts.flatMap((part) => (part.kind === 'tool_call' ? [part] : []));
  // A turn of nothing but another vendor's reasoning says nothing here.
  if (!text && !refusal && !reasoning && calls.length === 0) return [];
  const thoughts =
    reasoning === '' && dialect.reasoning_required ? borrowThoughts(parts, context) : reasoning;
  const message = {
    role: 'assistant',
    content: text === '' ? null : text,
    ...(refusal ? { refusal } : {}),
    ...(thoughts ? { reasoning_content: thoughts } : {}),
    ...(calls.length > 0
      ? {
          tool_calls: calls.map((call, index) => {
            const name = names.toUpstream(call.name, call.namespace);
            return {
              id: call.id,
              ...(call.custom && dialect.custom_tools
                ? { type: 'custom', custom: { name, input: call.input } }
                : { type: 'function', function: { name, arguments: argumentsOf(call) } }),
              ...(index === 0 && signature
                ? { extra_content: { google: { thought_signature: signature } } }
                : {}),
            };
          }),
        }
      : {}),
  };
  return [message];
}

const argumentsOf = ({ custom, input }: Extract<Part, { kind: 'tool_call' }>): string =>
  custom ? JSON.stringify(customInput(input)) : input || '{}';

/** What stands in where a model wants to see reasoning and has done none: that of another one, or a blank. */
function borrowThoughts(parts: readonly Part[], { notes }: EncodeRequestContext): string {
  notes.emulate('reasoning that earlier turns lack');
  const texts = parts.flatMap((part) => (part.kind === 'thinking' && part.text !== '' ? [part.text] : []));
  return texts.join('\n\n') || ' ';
}

/** Each tool result is a message of its own; what a result cannot hold goes into the user's words after them. */
function userMessages(parts: readonly Part[], context: EncodeRequestContext): JsonObject[] {
  const results: JsonObject[] = [];
  const rest: Part[] = [];
  for (const part of parts) {
    if (part.kind !== 'tool_result') {
      rest.push(part);
      continue;
    }
    const media = part.content.filter(({ kind }) => kind !== 'text' && kind !== 'refusal');
    if (media.length > 0) context.notes.ask('tool_result_media', part.at ?? 'tool results');
    if (part.isError) context.notes.ask('tool_result_error', part.at ?? 'tool results');
    const text = joinText(part.content) || (media.length > 0 ? 'See the content that follows.' : '');
    results.push({
      role: 'tool',
      tool_call_id: part.callId,
      content: part.isError ? `Error: ${text}` : text,
    });
    for (const each of media) rest.push(each);
  }
  const [only] = rest;
  if (!only) return results;
  const content =
    rest.length === 1 && only.kind === 'text' ? only.text : rest.flatMap((part) => contentOf(part, context));
  return [...results, { role: 'user', content }];
}

function contentOf(part: Part, { notes }: EncodeRequestContext): JsonObject[] {
  switch (part.kind) {
    case 'text':
    case 'refusal':
      return [{ type: 'text', text: part.text }];
    case 'image': {
      if (part.source.type === 'id')
        return notes.refuse(part.at ?? 'image', 'a file of another vendor cannot be read.');
      return [
        { type: 'image_url', image_url: { url: toUrl(part.source), ...given({ detail: part.detail }) } },
      ];
    }
    case 'file': {
      const text = plainText(part.source);
      if (text !== undefined) return [{ type: 'text', text: [part.name, text].filter(Boolean).join('\n\n') }];
      if (part.source.type === 'id') notes.ask('file_id', part.at ?? 'file');
      if (part.source.type === 'url') notes.ask('file_url', part.at ?? 'file');
      if (part.source.type !== 'data') return [];
      if (part.source.mediaType.startsWith('video/')) notes.ask('video_input', part.at ?? 'video');
      return [
        { type: 'file', file: { file_data: toUrl(part.source), filename: part.name ?? 'document.pdf' } },
      ];
    }
    case 'audio':
      if (part.source.type !== 'data') return notes.refuse(part.at ?? 'audio', 'audio must be sent inline.');
      return [
        {
          type: 'input_audio',
          input_audio: { data: part.source.data, format: audioFormat(part.source.mediaType) },
        },
      ];
    default:
      return [];
  }
}

function toolOf(tool: Tool, { names, notes, dialect }: EncodeRequestContext): JsonObject {
  if (tool.namespace !== undefined) notes.ask('tool_namespaces', 'tools');
  const name = names.toUpstream(tool.name, tool.namespace);
  if (tool.kind === 'custom') {
    notes.ask('custom_tools', 'tools');
    if (!dialect.custom_tools) {
      notes.emulate('tools');
      return { type: 'function', function: { name, ...customAsFunction(tool) } };
    }
    const format = tool.grammar ? { type: 'grammar', grammar: tool.grammar } : { type: 'text' };
    return { type: 'custom', custom: { name, ...given({ description: tool.description }), format } };
  }
  return {
    type: 'function',
    function: {
      name,
      ...given({ description: tool.description, strict: tool.strict }),
      parameters: tool.parameters,
    },
  };
}

function choiceOf(
  choice: ToolChoice,
  tools: readonly Tool[],
  { names, dialect }: EncodeRequestContext,
): unknown {
  const byName = new Map(tools.toReversed().map((tool) => [tool.name, tool]));
  const reference = (name: string) => {
    const tool = byName.get(name);
    const upstream = names.toUpstream(name, tool?.namespace);
    return tool?.kind === 'custom' && dialect.custom_tools
      ? { type: 'custom', custom: { name: upstream } }
      : { type: 'function', function: { name: upstream } };
  };
  if (choice.mode === 'tool') return reference(choice.name);
  if (choice.allowed === undefined || !dialect.allowed_tools) return choice.mode;
  return {
    type: 'allowed_tools',
    allowed_tools: { mode: choice.mode, tools: choice.allowed.map(reference) },
  };
}

function formatOf(format: ResponseFormat): JsonObject {
  if (format.type === 'json') return { type: 'json_object' };
  const { type: _type, ...schema } = format;
  return { type: 'json_schema', json_schema: schema };
}
