import { findOwn } from '@tollgate/vocabulary';
import { markCache } from '../../convert/cache-marks.ts';
import { saidStops } from '../../convert/claude-settings.ts';
import type { EncodeRequestContext } from '../../convert/conversion.ts';
import { offeredTools } from '../../convert/offered-tools.ts';
import { strictMessages } from '../../convert/strict-messages.ts';
import { customAsFunction } from '../../convert/tool-input.ts';
import { plainName } from '../../dialects/dialect.ts';
import { given, isObject, type JsonObject, listAt } from '../../json.ts';
import type { NeutralRequest, Tool } from '../../neutral/request.ts';
import { callNames } from '../../neutral/turns.ts';
import { CACHES_FOR_HOURS } from '../dialects.ts';
import { createBlockEncoder } from './encode-blocks.ts';
import { encodeModelFields } from './model-fields.ts';

export function encodeConverseRequest(request: NeutralRequest, context: EncodeRequestContext): JsonObject {
  const { sampling, responseFormat } = request;
  const { notes } = context;
  const own = encodeModelFields(request, sampling.maxOutputTokens ?? findDefaultLimit(context), context);
  const json = responseFormat?.type === 'json' ? ['Answer with one JSON object and nothing else.'] : [];
  const system = [...request.system.filter((text) => text.trim() !== ''), ...json];
  const tools = toolsOf(request, context);
  const marked = markCache(
    {
      tools: tools.length > 0 ? tools : undefined,
      system: system.length > 0 ? system.map((text) => ({ text })) : undefined,
      messages: withWords(strictMessages(request.turns, createBlockEncoder(context), notes), context),
    },
    request,
    context.dialect,
    (list) => [...list, { cachePoint: { type: 'default', ...given({ ttl: ttlOf(request, context) }) } }],
  );
  const inferenceConfig = given({
    maxTokens: own.maxTokens ?? sampling.maxOutputTokens,
    temperature: own.temperature,
    topP: own.topP,
    stopSequences: saidStops(sampling.stop, notes),
  });
  const outputConfig = given({ textFormat: textFormat(request), effort: own.effort });
  const filled = (members: JsonObject) => (Object.keys(members).length > 0 ? members : undefined);
  return {
    messages: marked.messages,
    ...given({
      system: marked.system,
      inferenceConfig: filled(inferenceConfig),
      toolConfig: marked.tools && {
        tools: marked.tools,
        ...given({ toolChoice: choiceOf(request, context) }),
      },
      outputConfig: filled(outputConfig),
      additionalModelRequestFields: filled(own.fields),
      additionalModelResponseFieldPaths: own.answered,
      serviceTier: tierOf(request, context),
      requestMetadata: metadataOf(request, context),
    }),
  };
}

/** Where the client states no limit. */
const findDefaultLimit = ({ defaultMaxTokens, dialect }: EncodeRequestContext): number =>
  Math.min(defaultMaxTokens, dialect.max_output_tokens ?? defaultMaxTokens);

const ttlOf = ({ cachesForHour }: NeutralRequest, { model }: EncodeRequestContext): '1h' | undefined =>
  cachesForHour && CACHES_FOR_HOURS.models.test(plainName(model)) ? '1h' : undefined;

/** A document is sent with words about it. */
function withWords(messages: readonly JsonObject[], { notes }: EncodeRequestContext): JsonObject[] {
  return messages.map((message) => {
    const content = listAt(message, 'content');
    const has = (key: string) => content.some((block) => isObject(block) && key in block);
    if (!has('document') || has('text')) return message;
    notes.emulate('a document without words');
    return { ...message, content: [...content, { text: '(The document is above.)' }] };
  });
}

/** Calls of earlier turns are refused where no tools are offered: then the tools that they called are. */
function toolsOf(request: NeutralRequest, context: EncodeRequestContext): JsonObject[] {
  const called = [...callNames(request.turns).values()];
  // That none may be called is said by offering none, as long as none was called.
  if (request.toolChoice?.mode === 'none' && called.length === 0) return [];
  const offered = offeredTools(request).map((tool) => toolOf(tool, context));
  if (offered.length > 0) return offered;
  if (called.length > 0) context.notes.emulate('tools');
  const names = new Set(called.map(({ name, namespace }) => context.names.toUpstream(name, namespace)));
  const inputSchema = { json: { type: 'object', properties: {} } };
  return [...names].map((name) => ({
    toolSpec: { name, description: 'A tool of earlier turns. It cannot be called any more.', inputSchema },
  }));
}

function toolOf(tool: Tool, { names, notes }: EncodeRequestContext): JsonObject {
  if (tool.namespace !== undefined) notes.ask('tool_namespaces', 'tools');
  const name = names.toUpstream(tool.name, tool.namespace);
  if (tool.kind === 'custom') {
    notes.ask('custom_tools', 'tools');
    const { description, parameters } = customAsFunction(tool);
    const said = given({ description: description || undefined });
    return { toolSpec: { name, ...said, inputSchema: { json: parameters } } };
  }
  // An empty description is refused.
  const said = { description: tool.description || undefined, strict: tool.strict || undefined };
  return { toolSpec: { name, ...given(said), inputSchema: { json: tool.parameters } } };
}

/** Where tools are offered it cannot be said that none may be called. */
function choiceOf(
  { toolChoice: choice, tools }: NeutralRequest,
  { names, notes }: EncodeRequestContext,
): JsonObject | undefined {
  if (choice === undefined || tools.length === 0) return undefined;
  if (choice.mode === 'none') {
    notes.drop('tool_choice');
    return undefined;
  }
  if (choice.mode !== 'tool') return choice.mode === 'auto' ? { auto: {} } : { any: {} };
  const namespace = tools.find(({ name }) => name === choice.name)?.namespace;
  return { tool: { name: names.toUpstream(choice.name, namespace) } };
}

function textFormat({ responseFormat: format }: NeutralRequest): JsonObject | undefined {
  if (format?.type !== 'schema') return undefined;
  const { name, description } = format;
  const jsonSchema = { schema: JSON.stringify(format.schema), name, ...given({ description }) };
  return { type: 'json_schema', structure: { jsonSchema } };
}

const TIERS: Readonly<Record<string, string>> = {
  default: 'default',
  standard_only: 'default',
  priority: 'priority',
  fast: 'priority',
  flex: 'flex',
};

/** What leaves the choice to the vendor is left out. */
function tierOf({ shared }: NeutralRequest, { notes }: EncodeRequestContext): JsonObject | undefined {
  const tier = shared['service_tier'];
  if (typeof tier !== 'string' || tier === 'auto') return undefined;
  const type = findOwn(TIERS, tier);
  if (type === undefined) notes.drop('service_tier');
  return type === undefined ? undefined : { type };
}

const METADATA_TEXT = /^[A-Za-z0-9\s:_@$#=/+,.-]{1,256}$/;

/** Entries that hold what it does not take are left out. */
function metadataOf({ shared }: NeutralRequest, { notes }: EncodeRequestContext): JsonObject | undefined {
  const { metadata } = shared;
  if (!isObject(metadata)) return undefined;
  const entries = Object.entries(metadata);
  const taken = entries.filter(
    ([key, value]) => METADATA_TEXT.test(key) && METADATA_TEXT.test(String(value)),
  );
  if (taken.length < entries.length) notes.drop('metadata');
  return taken.length > 0 ? Object.fromEntries(taken.slice(0, 16)) : undefined;
}
