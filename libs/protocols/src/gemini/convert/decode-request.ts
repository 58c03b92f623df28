import type { DecodeRequestContext } from '../../convert/conversion.ts';
import { noteHostedTools } from '../../convert/hosted-tools.ts';
import type { GrowingTurn } from '../../neutral/turns.ts';
import { lowerTypes, objectSchema } from '../../convert/tool-input.ts';
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
  Part,
  Reasoning,
  ResponseFormat,
  Tool,
  ToolChoice,
  Turn,
} from '../../neutral/request.ts';
import { readStops } from '../../convert/stop-sequences.ts';
import { createCallIds, partsOfContent } from './decode-parts.ts';

export function decodeGeminiRequest(body: JsonObject, context: DecodeRequestContext): NeutralRequest {
  const config = objectAt(body, 'generationConfig');
  const toolChoice = choiceOf(
    objectAt(objectAt(body, 'toolConfig') ?? objectAt(body, 'tool_config'), 'functionCallingConfig'),
    context,
  );
  const ids = createCallIds();
  const system = objectAt(body, 'systemInstruction') ?? objectAt(body, 'system_instruction');
  return {
    system: listAt(system, 'parts').flatMap((part) => someTextAt(part, 'text') ?? []),
    turns: joinChunks(
      listAt(body, 'contents').map((content, index): Turn => ({
        role:
          textAt(content, 'role') === 'model'
            ? 'assistant'
            : textAt(content, 'role') === 'system'
              ? 'system'
              : 'user',
        parts: partsOfContent(content, `contents[${index}]`, ids, context),
      })),
    ),
    tools: toolsOf(listAt(body, 'tools'), toolChoice, context),
    ...given({
      toolChoice,
      responseFormat: formatOf(config, context),
      reasoning: reasoningOf(objectAt(config, 'thinkingConfig')),
    }),
    sampling: given({
      maxOutputTokens: numberAt(config, 'maxOutputTokens'),
      temperature: numberAt(config, 'temperature'),
      topP: numberAt(config, 'topP'),
      topK: numberAt(config, 'topK'),
      stop: readStops(config?.['stopSequences'], 'generationConfig.stopSequences', context.notes),
      seed: numberAt(config, 'seed'),
      presencePenalty: numberAt(config, 'presencePenalty'),
      frequencyPenalty: numberAt(config, 'frequencyPenalty'),
      n: numberAt(config, 'candidateCount'),
    }),
    shared: {},
    stream: context.stream,
    ...(asksForPictures(listAt(config, 'responseModalities'), context) ? { draws: true } : {}),
  };
}

function asksForPictures(modalities: readonly unknown[], { notes }: DecodeRequestContext): boolean {
  const field = 'generationConfig.responseModalities';
  const asked = modalities.map((each) => (typeof each === 'string' ? each.toUpperCase() : each));
  if (asked.some((each) => each !== 'TEXT' && each !== 'IMAGE')) notes.ask('audio_output', field);
  return asked.includes('IMAGE') && notes.ask('image_output', field);
}

/** The official SDK keeps every chunk of a streamed answer as a turn of its own: they are the turn that they were. */
function joinChunks(turns: readonly Turn[]): Turn[] {
  const joined: GrowingTurn[] = [];
  for (const { role, parts } of turns) {
    const last = joined.at(-1);
    if (role !== 'assistant' || last?.role !== role) {
      joined.push({ role, parts: [...parts] });
      continue;
    }
    const [first, ...rest] = parts;
    if (first) last.parts.push(...continued(last.parts, first), ...rest);
  }
  return joined;
}

/** What stands in place of the last part, and after it. */
function continued(parts: Part[], next: Part): Part[] {
  const last = parts.at(-1);
  if (last?.kind === 'text' && next.kind === 'text') {
    parts.pop();
    return [{ kind: 'text', text: last.text + next.text }];
  }
  if (last?.kind === 'thinking' && next.kind === 'thinking' && !last.state) {
    parts.pop();
    return [{ ...next, text: last.text + next.text }];
  }
  return [next];
}

const DECLARATIONS = ['functionDeclarations', 'function_declarations'];

function toolsOf(
  list: readonly unknown[],
  choice: ToolChoice | undefined,
  { notes }: DecodeRequestContext,
): Tool[] {
  const tools: Tool[] = [];
  const hosted: { type: string; at: string }[] = [];
  for (const [index, entry] of list.entries()) {
    const declared = DECLARATIONS.flatMap((key) => listAt(entry, key));
    for (const declaration of declared) {
      const schema = isObject(declaration)
        ? (declaration['parametersJsonSchema'] ?? declaration['parameters'])
        : undefined;
      tools.push({
        kind: 'function',
        name: textAt(declaration, 'name'),
        ...given({ description: someTextAt(declaration, 'description') }),
        parameters: objectSchema(schema),
      });
    }
    for (const type of Object.keys(isObject(entry) ? entry : {})) {
      if (!DECLARATIONS.includes(type)) hosted.push({ type, at: `tools[${index}].${type}` });
    }
  }
  if (tools.length > 0) notes.ask('tools', 'tools');
  noteHostedTools(hosted, tools.length, choice, undefined, notes);
  return tools;
}

function choiceOf(config: JsonObject | undefined, { notes }: DecodeRequestContext): ToolChoice | undefined {
  const allowed = listAt(config, 'allowedFunctionNames').filter((name) => typeof name === 'string');
  switch (textAt(config, 'mode').toUpperCase()) {
    case 'NONE':
      return { mode: 'none' };
    case 'AUTO':
    case 'VALIDATED':
      return { mode: 'auto' };
    case 'ANY': {
      const [only] = allowed;
      if (allowed.length === 1 && only !== undefined) return { mode: 'tool', name: only };
      if (allowed.length > 1)
        notes.ask('allowed_tools', 'toolConfig.functionCallingConfig.allowedFunctionNames');
      return { mode: 'required', ...(allowed.length > 1 ? { allowed } : {}) };
    }
    default:
      return undefined;
  }
}

function formatOf(
  config: JsonObject | undefined,
  { notes }: DecodeRequestContext,
): ResponseFormat | undefined {
  for (const field of ['responseJsonSchema', 'responseSchema']) {
    const schema = objectAt(config, field);
    if (!schema) continue;
    notes.ask('json_schema', `generationConfig.${field}`);
    return { type: 'schema', name: 'answer', schema: lowerTypes(schema) as JsonObject };
  }
  if (textAt(config, 'responseMimeType') !== 'application/json') return undefined;
  notes.ask('json_object', 'generationConfig.responseMimeType');
  return { type: 'json' };
}

function reasoningOf(thinking: JsonObject | undefined): Reasoning | undefined {
  if (!thinking) return undefined;
  const budget = numberAt(thinking, 'thinkingBudget');
  const level = textAt(thinking, 'thinkingLevel').toLowerCase();
  return given({
    effort: (level || undefined) as Effort | undefined,
    budget: budget === -1 ? undefined : budget,
    adaptive: budget === -1 ? true : undefined,
    shown: booleanAt(thinking, 'includeThoughts'),
  });
}
