import type { Notes } from '../neutral/notes.ts';
import { joinText } from '../neutral/turns.ts';
import type { NeutralRequest, Part, ResponseFormat, Tool, Turn } from '../neutral/request.ts';
import { closedSchema } from './closed-schema.ts';
import type { Dialect } from './dialect.ts';
import { isClosed, withItems } from './openai-schema.ts';
import { hasPlainRoot, withPlainRoot } from './plain-root.ts';

/** The shape of the answer as a model takes it, with the words that it needs for that. */
export function adaptFormat(request: NeutralRequest, dialect: Dialect, notes: Notes): NeutralRequest {
  const { responseFormat: format } = request;
  if (!format) return request;
  if (!dialect.json_with_tools && request.tools.length > 0) return inWordsAlone(request, format, notes);
  if (format.type === 'json') return withWord(request, dialect, notes);
  if (dialect.structured_output) {
    const responseFormat = closeFormat(format, dialect, notes);
    return responseFormat === format ? request : { ...request, responseFormat };
  }
  notes.emulate(notes.fieldOf('json_schema'));
  const inWords: NeutralRequest = {
    ...request,
    system: [...request.system, inWordsOf(format)],
    responseFormat: { type: 'json' },
  };
  return withWord(inWords, dialect, notes);
}

const ASKED_FOR_JSON = 'Answer with one JSON object and nothing else.';

const inWordsOf = (format: ResponseFormat): string =>
  format.type === 'json'
    ? ASKED_FOR_JSON
    : `Answer with JSON that this JSON schema describes, and with nothing else:\n${JSON.stringify(format.schema)}`;

/** The model is told what its answer is to be, and nothing holds it to that. */
function inWordsAlone(request: NeutralRequest, format: ResponseFormat, notes: Notes): NeutralRequest {
  const { responseFormat: _format, ...rest } = request;
  notes.emulate(notes.fieldOf(format.type === 'json' ? 'json_object' : 'json_schema'));
  return { ...rest, system: [...request.system, inWordsOf(format)] };
}

type SchemaFormat = Extract<ResponseFormat, { type: 'schema' }>;

function closeFormat(format: SchemaFormat, dialect: Dialect, notes: Notes): SchemaFormat {
  const { schema: asked, strict } = format;
  if (dialect.whole_schemas && strict === true && !(isClosed(asked) && hasPlainRoot(asked))) {
    notes.emulate(notes.fieldOf('json_schema'));
    return { ...format, strict: false };
  }
  if (!dialect.closed_schemas) return format;
  const { schema, isChanged } = closedSchema(format.schema);
  if (!isChanged) return format;
  notes.emulate(notes.fieldOf('json_schema'));
  return { ...format, schema };
}

/** Tools with a schema of their arguments that a model takes. */
export function adaptTools(tools: readonly Tool[], dialect: Dialect, notes: Notes): readonly Tool[] {
  const once = withoutDuplicates(tools, notes).map((tool) => plainTool(tool, dialect, notes));
  return dialect.whole_schemas
    ? once.map((tool) => wholeTool(tool, notes))
    : closeTools(once, dialect, notes);
}

/** The first tool of a name stays: most vendors take each name once. */
function withoutDuplicates(tools: readonly Tool[], notes: Notes): readonly Tool[] {
  const known = new Set<string>();
  const once = tools.filter(({ name, namespace }) => {
    const key = JSON.stringify([namespace ?? null, name]);
    return !known.has(key) && known.add(key);
  });
  if (once.length < tools.length) notes.drop('tools of the same name');
  return once;
}

function plainTool(tool: Tool, dialect: Dialect, notes: Notes): Tool {
  if (tool.kind !== 'function' || !(dialect.whole_schemas || dialect.closed_schemas)) return tool;
  const plain = withPlainRoot(tool);
  if (plain !== tool) notes.emulate(notes.fieldOf('tools'));
  return plain;
}

function wholeTool(tool: Tool, notes: Notes): Tool {
  if (tool.kind !== 'function') return tool;
  const { schema, isChanged } = withItems(tool.parameters);
  const loosened = isStrict(tool) && !isClosed(schema);
  if (!isChanged && !loosened) return tool;
  notes.emulate(notes.fieldOf('tools'));
  return { ...tool, parameters: schema, ...(loosened ? { strict: false } : {}) };
}

/** Tools whose arguments are held to their schema, with a schema that can be held to. */
function closeTools(tools: readonly Tool[], dialect: Dialect, notes: Notes): readonly Tool[] {
  if (!dialect.closed_schemas || !tools.some(isStrict)) return tools;
  return tools.map((tool) => {
    if (!isStrict(tool)) return tool;
    const { schema, isChanged } = closedSchema(tool.parameters);
    if (!isChanged) return tool;
    notes.emulate(notes.fieldOf('tools'));
    return { ...tool, parameters: schema };
  });
}

const isStrict = (tool: Tool): tool is Extract<Tool, { kind: 'function' }> =>
  tool.kind === 'function' && tool.strict === true;

const ASKS_FOR_JSON: Turn = {
  role: 'system',
  parts: [{ kind: 'text', text: ASKED_FOR_JSON }],
};

/** OpenAI refuses to answer in JSON where nobody has said the word. */
function withWord(request: NeutralRequest, { json_word }: Dialect, notes: Notes): NeutralRequest {
  const { turns, system } = request;
  if (json_word === 'nobody' || turns.some(({ parts }) => saysJson(parts))) return request;
  if (json_word === 'anybody' && system.some(isAboutJson)) return request;
  notes.emulate(notes.fieldOf('json_object'));
  return { ...request, turns: [ASKS_FOR_JSON, ...turns] };
}

const isAboutJson = (text: string): boolean => /json/i.test(text);

const saysJson = (parts: readonly Part[]): boolean =>
  isAboutJson(joinText(parts)) ||
  parts.some((part) => part.kind === 'tool_result' && isAboutJson(joinText(part.content)));
