import type { EncodeRequestContext } from '../../convert/conversion.ts';
import { budgetWithin } from '../../neutral/effort.ts';
import { plainText } from '../../convert/media.ts';
import { customAsFunction, customInput, inputObject } from '../../convert/tool-input.ts';
import { mergeTurns, systemAsUser } from '../../neutral/turns.ts';
import { markCache } from './cache-marks.ts';
import { given, type JsonObject, listAt, someTextAt, textAt } from '../../json.ts';
import type { NeutralRequest, Part, Reasoning, Tool, ToolChoice, Turn } from '../../neutral/request.ts';

const SMALLEST_BUDGET = 1_024;

export function encodeMessagesRequest(request: NeutralRequest, context: EncodeRequestContext): JsonObject {
  const { sampling } = request;
  const max_tokens = sampling.maxOutputTokens ?? findDefaultLimit(context);
  const tools = offered(request);
  const toolChoice = request.toolChoice && tools.length > 0 ? request.toolChoice : undefined;
  const forced = toolChoice?.mode === 'required' || toolChoice?.mode === 'tool';
  const excluded = forced || runsWithoutThought(request.turns);
  const thinking = thinkingOf(request.reasoning, max_tokens, excluded, context);
  const thinks = thinking !== undefined && thinking['type'] !== 'disabled';
  const json = request.responseFormat?.type === 'json';
  const texts = request.system.filter((text) => text.trim() !== '');
  const system = [...texts, ...(json ? ['Answer with one JSON object and nothing else.'] : [])];
  const config = given({
    effort: effortOf(request.reasoning),
    format:
      request.responseFormat?.type === 'schema'
        ? { type: 'json_schema', schema: request.responseFormat.schema }
        : undefined,
  });
  const user = request.user ?? someTextAt(request.shared, 'safety_identifier');
  const encoded = {
    model: context.model,
    max_tokens,
    ...(system.length > 0 ? { system: system.map((text) => ({ type: 'text', text })) } : {}),
    messages: messagesOf(request.turns, context),
    ...(request.stream ? { stream: true } : {}),
    ...given({
      ...samplingOf(sampling, thinks, context),
      stop_sequences: stopOf(sampling.stop, context),
      tools: tools.length > 0 ? tools.map((tool) => toolOf(tool, context)) : undefined,
      tool_choice: choiceOf(
        toolChoice,
        tools.length > 0 ? request.parallelToolCalls : undefined,
        request,
        context,
      ),
      thinking,
      output_config: Object.keys(config).length > 0 ? config : undefined,
      metadata: user === undefined ? undefined : { user_id: user },
    }),
  };
  return markCache(encoded, request, context.dialect);
}

/** Where the client states no limit. */
const findDefaultLimit = ({ defaultMaxTokens, dialect }: EncodeRequestContext): number =>
  Math.min(defaultMaxTokens, dialect.max_output_tokens ?? defaultMaxTokens);

/** With a choice among some tools only those are offered. */
function offered({ tools, toolChoice }: NeutralRequest): readonly Tool[] {
  if (toolChoice?.mode === 'tool' || toolChoice?.allowed === undefined) return tools;
  const allowed = new Set(toolChoice.allowed);
  return tools.filter(({ name }) => allowed.has(name));
}

/** While it thinks, the API takes no other temperature than 1 and no top-k. */
function samplingOf(
  { temperature, topP, topK }: NeutralRequest['sampling'],
  thinks: boolean,
  { notes }: EncodeRequestContext,
): { temperature?: number | undefined; top_p?: number | undefined; top_k?: number | undefined } {
  if (thinks) {
    if (temperature !== undefined && temperature !== 1) notes.drop(notes.fieldOf('temperature'));
    if (topP !== undefined && topP < 0.95) notes.drop(notes.fieldOf('top_p'));
    if (topK !== undefined) notes.drop(notes.fieldOf('top_k'));
    return {};
  }
  if (temperature !== undefined && temperature > 1) notes.emulate(notes.fieldOf('temperature'));
  return {
    temperature: temperature === undefined ? undefined : Math.min(1, temperature),
    top_p: topP,
    top_k: topK,
  };
}

