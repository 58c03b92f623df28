import type { DecodeRequestContext } from '../../convert/conversion.ts';
import { audioType, sourceOfUrl } from '../../convert/media.ts';
import { addResult, addSystem, type GrowingTurn } from '../../neutral/turns.ts';
import { readStops } from '../../convert/stop-sequences.ts';
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
import { urlAt, writtenCall } from '../message.ts';
import {
  type Effort,
  type NeutralRequest,
  type Part,
  type ResponseFormat,
  type Tool,
  type ToolCall,
  type ToolChoice,
} from '../../neutral/request.ts';

/** Fields that Responses knows by the same name. */
const SHARED = [
  'metadata',
  'service_tier',
  'prompt_cache_key',
  'prompt_cache_retention',
  'prompt_cache_options',
  'safety_identifier',
  'verbosity',
  'prediction',
  'logit_bias',
] as const;

export function decodeChatRequest(body: JsonObject, context: DecodeRequestContext): NeutralRequest {
  const { system, turns } = conversation(listAt(body, 'messages'), context);
  const effort = someTextAt(body, 'reasoning_effort') as Effort | undefined;
  return {
    system,
    turns,
    tools: [
      ...listAt(body, 'tools').flatMap((tool, index) => toolOf(tool, index, context)),
      ...listAt(body, 'functions').map((tool) => functionOf(tool)),
    ],
    ...given({
      toolChoice: choiceOf(body['tool_choice'] ?? body['function_call'], context),
      parallelToolCalls: booleanAt(body, 'parallel_tool_calls'),
      responseFormat: formatOf(body['response_format'], context),
      reasoning: effort === undefined ? undefined : { effort },
      user: someTextAt(body, 'user'),
    }),
    sampling: given({
      maxOutputTokens: numberAt(body, 'max_completion_tokens') ?? numberAt(body, 'max_tokens'),
      temperature: numberAt(body, 'temperature'),
      topP: numberAt(body, 'top_p'),
      topK: numberAt(body, 'top_k'),
      stop: readStops(body['stop'], 'stop', context.notes),
      seed: numberAt(body, 'seed'),
      presencePenalty: numberAt(body, 'presence_penalty'),
      frequencyPenalty: numberAt(body, 'frequency_penalty'),
      n: numberAt(body, 'n'),
    }),
    shared: Object.fromEntries(
      SHARED.flatMap((key) => (body[key] === undefined || body[key] === null ? [] : [[key, body[key]]])),
    ),
    stream: body['stream'] === true,
    ...(asksForPictures(listAt(body, 'modalities'), context) ? { draws: true } : {}),
  };
}

function asksForPictures(modalities: readonly unknown[], { notes }: DecodeRequestContext): boolean {
  if (modalities.includes('audio')) notes.ask('audio_output', 'modalities');
  return modalities.includes('image') && notes.ask('image_output', 'modalities');
}

function conversation(
  messages: readonly unknown[],
  context: DecodeRequestContext,
): { system: string[]; turns: GrowingTurn[] } {
  const system: string[] = [];
  const turns: GrowingTurn[] = [];
  let legacyCalls = 0;
  for (const [index, message] of messages.entries()) {
    const at = `messages[${index}]`;
    const role = textAt(message, 'role');
    // Of results of tools it says what their calls say already.
    if (role !== 'tool' && role !== 'function' && someTextAt(message, 'name') !== undefined)
      context.notes.ask('vendor_hint', 'messages.name');
    const content = isObject(message) ? message['content'] : undefined;
    if (role === 'system' || role === 'developer') {
      addSystem(system, turns, partsOf(content, at, context));
    } else if (role === 'tool' || role === 'function') {
      const callId = role === 'tool' ? textAt(message, 'tool_call_id') : `call_legacy_${legacyCalls - 1}`;
      const result: Part = {
        kind: 'tool_result',
        callId,
        isError: false,
        content: partsOf(content, at, context),
        at,
      };
      addResult(turns, result);
    } else if (role === 'assistant') {
      const legacy = objectAt(message, 'function_call');
      const call: Part[] = legacy
        ? [
            {
              kind: 'tool_call',
              id: `call_legacy_${legacyCalls++}`,
              name: textAt(legacy, 'name'),
              input: writtenCall({ function: legacy }).input,
              custom: false,
            },
          ]
        : [];
      turns.push({ role: 'assistant', parts: [...assistantParts(message, at, context), ...call] });
    } else {
      turns.push({ role: 'user', parts: partsOf(content, at, context) });
    }
  }
  return { system, turns };
}

function assistantParts(message: unknown, at: string, context: DecodeRequestContext): Part[] {
  const content = isObject(message) ? message['content'] : undefined;
  const calls = listAt(message, 'tool_calls').filter(isObject);
  const states = calls.flatMap((call) => statesOf(call, context));
  const reasoning = textAt(message, 'reasoning_content') || textAt(message, 'reasoning');
  const thinking: Part[] =
    states.length > 0
      ? states.map((state, index) => ({
          kind: 'thinking',
          text: state.text ?? (index === 0 ? reasoning : ''),
          state,
        }))
      : reasoning === ''
        ? []
        : [{ kind: 'thinking', text: reasoning, state: { format: 'openai-chat', kind: 'signed', data: '' } }];
  const refusal = textAt(message, 'refusal');
  // One vendor wants its state right before the call that it belongs to, the others at the beginning.
  const beforeCalls = (part: Part) => part.kind === 'thinking' && part.state?.format === 'gemini';
  return [
    ...thinking.filter((part) => !beforeCalls(part)),
    ...partsOf(content, at, context),
    ...(refusal ? [{ kind: 'refusal' as const, text: refusal }] : []),
    ...thinking.filter(beforeCalls),
    ...calls.map(callOf),
  ];
}

