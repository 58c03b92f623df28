import type { DecodeRequestContext } from '../../convert/conversion.ts';
import { noteHostedTools } from '../../convert/hosted-tools.ts';
import { objectSchema } from '../../convert/tool-input.ts';
import {
  booleanAt,
  given,
  isObject,
  type JsonObject,
  listAt,
  objectAt,
  someTextAt,
  textAt,
} from '../../json.ts';
import type { Tool, ToolChoice } from '../../neutral/request.ts';

/** Tools of a request, with those that an agent offers through an item of its input. */
export function decodeResponsesTools(
  body: JsonObject,
  items: readonly unknown[],
  { notes }: DecodeRequestContext,
): { tools: Tool[]; toolChoice: ToolChoice | undefined } {
  const tools: Tool[] = [];
  const hosted: { type: string; at: string }[] = [];

  const take = (list: readonly unknown[], at: string, namespace: string | undefined): void => {
    for (const [index, tool] of list.entries()) {
      const type = textAt(tool, 'type');
      const place = `${at}[${index}]`;
      const named = {
        name: textAt(tool, 'name'),
        ...given({ namespace, description: someTextAt(tool, 'description') }),
      };
      if (type === 'namespace') take(listAt(tool, 'tools'), `${place}.tools`, named.name);
      else if (type === 'function') {
        const parameters = objectSchema(isObject(tool) ? tool['parameters'] : undefined);
        tools.push({
          kind: 'function',
          ...named,
          ...given({ strict: booleanAt(tool, 'strict') }),
          parameters,
        });
      } else if (type === 'custom') {
        const format = objectAt(tool, 'format');
        const grammar =
          textAt(format, 'type') === 'grammar'
            ? { syntax: textAt(format, 'syntax'), definition: textAt(format, 'definition') }
            : undefined;
        tools.push({ kind: 'custom', ...named, ...given({ grammar }) });
      } else hosted.push({ type, at: place });
    }
  };

  take(listAt(body, 'tools'), 'tools', undefined);
  for (const [index, item] of items.entries()) {
    if (textAt(item, 'type') === 'additional_tools')
      take(listAt(item, 'tools'), `input[${index}].tools`, undefined);
  }
  const choice = body['tool_choice'];
  const toolChoice = choiceOf(choice);
  if (toolChoice?.mode !== 'tool' && toolChoice?.allowed) notes.ask('allowed_tools', 'tool_choice');
  noteHostedTools(hosted, tools.length, toolChoice, someTextAt(choice, 'type'), notes);
  return { tools, toolChoice };
}

function choiceOf(choice: unknown): ToolChoice | undefined {
  if (choice === 'auto' || choice === 'none' || choice === 'required') return { mode: choice };
  switch (textAt(choice, 'type')) {
    case 'function':
    case 'custom':
      return { mode: 'tool', name: textAt(choice, 'name') };
    case 'allowed_tools':
      return {
        mode: textAt(choice, 'mode') === 'required' ? 'required' : 'auto',
        allowed: listAt(choice, 'tools').map((tool) => textAt(tool, 'name')),
      };
    default:
      return undefined;
  }
}
