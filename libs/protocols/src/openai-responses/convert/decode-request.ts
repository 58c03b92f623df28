import type { DecodeRequestContext } from '../../convert/conversion.ts';
import { addParts, addResult, addSystem, type GrowingTurn } from '../../neutral/turns.ts';
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
import type { Effort, NeutralRequest, Part, Reasoning, ResponseFormat } from '../../neutral/request.ts';
import { partsOfContent } from './decode-content.ts';
import { decodeResponsesTools } from './decode-tools.ts';

const SHARED = [
  'metadata',
  'service_tier',
  'prompt_cache_key',
  'prompt_cache_retention',
  'prompt_cache_options',
  'safety_identifier',
] as const;

export function decodeResponsesRequest(body: JsonObject, context: DecodeRequestContext): NeutralRequest {
  const input = body['input'];
  const items =
    typeof input === 'string' ? [{ role: 'user', content: input }] : Array.isArray(input) ? input : [input];
  const instructions = someTextAt(body, 'instructions');
  const { system, turns } = conversation(items, context);
  const { tools, toolChoice } = decodeResponsesTools(body, items, context);
  const text = objectAt(body, 'text');
  if (listAt(body, 'include').includes('message.output_text.logprobs'))
    context.notes.ask('logprobs', 'include');
  const verbosity = someTextAt(text, 'verbosity');
  return {
    system: instructions === undefined ? system : [instructions, ...system],
    turns,
    tools,
    ...given({
      toolChoice,
      parallelToolCalls: booleanAt(body, 'parallel_tool_calls'),
      responseFormat: formatOf(text?.['format'], context),
      reasoning: reasoningOf(objectAt(body, 'reasoning')),
      user: someTextAt(body, 'user'),
    }),
    sampling: given({
      maxOutputTokens: numberAt(body, 'max_output_tokens'),
      temperature: numberAt(body, 'temperature'),
      topP: numberAt(body, 'top_p'),
    }),
    shared: {
      ...Object.fromEntries(
        SHARED.flatMap((key) => (body[key] === undefined || body[key] === null ? [] : [[key, body[key]]])),
      ),
      ...(verbosity ? { verbosity } : {}),
    },
    stream: body['stream'] === true,
  };
}

function conversation(
  items: readonly unknown[],
  context: DecodeRequestContext,
): { system: string[]; turns: GrowingTurn[] } {
  const { notes } = context;
  const system: string[] = [];
  const turns: GrowingTurn[] = [];
  for (const [index, item] of items.entries()) {
    const at = `input[${index}]`;
    const type = textAt(item, 'type') || 'message';
    switch (type) {
      case 'message':
        message(item, at, context, system, turns);
        break;
      case 'reasoning':
        addParts(turns, 'assistant', thinkingOf(item, context));
        break;
      case 'function_call':
      case 'custom_tool_call':
        addParts(turns, 'assistant', [
          {
            kind: 'tool_call',
            id: textAt(item, 'call_id'),
            name: textAt(item, 'name'),
            ...given({ namespace: someTextAt(item, 'namespace') }),
            input: type === 'custom_tool_call' ? textAt(item, 'input') : textAt(item, 'arguments'),
            custom: type === 'custom_tool_call',
          },
        ]);
        break;
      case 'function_call_output':
      case 'custom_tool_call_output': {
        const content = isObject(item) ? item['output'] : undefined;
        const result: Part = {
          kind: 'tool_result',
          callId: textAt(item, 'call_id'),
          isError: false,
          content: partsOfContent(content, `${at}.output`, context),
          at,
        };
        addResult(turns, result);
        break;
      }
      case 'additional_tools':
        break;
      case 'item_reference':
        if (textAt(item, 'id').startsWith('rs_')) notes.drop(`${at} (reasoning)`);
        else notes.refuse(at, NOT_KEPT);
        break;
      case 'compaction':
        notes.ask('server_state', at);
        break;
      default:
        // Traces of tools that a vendor ran: another model cannot read them.
        notes.drop(`${at} (${type})`);
    }
  }
  return { system, turns };
}

/** What we made ourselves was put in the place of its id before. */
const NOT_KEPT =
  'this item is kept at the vendor that made it, and cannot be carried to another. Send the conversation in full; the OpenAI provider of the AI SDK does so with `store: false`.';

function message(
  item: unknown,
  at: string,
  context: DecodeRequestContext,
  system: string[],
  turns: GrowingTurn[],
): void {
  const role = textAt(item, 'role');
  const parts = partsOfContent(isObject(item) ? item['content'] : undefined, `${at}.content`, context);
  if (role === 'assistant') addParts(turns, 'assistant', parts);
  else if (role === 'system' || role === 'developer') addSystem(system, turns, parts);
  else turns.push({ role: 'user', parts });
}

function thinkingOf(item: unknown, { states }: DecodeRequestContext): Part[] {
  const text = [...listAt(item, 'summary'), ...listAt(item, 'content')]
    .map((part) => textAt(part, 'text'))
    .join('\n\n');
  const encrypted = someTextAt(item, 'encrypted_content');
  if (encrypted === undefined) return text === '' ? [] : [{ kind: 'thinking', text }];
  const id = someTextAt(item, 'id');
  const held = states.unwrap(encrypted) ?? [
    { format: 'openai-responses' as const, kind: 'signed' as const, data: encrypted, ...given({ id }) },
  ];
  if (held.length === 0) return text === '' ? [] : [{ kind: 'thinking', text }];
  return held.map((state, index) => ({
    kind: 'thinking',
    text: state.text ?? (index === 0 ? text : ''),
    state,
  }));
}

function reasoningOf(reasoning: JsonObject | undefined): Reasoning | undefined {
  const effort = someTextAt(reasoning, 'effort') as Effort | undefined;
  const summary = someTextAt(reasoning, 'summary') ?? someTextAt(reasoning, 'generate_summary');
  if (effort === undefined && summary === undefined) return undefined;
  return given({ effort, shown: summary === undefined ? undefined : true });
}

function formatOf(format: unknown, { notes }: DecodeRequestContext): ResponseFormat | undefined {
  if (textAt(format, 'type') === 'json_object') {
    notes.ask('json_object', 'text.format');
    return { type: 'json' };
  }
  if (textAt(format, 'type') !== 'json_schema') return undefined;
  notes.ask('json_schema', 'text.format');
  return {
    type: 'schema',
    name: textAt(format, 'name') || 'answer',
    schema: objectAt(format, 'schema') ?? {},
    ...given({ strict: booleanAt(format, 'strict'), description: someTextAt(format, 'description') }),
  };
}
