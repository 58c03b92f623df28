import type { CostlyField, CostRules, OfferedTool } from '../costs/costs.ts';
import { isObject, listAt, objectAt, textAt } from '../json.ts';
import { GEMINI_TIERS } from './extras.ts';

const TIER: CostlyField = {
  feature: 'service_tier',
  free: ['standard', 'unspecified', 'service_tier_standard', 'service_tier_unspecified'],
  instead: { auto: 'standard' },
};
const OTHER_MODEL: CostlyField = { feature: 'other_models' };

/** Google reads every name with capitals and with underscores. */
export const geminiCosts: CostRules = {
  fields: {
    serviceTier: TIER,
    service_tier: TIER,
    'generationConfig.routingConfig': OTHER_MODEL,
    'generationConfig.routing_config': OTHER_MODEL,
    'generation_config.routingConfig': OTHER_MODEL,
    'generation_config.routing_config': OTHER_MODEL,
    'generationConfig.modelSelectionConfig': OTHER_MODEL,
    'generationConfig.model_selection_config': OTHER_MODEL,
    'generation_config.modelSelectionConfig': OTHER_MODEL,
    'generation_config.model_selection_config': OTHER_MODEL,
    background: { feature: 'background', free: [false] },
  },
  freeTools: /^(?:functionDeclarations|function_declarations|computerUse|computer_use)$/,
  hostedTools: [
    ['googleSearch', 'web_search'],
    ['google_search', 'web_search'],
    ['enterpriseWebSearch', 'web_search'],
    ['enterprise_web_search', 'web_search'],
    ['googleMaps', 'web_search'],
    ['google_maps', 'web_search'],
    ['urlContext', 'web_fetch'],
    ['url_context', 'web_fetch'],
    ['codeExecution', 'code_execution'],
    ['code_execution', 'code_execution'],
    ['fileSearch', 'file_search'],
    ['file_search', 'file_search'],
    ['retrieval', 'file_search'],
    ['mcp', 'mcp'],
  ],
  offered: (body) =>
    toolLists(body).flatMap(({ key, list }) => list.flatMap((entry, index) => typesIn(entry, key, index))),
  chosen: (body) => ({
    none: ['toolConfig', 'tool_config'].some((key) =>
      ['functionCallingConfig', 'function_calling_config'].some(
        (inner) => textAt(objectAt(objectAt(body, key), inner), 'mode').toUpperCase() === 'NONE',
      ),
    ),
  }),
  told: ['web_search', 'service_tier'],
  tiers: GEMINI_TIERS,
  findCallLimit: () => undefined,
};

const toolLists = (body: unknown) => [{ key: 'tools', list: listAt(body, 'tools') }];

/** Each member of an entry is a tool of its own; one that is null or lists no function is none. */
function typesIn(entry: unknown, key: string, index: number): OfferedTool[] {
  if (!isObject(entry)) return [];
  return Object.entries(entry).flatMap(([type, value]): OfferedTool[] =>
    value === null || (Array.isArray(value) && value.length === 0)
      ? []
      : [{ path: [key, index, type], type }],
  );
}
