import { isJson, type Tool } from './formats/format.ts';

const NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

/** The tool that the editor offers to begin with. */
export const SAMPLE_TOOLS = JSON.stringify(
  [
    {
      name: 'get_weather',
      description: 'The weather in a city, now',
      parameters: {
        type: 'object',
        properties: { city: { type: 'string', description: 'Such as "Paris"' } },
        required: ['city'],
      },
    },
  ],
  null,
  2,
);

/** Why a text is no list of tools. */
type ToolFault = 'json' | 'list' | 'name' | 'parameters';

/** The tools that a text describes, or the first thing that is wrong with it. Nothing at all is no tools. */
export function toolsIn(
  text: string,
): { tools: readonly Tool[]; fault: null } | { tools: null; fault: ToolFault } {
  if (text.trim() === '') return { tools: [], fault: null };
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    return { tools: null, fault: 'json' };
  }
  if (!Array.isArray(list)) return { tools: null, fault: 'list' };
  const tools: Tool[] = [];
  for (const entry of list as unknown[]) {
    if (!isJson(entry)) return { tools: null, fault: 'list' };
    const { name, description, parameters = { type: 'object', properties: {} } } = entry;
    if (typeof name !== 'string' || !NAME.test(name)) return { tools: null, fault: 'name' };
    if (!isJson(parameters)) return { tools: null, fault: 'parameters' };
    tools.push({ name, description: typeof description === 'string' ? description : '', parameters });
  }
  return { tools, fault: null };
}
