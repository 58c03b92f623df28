import type { CostRules, OfferedTool } from '../costs/costs.ts';
import { isObject, listAt, objectAt, someTextAt, textAt } from '../json.ts';
import { OPENAI_TIERS } from './extras.ts';

/** OpenAI's tiers, and the words of Groq and others for the ordinary one. */
export const OPENAI_TIER = {
  feature: 'service_tier',
  free: ['default', 'standard', 'on_demand'],
  instead: { auto: 'default' },
} as const;

/** xAI searches where it may decide whether to, and so it may where nothing is said but that there is a search. */
export const GROK_SEARCH = { feature: 'web_search', free: ['off'], absent: 'auto' } as const;

/** OpenAI Chat, and what those who speak it too have added. */
export const chatCosts: CostRules = {
  fields: {
    service_tier: OPENAI_TIER,
    web_search_options: { feature: 'web_search' },
    'search_parameters.mode': GROK_SEARCH,
    // Qwen
    enable_search: { feature: 'web_search', free: [false] },
    enable_code_interpreter: { feature: 'code_execution', free: [false] },
    // OpenRouter
    plugins: { feature: 'other_tools' },
    models: { feature: 'other_models' },
    background: { feature: 'background', free: [false] },
    speed: { feature: 'speed', free: ['standard'] },
    inference_geo: { feature: 'inference_geo', free: ['global'] },
  },
  freeTools: /^(?:function|custom)$/,
  hostedTools: [
    ['web_search', 'web_search'],
    ['openrouter:web_search', 'web_search'],
    ['code_interpreter', 'code_execution'],
    ['mcp', 'mcp'],
  ],
  offered: (body) =>
    listAt(body, 'tools').map((tool, index) => ({ ...toolOf(tool), path: ['tools', index] })),
  chosen(body) {
    const choice = body['tool_choice'];
    const among = listAt(objectAt(choice, 'allowed_tools'), 'tools');
    return {
      none: choice === 'none',
      ...(isObject(choice) ? { named: toolOf(choice).name ?? textAt(choice, 'type') } : {}),
      among: among.map((tool, index) => ({
        ...toolOf(tool),
        path: ['tool_choice', 'allowed_tools', 'tools', index],
      })),
    };
  },
  told: ['web_search', 'service_tier'],
  tiers: OPENAI_TIERS,
  findCallLimit: () => undefined,
};

/** Some servers take a function without its type. */
function toolOf(tool: unknown): Pick<OfferedTool, 'type' | 'name'> {
  const type = textAt(tool, 'type') || (objectAt(tool, 'function') ? 'function' : '');
  const name = someTextAt(objectAt(tool, 'function') ?? objectAt(tool, 'custom'), 'name');
  return name === undefined ? { type } : { type, name };
}
