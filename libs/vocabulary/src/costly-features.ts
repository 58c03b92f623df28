import type { UnitKind } from './unit-kinds.ts';

/** What a vendor charges beyond tokens, or by another price list. None of it is served until an operator allows it. */
export const COSTLY_FEATURES = [
  'web_search',
  'web_fetch',
  'file_search',
  'code_execution',
  'image_generation',
  'mcp',
  'skills',
  'other_tools',
  'service_tier',
  'speed',
  'inference_geo',
  'background',
  'compaction',
  'other_models',
] as const;
export type CostlyFeature = (typeof COSTLY_FEATURES)[number];

/** What people read of them. */
export const COSTLY_FEATURE_NAMES: Readonly<Record<CostlyFeature, string>> = {
  web_search: 'Searches of the web or of maps',
  web_fetch: 'Pages and URLs that the vendor fetches',
  file_search: 'Searches of files kept at the vendor',
  code_execution: 'Code that runs in a container of the vendor',
  image_generation: 'Images that another model draws',
  mcp: 'MCP servers that the vendor calls',
  skills: 'Skills that run in a container of the vendor',
  other_tools: 'Every other tool that is not known to run at the client',
  service_tier: 'Service tiers with prices of their own',
  speed: 'Faster inference at a higher price',
  inference_geo: 'Inference in a stated region at a higher price',
  background: 'Work that goes on after the answer',
  compaction: 'Summaries of the context that the vendor makes and bills apart',
  other_models: 'Answers of another model than the one that is asked for',
};

/** What a feature is counted by, where it is by units. */
export const FEATURE_UNITS = {
  web_search: 'searches',
  web_fetch: 'fetches',
  file_search: 'file_searches',
  code_execution: 'container_sessions',
} as const satisfies Partial<Record<CostlyFeature, UnitKind>>;

/** What of a feature is sold: `unpriced` is not served, and what is not named is that; `free` costs tokens alone. */
export const FEATURE_TERMS = ['unpriced', 'free', 'priced'] as const;
export type FeatureTerms = (typeof FEATURE_TERMS)[number];
