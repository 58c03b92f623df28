import type { EncodeRequestContext } from '../../convert/conversion.ts';
import { customAsFunction, customInput, inputObject } from '../../convert/tool-input.ts';
import { FOREIGN_CALL, needsSignature } from './signature.ts';
import { callNames, mergeTurns, systemAsUser, joinText } from '../../neutral/turns.ts';
import { isMedia } from '../../convert/media-of-users.ts';
import { given, type JsonObject } from '../../json.ts';
import type {
  NeutralRequest,
  Part,
  Reasoning,
  Source,
  Tool,
  ToolChoice,
  Turn,
} from '../../neutral/request.ts';

export function encodeGeminiRequest(request: NeutralRequest, context: EncodeRequestContext): JsonObject {
  const { sampling, responseFormat } = request;
  const tools = offered(request, context);
  const config = given({
    maxOutputTokens: sampling.maxOutputTokens,
    temperature: sampling.temperature,
    topP: sampling.topP,
    topK: sampling.topK,
    stopSequences: sampling.stop,
    candidateCount: sampling.n,
    seed: sampling.seed,
    presencePenalty: sampling.presencePenalty,
    frequencyPenalty: sampling.frequencyPenalty,
    responseModalities: request.draws ? ['TEXT', 'IMAGE'] : undefined,
    responseMimeType: responseFormat && 'application/json',
    responseJsonSchema: responseFormat?.type === 'schema' ? responseFormat.schema : undefined,
    thinkingConfig: request.reasoning && thinkingOf(request.reasoning, context),
  });
  return {
    contents: contentsOf(request.turns, context),
    ...(request.system.length > 0
      ? { systemInstruction: { role: 'user', parts: request.system.map((text) => ({ text })) } }
      : {}),
    ...(tools.length > 0
      ? { tools: [{ functionDeclarations: tools.map((tool) => declarationOf(tool, context)) }] }
      : {}),
    ...given({
      toolConfig:
        request.toolChoice && tools.length > 0 ? toolConfig(request.toolChoice, tools, context) : undefined,
      generationConfig: Object.keys(config).length > 0 ? config : undefined,
    }),
  };
}

/** A free choice among some tools cannot be said: only those are offered. */
function offered({ tools, toolChoice }: NeutralRequest, { notes }: EncodeRequestContext): readonly Tool[] {
  if (toolChoice?.mode !== 'auto' || toolChoice.allowed === undefined) return tools;
  const allowed = new Set(toolChoice.allowed);
  notes.emulate('tool_choice');
  return tools.filter(({ name }) => allowed.has(name));
}

function contentsOf(turns: readonly Turn[], context: EncodeRequestContext): JsonObject[] {
  const { notes } = context;
  if (turns.some(({ role }) => role === 'system'))
    notes.ask('system_in_conversation', 'system text between turns');
  const names = callNames(turns);
  const partsOf = ({ role, parts }: Turn) =>
    role === 'assistant'
      ? modelParts(parts, context)
      : resultsFirst(parts.flatMap((part) => userPart(part, names, context)));
  const said = turns.map(systemAsUser).filter((turn) => partsOf(turn).length > 0);
  const contents = mergeTurns(said).map((turn): JsonObject => ({
    role: turn.role === 'assistant' ? 'model' : 'user',
    parts: partsOf(turn),
  }));
  return contents[0]?.['role'] === 'model'
    ? [{ role: 'user', parts: [{ text: '(The conversation begins here.)' }] }, ...contents]
    : contents;
}

/** The answers to calls stand together. */
const resultsFirst = (parts: readonly JsonObject[]): JsonObject[] => [
  ...parts.filter((part) => 'functionResponse' in part),
  ...parts.filter((part) => !('functionResponse' in part)),
];

/** A signature goes on the part that follows its thought; without one, on an empty text. */
function modelParts(parts: readonly Part[], context: EncodeRequestContext): JsonObject[] {
  const { names, model } = context;
  const encoded: JsonObject[] = [];
  let signature: string | undefined;
  let unsigned = needsSignature(model) ? { thoughtSignature: FOREIGN_CALL } : {};
  for (const part of parts) {
    if (part.kind === 'thinking') {
      if (part.state?.format !== 'gemini') continue;
      if (part.text !== '') encoded.push({ text: part.text, thought: true });
      signature = part.state.data;
      continue;
    }
    const signed = signature === undefined ? {} : { thoughtSignature: signature };
    if (part.kind === 'tool_call') {
      const args = part.custom ? customInput(part.input) : inputObject(part.input);
      const functionCall = { id: part.id, name: names.toUpstream(part.name, part.namespace), args };
      encoded.push({ functionCall, ...unsigned, ...signed });
      // Of calls made at once only the first carries a signature.
      unsigned = {};
    } else if ((part.kind === 'text' || part.kind === 'refusal') && part.text !== '') {
      encoded.push({ text: part.text, ...signed });
    } else if (isMedia(part)) {
      for (const medium of userPart(part, new Map(), context)) encoded.push({ ...medium, ...signed });
    } else continue;
    signature = undefined;
  }
  if (signature !== undefined) encoded.push({ text: '', thoughtSignature: signature });
  return encoded;
}

