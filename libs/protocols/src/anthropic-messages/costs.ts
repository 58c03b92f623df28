import type { CostRules } from '../costs/costs.ts';
import { listAt, numberAt, objectAt, someTextAt, textAt } from '../json.ts';
import { MESSAGES_TIERS } from './extras.ts';

export const messagesCosts: CostRules = {
  fields: {
    service_tier: { feature: 'service_tier', free: ['standard_only'], instead: { auto: 'standard_only' } },
    speed: { feature: 'speed', free: ['standard'] },
    inference_geo: { feature: 'inference_geo', free: ['global'] },
    'container.skills': { feature: 'skills' },
    fallbacks: { feature: 'other_models' },
    'context_management.edits.*.type': { feature: 'compaction', costly: 'compact' },
    background: { feature: 'background', free: [false] },
  },
  // A shell, an editor, a screen and a memory are the client's; a search among the tools costs its tokens.
  freeTools:
    /^(?:custom|(?:bash|text_editor|computer|browser|memory|tool_search_tool)_.+|(?:computer|browser) ?toolset_.+)$/,
  hostedTools: [
    ['web_search', 'web_search'],
    ['web_fetch', 'web_fetch'],
    ['code_execution', 'code_execution'],
    ['mcp', 'mcp'],
  ],
  offered: (body) => [
    ...listAt(body, 'tools').map((tool, index) => {
      const name = someTextAt(tool, 'name');
      const type = textAt(tool, 'type') || 'custom';
      return { path: ['tools', index], type, ...(name === undefined ? {} : { name }) };
    }),
    ...listAt(body, 'mcp_servers').map((_server, index) => ({
      path: ['mcp_servers', index],
      type: 'mcp_server',
    })),
  ],
  chosen(body) {
    const choice = objectAt(body, 'tool_choice');
    const named = someTextAt(choice, 'name');
    return { none: textAt(choice, 'type') === 'none', ...(named === undefined ? {} : { named }) };
  },
  told: ['web_search', 'web_fetch', 'code_execution', 'service_tier', 'speed', 'inference_geo'],
  tiers: MESSAGES_TIERS,
  findCallLimit: (body, { path: [, index] }) => numberAt(listAt(body, 'tools')[Number(index)], 'max_uses'),
};