function statesOf(call: unknown, { states }: DecodeRequestContext) {
  const signature = someTextAt(objectAt(objectAt(call, 'extra_content'), 'google'), 'thought_signature');
  if (signature === undefined) return [];
  return (
    states.unwrap(signature) ?? [{ format: 'openai-chat' as const, kind: 'signed' as const, data: signature }]
  );
}

function callOf(call: JsonObject): ToolCall {
  const { id, name, input, custom } = writtenCall(call);
  return { kind: 'tool_call', id, name, input, custom };
}

function partsOf(content: unknown, at: string, context: DecodeRequestContext): Part[] {
  if (typeof content === 'string') return content === '' ? [] : [{ kind: 'text', text: content }];
  if (!Array.isArray(content)) return [];
  return content.flatMap((part: unknown, index) => partOf(part, `${at}.content[${index}]`, context));
}

function partOf(part: unknown, at: string, { notes }: DecodeRequestContext): Part[] {
  if (isObject(part) && part['prompt_cache_breakpoint'])
    notes.ask('cache_control', 'prompt_cache_breakpoint');
  switch (textAt(part, 'type')) {
    case 'text':
    case 'input_text':
    case 'output_text':
      return [{ kind: 'text', text: textAt(part, 'text') }];
    case 'refusal':
      return [{ kind: 'refusal', text: textAt(part, 'refusal') }];
    case 'image_url': {
      const image = objectAt(part, 'image_url');
      const source = sourceOfUrl(urlAt(part));
      return [{ kind: 'image', source, ...given({ detail: someTextAt(image, 'detail') }), at }];
    }
    case 'input_audio': {
      const audio = objectAt(part, 'input_audio');
      const mediaType = audioType(textAt(audio, 'format'));
      return [{ kind: 'audio', source: { type: 'data', mediaType, data: textAt(audio, 'data') }, at }];
    }
    case 'file': {
      const file = objectAt(part, 'file');
      const id = someTextAt(file, 'file_id');
      const source = id === undefined ? sourceOfUrl(textAt(file, 'file_data')) : { type: 'id' as const, id };
      return [{ kind: 'file', source, ...given({ name: someTextAt(file, 'filename') }), at }];
    }
    default:
      return notes.refuse(at, `a part of type "${textAt(part, 'type')}" is not known.`);
  }
}

function toolOf(tool: unknown, index: number, { notes }: DecodeRequestContext): Tool[] {
  const custom = objectAt(tool, 'custom');
  if (custom) {
    const grammar = objectAt(objectAt(custom, 'format'), 'grammar');
    return [
      {
        kind: 'custom',
        name: textAt(custom, 'name'),
        ...given({
          description: someTextAt(custom, 'description'),
          grammar: grammar && {
            syntax: textAt(grammar, 'syntax'),
            definition: textAt(grammar, 'definition'),
          },
        }),
      },
    ];
  }
  const named = objectAt(tool, 'function');
  return named
    ? [functionOf(named)]
    : notes.refuse(`tools[${index}]`, 'must be a tool of type "function" or "custom".');
}

const functionOf = (tool: unknown): Tool => ({
  kind: 'function',
  name: textAt(tool, 'name'),
  ...given({ description: someTextAt(tool, 'description'), strict: booleanAt(tool, 'strict') }),
  parameters: objectSchema(isObject(tool) ? tool['parameters'] : undefined),
});

function choiceOf(choice: unknown, { notes }: DecodeRequestContext): ToolChoice | undefined {
  if (choice === 'auto' || choice === 'none' || choice === 'required') return { mode: choice };
  const allowed = objectAt(choice, 'allowed_tools');
  if (allowed) {
    notes.ask('allowed_tools', 'tool_choice');
    const names = listAt(allowed, 'tools').map((tool) =>
      textAt(objectAt(tool, 'function') ?? objectAt(tool, 'custom'), 'name'),
    );
    return { mode: textAt(allowed, 'mode') === 'required' ? 'required' : 'auto', allowed: names };
  }
  const name = textAt(objectAt(choice, 'function') ?? objectAt(choice, 'custom') ?? choice, 'name');
  return name === '' ? undefined : { mode: 'tool', name };
}

function formatOf(format: unknown, { notes }: DecodeRequestContext): ResponseFormat | undefined {
  if (textAt(format, 'type') === 'json_object') {
    notes.ask('json_object', 'response_format');
    return { type: 'json' };
  }
  const schema = objectAt(format, 'json_schema');
  if (!schema) return undefined;
  notes.ask('json_schema', 'response_format');
  return {
    type: 'schema',
    name: textAt(schema, 'name') || 'answer',
    schema: objectAt(schema, 'schema') ?? {},
    ...given({ strict: booleanAt(schema, 'strict'), description: someTextAt(schema, 'description') }),
  };
}
