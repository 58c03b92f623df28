import type { DecodeRequestContext } from '../../convert/conversion.ts';
import { noteHostedTools } from '../../convert/hosted-tools.ts';
import { objectSchema } from '../../convert/tool-input.ts';
import {
  booleanAt,
  given,
  isObject,
  type JsonObject,
  listAt,
  numberAt,
  objectAt,
  someTextAt,
  textAt,
} from '../../json.ts';
import type {
  Effort,
  NeutralRequest,
  Reasoning,
  ResponseFormat,
  Tool,
  ToolChoice,
  Turn,
} from '../../neutral/request.ts';
import { readStops } from '../../convert/stop-sequences.ts';
import { partsOfBlocks } from './decode-blocks.ts';

/** One client puts its build into the first block of the system prompt: for other vendors that only spoils the cache. */
const ATTRIBUTION = 'x-anthropic-billing-header:';

export function decodeMessagesRequest(body: JsonObject, context: DecodeRequestContext): NeutralRequest {
  const choice = body['tool_choice'];
  const toolChoice = choiceOf(choice);
  return {
    system: systemOf(body['system'], context),
    turns: listAt(body, 'messages').map((message, index) => turnOf(message, `messages[${index}]`, context)),
    tools: toolsOf(listAt(body, 'tools'), toolChoice, context),
    ...given({
      toolChoice,
      parallelToolCalls: parallelOf(choice, context),
      responseFormat: formatOf(body, context),
      reasoning: reasoningOf(body),
      user: someTextAt(objectAt(body, 'metadata'), 'user_id'),
      cachesForHour: asksForHour(body) || undefined,
    }),
    sampling: given({
      maxOutputTokens: numberAt(body, 'max_tokens'),
      temperature: numberAt(body, 'temperature'),
      topP: numberAt(body, 'top_p'),
      topK: numberAt(body, 'top_k'),
      stop: readStops(body['stop_sequences'], 'stop_sequences', context.notes),
    }),
    shared: {},
    stream: body['stream'] === true,
  };
}

/** A mark for the cache says how long; that it stands somewhere is enough, as the marks are placed again. */
function asksForHour(body: JsonObject): boolean {
  const blocks = listAt(body, 'messages').flatMap((message) => listAt(message, 'content'));
  return [body, ...listAt(body, 'tools'), ...listAt(body, 'system'), ...blocks].some(
    (marked) => textAt(objectAt(marked, 'cache_control'), 'ttl') === '1h',
  );
}

function systemOf(system: unknown, context: DecodeRequestContext): string[] {
  return partsOfBlocks(system, 'system', context)
    .flatMap((part) => (part.kind === 'text' ? [part.text] : []))
    .filter((text) => !text.startsWith(ATTRIBUTION));
}

function turnOf(message: unknown, at: string, context: DecodeRequestContext): Turn {
  const role = textAt(message, 'role');
  if (objectAt(message, 'output_config')) context.notes.ask('vendor_hint', 'messages.output_config');
  return {
    role: role === 'assistant' ? 'assistant' : role === 'user' ? 'user' : 'system',
    parts: partsOfBlocks(isObject(message) ? message['content'] : undefined, `${at}.content`, context),
  };
}

function toolsOf(
  list: readonly unknown[],
  choice: ToolChoice | undefined,
  { notes }: DecodeRequestContext,
): Tool[] {
  const tools: Tool[] = [];
  const hosted: { type: string; at: string }[] = [];
  for (const [index, tool] of list.entries()) {
    const type = textAt(tool, 'type') || 'custom';
    if (objectAt(tool, 'cache_control')) notes.ask('cache_control', 'cache_control');
    if (type !== 'custom') {
      hosted.push({ type, at: `tools[${index}]` });
      continue;
    }
    tools.push({
      kind: 'function',
      name: textAt(tool, 'name'),
      ...given({ description: someTextAt(tool, 'description'), strict: booleanAt(tool, 'strict') }),
      parameters: objectSchema(isObject(tool) ? tool['input_schema'] : undefined),
    });
  }
  if (tools.length > 0) notes.ask('tools', 'tools');
  const chosen =
    choice?.mode === 'tool' ? hosted.find(({ at }) => nameAt(list, at) === choice.name)?.type : undefined;
  noteHostedTools(hosted, tools.length, choice, chosen, notes);
  return tools;
}

const nameAt = (list: readonly unknown[], at: string): string =>
  textAt(list[Number(/\d+/.exec(at)?.[0])], 'name');

function choiceOf(choice: unknown): ToolChoice | undefined {
  switch (textAt(choice, 'type')) {
    case 'auto':
      return { mode: 'auto' };
    case 'none':
      return { mode: 'none' };
    case 'any':
      return { mode: 'required' };
    case 'tool':
      return { mode: 'tool', name: textAt(choice, 'name') };
    default:
      return undefined;
  }
}

function parallelOf(choice: unknown, { notes }: DecodeRequestContext): boolean | undefined {
  const off = booleanAt(choice, 'disable_parallel_tool_use');
  if (off) notes.ask('parallel_tool_calls_off', 'tool_choice.disable_parallel_tool_use');
  return off === undefined ? undefined : !off;
}

function formatOf(body: JsonObject, { notes }: DecodeRequestContext): ResponseFormat | undefined {
  const format = objectAt(objectAt(body, 'output_config'), 'format');
  const schema = objectAt(format ?? objectAt(body, 'output_format'), 'schema');
  if (!schema) return undefined;
  notes.ask('json_schema', format ? 'output_config.format' : 'output_format');
  return { type: 'schema', name: 'answer', schema };
}

function reasoningOf(body: JsonObject): Reasoning | undefined {
  const thinking = objectAt(body, 'thinking');
  const effort = someTextAt(objectAt(body, 'output_config'), 'effort') as Effort | undefined;
  const type = textAt(thinking, 'type');
  const shown = thinking === undefined ? undefined : textAt(thinking, 'display') !== 'omitted';
  if (type === 'disabled') return { budget: 0 };
  if (type === '' && effort === undefined) return undefined;
  return given({
    effort,
    budget: type === 'enabled' ? numberAt(thinking, 'budget_tokens') : undefined,
    adaptive: type === 'adaptive' ? true : undefined,
    shown,
  });
}
