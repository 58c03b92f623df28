import type { ChosenTool, CostRules, OfferedTool, Path } from '../costs/costs.ts';
import type { JsonObject } from '../json.ts';
import { isObject, listAt, objectAt, someTextAt, textAt } from '../json.ts';
import { GROK_SEARCH, OPENAI_TIER } from '../openai-chat/costs.ts';
import { OPENAI_TIERS } from '../openai-chat/extras.ts';
import { boundDrawing } from './drawing.ts';

export const responsesCosts: CostRules = {
  fields: {
    service_tier: OPENAI_TIER,
    background: { feature: 'background', free: [false] },
    web_search_options: { feature: 'web_search' },
    'search_parameters.mode': GROK_SEARCH,
    plugins: { feature: 'other_tools' },
    models: { feature: 'other_models' },
    speed: { feature: 'speed', free: ['standard'] },
    inference_geo: { feature: 'inference_geo', free: ['global'] },
  },
  // A screen, a shell and patches are the client's; a search among the tools that were sent costs its tokens.
  freeTools: /^(?:function|custom|local_shell|shell|apply_patch|computer|computer_use_preview|tool_search)$/,
  hostedTools: [
    ['web_search', 'web_search'],
    ['file_search', 'file_search'],
    ['code_interpreter', 'code_execution'],
    ['hosted_shell', 'code_execution'],
    ['image_generation', 'image_generation'],
    ['mcp', 'mcp'],
  ],
  offered: (body) => [
    ...toolsIn(body['tools'], ['tools']),
    // Agents bring tools by an item of the input as well; what a server listed of its own is no offer.
    ...listAt(body, 'input').flatMap((item, index) =>
      textAt(item, 'type') === 'mcp_list_tools' || !isObject(item)
        ? []
        : toolsIn(item['tools'], ['input', index, 'tools']),
    ),
  ],
  chosen(body: JsonObject): ChosenTool {
    const choice = body['tool_choice'];
    const named = someTextAt(choice, 'name') ?? someTextAt(choice, 'type');
    return {
      none: choice === 'none',
      ...(named === undefined ? {} : { named }),
      among: toolsIn(isObject(choice) ? choice['tools'] : undefined, ['tool_choice', 'tools']),
    };
  },
  told: ['web_search', 'file_search', 'code_execution', 'image_generation', 'service_tier'],
  tiers: OPENAI_TIERS,
  findCallLimit: ({ max_tool_calls: max }) => (typeof max === 'number' ? max : undefined),
  boundDrawing,
};

/** The tools of a list, and those in its namespaces. */
function toolsIn(list: unknown, path: Path): OfferedTool[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((tool: unknown, index): OfferedTool[] => {
    const at = [...path, index];
    if (textAt(tool, 'type') === 'namespace') return toolsIn((tool as JsonObject)['tools'], [...at, 'tools']);
    const [name, model] = [someTextAt(tool, 'name'), someTextAt(tool, 'model')];
    const named = name === undefined ? {} : { name };
    return [{ path: at, type: typeOf(tool), ...named, ...(model === undefined ? {} : { model }) }];
  });
}

/** A shell is the client's unless it asks for a container of the vendor. */
function typeOf(tool: unknown): string {
  const type = textAt(tool, 'type');
  const environment = textAt(objectAt(tool, 'environment'), 'type');
  return type === 'shell' && environment !== '' && environment !== 'local' ? 'hosted_shell' : type;
}
