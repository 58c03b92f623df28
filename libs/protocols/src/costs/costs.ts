import type { CostlyFeature, ServiceTier } from '@tollgate/vocabulary';
import type { JsonObject } from '../json.ts';

/** A field that makes a request cost more than its tokens. */
export interface CostlyField {
  readonly feature: CostlyFeature;
  /** Values that cost nothing more, words in small letters; nor does null. */
  readonly free?: readonly unknown[];
  /** Only words that begin like this cost more. */
  readonly costly?: string;
  /** What the vendor takes it for where the object that it belongs to stands there without it. */
  readonly absent?: string;
  /** Values that leave the choice to the vendor, and what is sent in their place. */
  readonly instead?: Readonly<Record<string, unknown>>;
}

export type Path = readonly (string | number)[];

export interface OfferedTool {
  readonly path: Path;
  readonly type: string;
  /** What a choice of tool may call it, beside its type. */
  readonly name?: string;
  /** The model that it says is to work for it. */
  readonly model?: string;
}

/** A model that draws for another one, as the catalogue has it. */
export interface DrawingModel {
  readonly name: string;
  /** The most tokens that it reads and writes for one picture; null where nobody has said so. */
  readonly maxInput: number | null;
  readonly maxOutput: number | null;
}

/** The most that a request can have another model draw. */
export interface DrawingBound {
  readonly model: string;
  readonly images: number;
  /** Tokens of all of them, and those that one is drawn with. */
  readonly input: number;
  readonly output: number;
  readonly outputOfImage: number;
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
  /** Features that answers tell the use of. What is not told cannot be charged, whatever price it has. */
  readonly told: readonly CostlyFeature[];
  /** Service tiers by the words of requests and answers, in small letters. */
  readonly tiers: Readonly<Record<string, ServiceTier>>;
  /** How often tools of the vendor may run, where the request says it: all of them, or the one at this path. */
  readonly findCallLimit: (body: JsonObject, tool: OfferedTool) => number | undefined;
  /** The most that a tool can have a model draw in so many calls; absent where no tool of the format draws. */
  readonly boundDrawing?: (
    body: JsonObject,
    tool: OfferedTool,
    of: { readonly model: DrawingModel; readonly calls: number | undefined },
  ) => DrawingBound;
}

/** What an operator sells of a model beside its tokens. */
export interface ServedFeatures {
  /** Served, and charged for tokens alone. */
  readonly free: ReadonlySet<CostlyFeature>;
  readonly priced: ReadonlySet<CostlyFeature>;
  /** Those that have a price. */
  readonly serviceTiers: ReadonlySet<ServiceTier>;
  readonly regions: ReadonlySet<string>;
  /** Models that its tool for pictures may draw with; the first does where the request names none. */
  readonly drawingModels: readonly DrawingModel[];
}
