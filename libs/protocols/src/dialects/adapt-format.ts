import type { Notes } from '../convert/notes.ts';
import { textOf } from '../convert/turns.ts';
import type { NeutralRequest, Part, ResponseFormat, Tool, Turn } from '../neutral/request.ts';
import { closedSchema } from './closed-schema.ts';
import type { Dialect } from './dialect.ts';

/** The shape of the answer as a model takes it, with the words that it needs for that. */
export function adaptFormat(request: NeutralRequest, dialect: Dialect, notes: Notes): NeutralRequest {
  const { responseFormat: format } = request;
  if (!format) return request;
  if (format.type === 'json') return withWord(request, dialect, notes);
  if (dialect.structured_output) {
    const responseFormat = closeFormat(format, dialect, notes);
    return responseFormat === format ? request : { ...request, responseFormat };
  }
  notes.emulate(notes.fieldOf('json_schema'));
  const told = `Answer with JSON that this JSON schema describes, and with nothing else:\n${JSON.stringify(format.schema)}`;
  const inWords: NeutralRequest = {
    ...request,
    system: [...request.system, told],
    responseFormat: { type: 'json' },
  };
  return withWord(inWords, dialect, notes);
}

type SchemaFormat = Extract<ResponseFormat, { type: 'schema' }>;

function closeFormat(format: SchemaFormat, dialect: Dialect, notes: Notes): SchemaFormat {
  if (!dialect.closed_schemas) return format;
  const { schema, isChanged } = closedSchema(format.schema);
  if (!isChanged) return format;
  notes.emulate(notes.fieldOf('json_schema'));
  return { ...format, schema };
}

/** Tools whose arguments are held to their schema, with a schema that can be held to. */
export function closeTools(tools: readonly Tool[], dialect: Dialect, notes: Notes): readonly Tool[] {
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
  parts: [{ kind: 'text', text: 'Answer with one JSON object and nothing else.' }],
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
  isAboutJson(textOf(parts)) ||
  parts.some((part) => part.kind === 'tool_result' && isAboutJson(textOf(part.content)));