/** The API refuses sequences of nothing but white space. */
function stopOf(
  stop: readonly string[] | undefined,
  { notes }: EncodeRequestContext,
): readonly string[] | undefined {
  const taken = stop?.filter((text) => text.trim() !== '');
  if (taken?.length !== stop?.length) notes.drop(notes.fieldOf('stop'));
  return taken?.length === 0 ? undefined : taken;
}

/**
 * A running tool turn has to begin with the thought that this vendor signed. A turn that another model began has none:
 * then thinking is left out until the turn is over. A forced tool excludes it too.
 */
function runsWithoutThought(turns: readonly Turn[]): boolean {
  const running = turns.findLast(({ role }) => role === 'assistant');
  const answered = turns.at(-1)?.parts.some(({ kind }) => kind === 'tool_result') ?? false;
  const calls = running?.parts.some(({ kind }) => kind === 'tool_call') ?? false;
  const [first] = running?.parts ?? [];
  return answered && calls && !(first?.kind === 'thinking' && first.state?.format === 'anthropic-messages');
}

function thinkingOf(
  reasoning: Reasoning | undefined,
  maxTokens: number,
  excluded: boolean,
  { notes }: EncodeRequestContext,
): JsonObject | undefined {
  if (!reasoning) return undefined;
  const { budget, effort } = reasoning;
  if (budget === 0 || effort === 'none') return { type: 'disabled' };
  if (budget === undefined && effort === undefined && !reasoning.adaptive) return undefined;
  const asked = notes.fieldOf(budget === undefined ? 'reasoning_effort' : 'reasoning_budget');
  if (excluded) {
    notes.drop(asked);
    return undefined;
  }
  const display =
    reasoning.shown === false ? { display: 'omitted' } : reasoning.shown ? { display: 'summarized' } : {};
  if (budget === undefined || budget < 0) return { type: 'adaptive', ...display };
  const budget_tokens = budgetWithin(Math.max(SMALLEST_BUDGET, budget), maxTokens);
  if (budget_tokens < SMALLEST_BUDGET) {
    notes.drop(asked);
    return undefined;
  }
  if (budget_tokens < budget) notes.emulate(asked);
  return { type: 'enabled', budget_tokens, ...display };
}

function effortOf(reasoning: Reasoning | undefined): string | undefined {
  const effort = reasoning?.effort;
  return effort === 'none' ? undefined : effort === 'minimal' ? 'low' : effort;
}

function messagesOf(turns: readonly Turn[], context: EncodeRequestContext): JsonObject[] {
  if (turns.some(({ role }) => role === 'system'))
    context.notes.ask('system_in_conversation', 'system text between turns');
  const blocksOf = ({ parts }: Turn) => parts.flatMap((part) => blockOf(part, context));
  const said = turns.map(systemAsUser).filter((turn) => blocksOf(turn).length > 0);
  const messages = mergeTurns(said).map(({ role, parts }): JsonObject => {
    // Results come first in their message.
    const results = parts.filter(({ kind }) => kind === 'tool_result');
    const rest = parts.filter(({ kind }) => kind !== 'tool_result');
    return { role, content: blocksOf({ role, parts: [...results, ...rest] }) };
  });
  const begun =
    messages[0]?.['role'] === 'assistant'
      ? [userSays('(The conversation begins here.)'), ...messages]
      : messages;
  return begun.at(-1)?.['role'] === 'assistant' ? goneOn(begun, context) : begun;
}

const userSays = (text: string): JsonObject => ({ role: 'user', content: [{ type: 'text', text }] });

/** Words that the assistant goes on with: without blanks at their end. */
function goneOn(messages: readonly JsonObject[], { notes }: EncodeRequestContext): JsonObject[] {
  const last = messages.at(-1);
  const content = listAt(last, 'content');
  const end = content.at(-1);
  const text = textAt(end, 'text');
  const trimmed =
    text.trimEnd() === text ? content : [...content.slice(0, -1), { type: 'text', text: text.trimEnd() }];
  if (trimmed !== content) notes.emulate('words of the assistant at the end');
  return [...messages.slice(0, -1), { role: 'assistant', content: trimmed }];
}

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
