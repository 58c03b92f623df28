import { z } from 'zod';

/** Ways in which a vendor serves a request at prices of their own. Formats say them in their vendors' words. */
export const TIERS = [
  'standard',
  'priority',
  'fast',
  'flex',
  'ultrafast',
  'batch',
  'scale',
  'reserved',
] as const;
export type Tier = (typeof TIERS)[number];

/** Tools that run at the vendor. */
export type HostedTool = 'search' | 'fetch' | 'file_search' | 'code' | 'draw';

/** Who says in Chat how often it searched; the citations of OpenAI say only that it did. */
const SEARCH_WORDS = ['citations', 'xai', 'openrouter', 'perplexity'] as const;
type SearchWords = (typeof SEARCH_WORDS)[number];

/** What a request asks for beside tokens. */
export interface AskedExtras {
  readonly tools: ReadonlySet<HostedTool>;
  readonly tier?: Tier | undefined;
  readonly region?: string | undefined;
  readonly drawingModel?: string | undefined;
  readonly searchWords?: SearchWords;
}

const count = z.int().nonnegative().max(1_000);

/** The part of a script that is about what is billed beside tokens: how often each tool ran, and how it was served. */
export const EXTRAS_SHAPE = {
  searches: count.optional(),
  /** Found pages that are opened: no vendor charges that as a search. */
  pages_opened: count.optional(),
  fetches: count.optional(),
  file_searches: count.optional(),
  containers: count.optional(),
  /** Pieces of code, each in one of the containers in turn. */
  code_calls: count.optional(),
  /** Tokens of the model that draws. */
  drawing: z
    .strictObject({
      input_text: count,
      input_image: count,
      cached_text: count,
      cached_image: count,
      output_text: count,
      output_image: count,
    })
    .partial()
    .optional(),
  /** Responses: false leaves the vendor's own count of its tools out, so that items must be counted. */
  tool_usage: z.boolean().optional(),
  /** In which it is served, whatever the request asked for. */
  tier: z.enum(TIERS).optional(),
  region: z.string().max(64).optional(),
  search_words: z.enum(SEARCH_WORDS).optional(),
  /** Chat and Responses: what OpenRouter and the like say that they charge, in USD. */
  cost: z.number().nonnegative().optional(),
  /** Gemini: the tier in the words of Vertex. */
  traffic_type: z.boolean().optional(),
};
type ExtrasScript = { [K in keyof typeof EXTRAS_SHAPE]?: z.infer<(typeof EXTRAS_SHAPE)[K]> };

/** Tokens of a model that draws: text and images that went in, those of them that were cached, and what came out. */
export interface Drawing {
  readonly model: string;
  readonly inputText: number;
  readonly inputImage: number;
  readonly cachedText: number;
  readonly cachedImage: number;
  readonly outputText: number;
  readonly outputImage: number;
}

/** What the vendor did for an answer beside tokens. */
export interface Extras {
  /** In the order of what {@link AskedExtras} calls them. */
  readonly searches: number;
  readonly pagesOpened: number;
  readonly fetches: number;
  readonly fileSearches: number;
  readonly containers: number;
  readonly codeCalls: number;
  readonly drawing: Drawing | undefined;
  /** Undefined where nobody asked for one: then most vendors say nothing of it. */
  readonly tier: Tier | undefined;
  readonly region: string | undefined;
  /** Some tool of the vendor was offered or has run. */
  readonly hosted: boolean;
  readonly reportsTools: boolean;
  readonly searchWords: SearchWords;
  readonly trafficType: boolean;
  readonly cost: number | undefined;
}

/** What answers of a format can tell. */
export interface TellableExtras {
  readonly tools: readonly HostedTool[];
  readonly tiers: readonly Tier[];
  readonly regions: boolean;
}

const DRAWING_MODEL = 'gpt-image-1';
const DRAWN = { input_text: 10, output_image: 272 };

/**
 * What happens as a script says; without, each tool that is offered runs once and the tier that was asked for is served.
 *
 * @throws Error where the script wants what answers of the format cannot tell.
 */
export function findExtras(asked: AskedExtras, script: ExtrasScript, tellable: TellableExtras): Extras {
  const once = (tool: HostedTool): number => (asked.tools.has(tool) ? 1 : 0);
  const containers = script.containers ?? once('code');
  const drawn = script.drawing ?? (asked.tools.has('draw') ? DRAWN : undefined);
  const extras: Extras = {
    searches: script.searches ?? once('search'),
    pagesOpened: script.pages_opened ?? 0,
    fetches: script.fetches ?? once('fetch'),
    fileSearches: script.file_searches ?? once('file_search'),
    containers,
    codeCalls: Math.max(containers, containers > 0 ? (script.code_calls ?? 0) : 0),
    drawing: drawn && {
      model: asked.drawingModel ?? DRAWING_MODEL,
      inputText: drawn.input_text ?? 0,
      inputImage: script.drawing?.input_image ?? 0,
      cachedText: script.drawing?.cached_text ?? 0,
      cachedImage: script.drawing?.cached_image ?? 0,
      outputText: script.drawing?.output_text ?? 0,
      outputImage: drawn.output_image ?? 0,
    },
    tier: script.tier ?? asked.tier,
    region: script.region ?? asked.region,
    hosted: asked.tools.size > 0,
    reportsTools: script.tool_usage ?? true,
    searchWords: script.search_words ?? asked.searchWords ?? 'citations',
    trafficType: script.traffic_type ?? false,
    cost: script.cost,
  };
  refuseUntold(extras, tellable);
  return { ...extras, hosted: extras.hosted || listTools(extras).length > 0 };
}

const listTools = (extras: Extras): HostedTool[] =>
  (
    [
      ['search', extras.searches + extras.pagesOpened],
      ['fetch', extras.fetches],
      ['file_search', extras.fileSearches],
      ['code', extras.containers],
      ['draw', extras.drawing ? 1 : 0],
    ] as const
  ).flatMap(([tool, times]) => (times > 0 ? [tool] : []));

function refuseUntold(extras: Extras, { tools, tiers, regions }: TellableExtras): void {
  const untold = [
    ...listTools(extras).filter((tool) => !tools.includes(tool)),
    ...(extras.tier === undefined || tiers.includes(extras.tier) ? [] : [`the tier ${extras.tier}`]),
    ...(extras.region === undefined || regions ? [] : ['a region']),
  ];
  if (untold.length > 0)
    throw new Error(`The script cannot be obeyed: this format has no word for ${untold.join(', ')}.`);
}
