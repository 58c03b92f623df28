import type { JsonObject } from '../json.ts';

/** What a vendor charges beyond tokens, or by another price list. None of it is served until an operator allows it. */
export const COSTLY_FEATURES = {
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
} as const;

export type CostlyFeature = keyof typeof COSTLY_FEATURES;

/** A field that makes a request cost more than its tokens. */
export interface CostlyField {
  readonly feature: CostlyFeature;
  /** Values that cost nothing more, words in small letters; nor does null. */
  readonly free?: readonly unknown[];
  /** Only words that begin like this cost more. */
  readonly costly?: string;
  /** Values that leave the choice to the vendor, and what is sent in their place. */
  readonly instead?: Readonly<Record<string, unknown>>;
}

export type Path = readonly (string | number)[];

export interface OfferedTool {
  readonly path: Path;
  readonly type: string;
  /** What a choice of tool may call it, beside its type. */
  readonly name?: string;
}

export interface ChosenTool {
  readonly none: boolean;
  /** The type or the name of the one that must be called. */
  readonly named?: string;
  /** The only ones that may be called, where the request lists them. */
  readonly among?: readonly OfferedTool[];
}

/** What of a wire format's requests costs more than tokens. */
export interface CostRules {
  /** By path, such as `generationConfig.routingConfig`; `*` is every entry of a list. */
  readonly fields: Readonly<Record<string, CostlyField>>;
  /** Tools that run at the client, or cost their tokens alone. Every type that is not here is the vendor's. */
  readonly freeTools: RegExp;
  /** What a tool of the vendor is, by how its type begins; the first that fits. */
  readonly hostedTools: readonly (readonly [beginning: string, feature: CostlyFeature])[];
  /** Every tool that a request offers, wherever it stands. */
  readonly offered: (body: JsonObject) => readonly OfferedTool[];
  readonly chosen: (body: JsonObject) => ChosenTool;
}
