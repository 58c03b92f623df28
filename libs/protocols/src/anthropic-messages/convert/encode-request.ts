import type { EncodeRequestContext } from '../../convert/conversion.ts';
import { markCache } from '../../convert/cache-marks.ts';
import { claudeSettings, saidStops } from '../../convert/claude-settings.ts';
import { plainText } from '../../convert/media.ts';
import { offeredTools } from '../../convert/offered-tools.ts';
import { strictMessages } from '../../convert/strict-messages.ts';
import { customAsFunction, customInput, inputObject } from '../../convert/tool-input.ts';
import { given, isObject, type JsonObject, someTextAt } from '../../json.ts';
import type { NeutralRequest, Part, Tool, ToolChoice } from '../../neutral/request.ts';

export function encodeMessagesRequest(request: NeutralRequest, context: EncodeRequestContext): JsonObject {
  const { sampling } = request;
  const max_tokens = sampling.maxOutputTokens ?? findDefaultLimit(context);
  const tools = offeredTools(request);
  const toolChoice = request.toolChoice && tools.length > 0 ? request.toolChoice : undefined;
  const claude = claudeSettings(request, { maxTokens: max_tokens, format: 'anthropic-messages' }, context);
  const json = request.responseFormat?.type === 'json';
  const texts = request.system.filter((text) => text.trim() !== '');
  const system = [...texts, ...(json ? ['Answer with one JSON object and nothing else.'] : [])];
  const config = given({
    effort: claude.effort,
    format:
      request.responseFormat?.type === 'schema'
        ? { type: 'json_schema', schema: request.responseFormat.schema }
        : undefined,
  });
  const user = request.user ?? someTextAt(request.shared, 'safety_identifier');
  const marked = markCache(
    {
      tools: tools.length > 0 ? tools.map((tool) => toolOf(tool, context)) : undefined,
      system: system.length > 0 ? system.map((text) => ({ type: 'text', text })) : undefined,
      messages: strictMessages(request.turns, (part) => blockOf(part, context), context.notes),
    },
    request,
    context.dialect,
    withMark,
  );
  return {
    model: context.model,
    max_tokens,
    ...given({ system: marked.system }),
    messages: marked.messages,
    ...(request.stream ? { stream: true } : {}),
    ...given({
      temperature: claude.temperature,
      top_p: claude.topP,
      top_k: claude.topK,
      stop_sequences: saidStops(sampling.stop, context.notes),
      tools: marked.tools,
      tool_choice: choiceOf(
        toolChoice,
        tools.length > 0 ? request.parallelToolCalls : undefined,
        request,
        context,
      ),
      thinking: claude.thinking,
      output_config: Object.keys(config).length > 0 ? config : undefined,
      metadata: user === undefined ? undefined : { user_id: user },
    }),
  };
}

const withMark = (list: readonly unknown[]): unknown[] =>
  list.map((each, index) =>
    index === list.length - 1 && isObject(each) ? { ...each, cache_control: { type: 'ephemeral' } } : each,
  );

/** Where the client states no limit. */
const findDefaultLimit = ({ defaultMaxTokens, dialect }: EncodeRequestContext): number =>
  Math.min(defaultMaxTokens, dialect.max_output_tokens ?? defaultMaxTokens);

function blockOf(part: Part, context: EncodeRequestContext): JsonObject[] {
  const { names, notes } = context;
  switch (part.kind) {
    case 'text':
    case 'refusal':
      return part.text.trim() === '' ? [] : [{ type: 'text', text: part.text }];
    case 'image': {
      const { source } = part;
      if (source.type === 'id')
        return notes.refuse(part.at ?? 'image', 'a file of another vendor cannot be read.');
      return [{ type: 'image', source: sourceOf(source) }];
    }
    case 'file': {
      const { source } = part;
      if (source.type === 'id')
        return notes.refuse(part.at ?? 'file', 'a file of another vendor cannot be read.');
      if (source.mediaType?.startsWith('video/')) notes.ask('video_input', part.at ?? 'video');
      return [{ type: 'document', source: documentSource(source), ...given({ title: part.name }) }];
    }
    case 'audio':
      notes.ask('audio_input', part.at ?? 'audio');
      return [];
    case 'thinking':
      return thinkingBlock(part);
    case 'tool_call': {
      const input = part.custom ? customInput(part.input) : inputObject(part.input);
      return [{ type: 'tool_use', id: part.id, name: names.toUpstream(part.name, part.namespace), input }];
    }
    case 'tool_result':
      return [
        {
          type: 'tool_result',
          tool_use_id: part.callId,
          ...(part.isError ? { is_error: true } : {}),
          content: part.content.flatMap((inner) => blockOf(inner, context)),
        },
      ];
  }
}

type Data = { readonly type: 'data'; readonly mediaType: string; readonly data: string };
type Url = { readonly type: 'url'; readonly url: string };

const sourceOf = (source: Data | Url): JsonObject =>
  source.type === 'url'
    ? { type: 'url', url: source.url }
    : { type: 'base64', media_type: source.mediaType, data: source.data };

/** Plain text is a source of its own kind. */
function documentSource(source: Data | Url): JsonObject {
  const data = plainText(source);
  return data === undefined ? sourceOf(source) : { type: 'text', media_type: 'text/plain', data };
}

/** Only what this vendor signed comes back to it. */
function thinkingBlock({ text, state }: Extract<Part, { kind: 'thinking' }>): JsonObject[] {
  if (state?.format !== 'anthropic-messages') return [];
  return state.kind === 'redacted'
    ? [{ type: 'redacted_thinking', data: state.data }]
    : [{ type: 'thinking', thinking: state.text ?? text, signature: state.data }];
}

function toolOf(tool: Tool, { names, notes }: EncodeRequestContext): JsonObject {
  if (tool.namespace !== undefined) notes.ask('tool_namespaces', 'tools');
  const name = names.toUpstream(tool.name, tool.namespace);
  if (tool.kind === 'custom') {
    notes.ask('custom_tools', 'tools');
    const { description, parameters } = customAsFunction(tool);
    return { name, description, input_schema: parameters };
  }
  return {
    name,
    ...given({ description: tool.description, strict: tool.strict || undefined }),
    input_schema: tool.parameters,
  };
}

function choiceOf(
  choice: ToolChoice | undefined,
  parallel: boolean | undefined,
  { tools }: NeutralRequest,
  { names }: EncodeRequestContext,
): JsonObject | undefined {
  const serial = parallel === false ? { disable_parallel_tool_use: true } : {};
  if (choice === undefined) return parallel === false ? { type: 'auto', ...serial } : undefined;
  if (choice.mode === 'none') return { type: 'none' };
  if (choice.mode === 'auto') return { type: 'auto', ...serial };
  if (choice.mode !== 'tool') return { type: 'any', ...serial };
  const tool = tools.find(({ name }) => name === choice.name);
  return { type: 'tool', name: names.toUpstream(choice.name, tool?.namespace), ...serial };
}