function userPart(
  part: Part,
  calls: ReadonlyMap<string, { name: string; namespace?: string }>,
  context: EncodeRequestContext,
): JsonObject[] {
  const { names, notes } = context;
  switch (part.kind) {
    case 'text':
    case 'refusal':
      return part.text === '' ? [] : [{ text: part.text }];
    case 'image':
      return [mediaPart(part.source, part.at ?? 'image', 'image_url', context)];
    case 'audio':
      return [mediaPart(part.source, part.at ?? 'audio', 'file_url', context)];
    case 'file':
      return [mediaPart(part.source, part.at ?? 'file', 'file_url', context)];
    case 'tool_result': {
      const call = calls.get(part.callId);
      const name = call ? names.toUpstream(call.name, call.namespace) : 'unknown';
      const text = joinText(part.content);
      const media = part.content.filter(({ kind }) => kind !== 'text' && kind !== 'refusal');
      if (media.length > 0) notes.ask('tool_result_media', part.at ?? 'tool results');
      const response = part.isError ? { error: text } : { output: text };
      return [
        { functionResponse: { id: part.callId, name, response } },
        ...media.flatMap((inner) => userPart(inner, calls, context)),
      ];
    }
    default:
      return [];
  }
}

function mediaPart(
  source: Source,
  at: string,
  feature: 'image_url' | 'file_url',
  { notes }: EncodeRequestContext,
): JsonObject {
  if (source.type === 'id') return notes.refuse(at, 'a file of another vendor cannot be read.');
  if (source.type === 'data') return { inlineData: { mimeType: source.mediaType, data: source.data } };
  notes.ask(feature, at);
  return {};
}

function declarationOf(tool: Tool, { names, notes }: EncodeRequestContext): JsonObject {
  if (tool.namespace !== undefined) notes.ask('tool_namespaces', 'tools');
  const name = names.toUpstream(tool.name, tool.namespace);
  if (tool.kind === 'custom') {
    notes.ask('custom_tools', 'tools');
    const { description, parameters } = customAsFunction(tool);
    return { name, description, parametersJsonSchema: parameters };
  }
  return { name, ...given({ description: tool.description }), parametersJsonSchema: tool.parameters };
}

function toolConfig(choice: ToolChoice, tools: readonly Tool[], { names }: EncodeRequestContext): JsonObject {
  const upstream = (name: string) =>
    names.toUpstream(name, tools.find((tool) => tool.name === name)?.namespace);
  const config = (mode: string, allowed?: readonly string[]) => ({
    functionCallingConfig: { mode, ...(allowed ? { allowedFunctionNames: allowed.map(upstream) } : {}) },
  });
  if (choice.mode === 'tool') return config('ANY', [choice.name]);
  if (choice.mode === 'none') return config('NONE');
  if (choice.mode === 'required') return config('ANY', choice.allowed);
  return config('AUTO');
}

const LEVEL = {
  none: undefined,
  minimal: 'MINIMAL',
  low: 'LOW',
  medium: 'MEDIUM',
  high: 'HIGH',
  xhigh: 'HIGH',
  max: 'HIGH',
} as const;

function thinkingOf(reasoning: Reasoning, { dialect }: EncodeRequestContext): JsonObject {
  const { effort, budget, adaptive, shown } = reasoning;
  const off = effort === 'none';
  // Models that go by levels decide by themselves where none is named.
  const open = adaptive && effort === undefined && dialect.reasoning !== 'effort' ? -1 : undefined;
  return {
    ...given({
      thinkingBudget: off ? 0 : (budget ?? open),
      thinkingLevel: budget === undefined && effort !== undefined ? LEVEL[effort] : undefined,
    }),
    includeThoughts: !off && budget !== 0 && shown !== false,
  };
}
