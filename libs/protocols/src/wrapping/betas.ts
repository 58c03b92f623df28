/** The clouds that carry Anthropic's models in a way of their own. */
export const BETA_CLOUDS = ['bedrock', 'vertex', 'foundry', 'mantle'] as const;
type BetaCloud = (typeof BETA_CLOUDS)[number];

/** What becomes of a beta of Anthropic's at each cloud: its name there, or null where it is left out. */
type BetaRule = { readonly [C in BetaCloud]: string | null } & {
  /** Where it is documented or was seen. */
  readonly source: string;
};

const ENVOY = 'envoyproxy/ai-gateway anthropic_awsanthropic.go (probed)';
const LITELLM = 'BerriAI/litellm anthropic_beta_headers_config.json';
const BOTH = `${ENVOY}, ${LITELLM}`;

/** Bedrock's InvokeModel and Vertex, whose lists others have probed. */
type Probed = Pick<BetaRule, 'bedrock' | 'vertex' | 'source'>;

const takenAt = (clouds: readonly BetaCloud[], name: string, source: string): Probed => ({
  bedrock: clouds.includes('bedrock') ? name : null,
  vertex: clouds.includes('vertex') ? name : null,
  source,
});
const everywhere = (name: string, source = BOTH): Probed => takenAt(BETA_CLOUDS, name, source);
const onBedrock = (name: string, source = ENVOY): Probed => takenAt(['bedrock'], name, source);
const onVertex = (name: string, source = LITELLM): Probed => takenAt(['vertex'], name, source);
const nowhere = (source: string): Probed => takenAt([], '', source);

/** Some were given another name when they reached the clouds. */
const TOOL_SEARCH = 'tool-search-tool-2025-10-19';

const PROBED: Readonly<Record<string, Probed>> = {
  'advanced-tool-use-2025-11-20': everywhere(TOOL_SEARCH),
  [TOOL_SEARCH]: everywhere(TOOL_SEARCH),
  'claude-code-20250219': nowhere('anthropics/claude-code#49370, #49648'),
  'code-execution-2025-05-22': nowhere(ENVOY),
  'code-execution-2025-08-25': nowhere(LITELLM),
  'compact-2026-01-12': everywhere('compact-2026-01-12', LITELLM),
  'compact-2026-09-04': onVertex('compact-2026-09-04'),
  'computer-use-2024-10-22': onBedrock('computer-use-2024-10-22'),
  'computer-use-2025-01-24': everywhere('computer-use-2025-01-24'),
  'computer-use-2025-11-24': everywhere('computer-use-2025-11-24', LITELLM),
  'context-1m-2025-08-07': everywhere('context-1m-2025-08-07'),
  'context-management-2025-06-27': everywhere('context-management-2025-06-27'),
  'dev-full-thinking-2025-05-14': onBedrock('dev-full-thinking-2025-05-14'),
  'effort-2025-11-24': onBedrock(
    'effort-2025-11-24',
    `${LITELLM}, BerriAI/litellm#41203, anthropics/claude-code#34802`,
  ),
  'extended-cache-ttl-2025-04-11': nowhere(`${ENVOY}, anthropics/claude-code#56595`),
  'fast-mode-2026-02-01': nowhere(LITELLM),
  'files-api-2025-04-14': nowhere(BOTH),
  'fine-grained-tool-streaming-2025-05-14': onBedrock('fine-grained-tool-streaming-2025-05-14', BOTH),
  'interleaved-thinking-2025-05-14': everywhere('interleaved-thinking-2025-05-14'),
  'mcp-client-2025-04-04': onBedrock('mcp-client-2025-04-04'),
  'mcp-client-2025-11-20': onBedrock('mcp-client-2025-11-20'),
  'memory-2025-08-18': nowhere(ENVOY),
  'mid-conversation-tool-changes-2026-07-01': onBedrock('mid-conversation-tool-changes-2026-07-01', LITELLM),
  'model-context-window-exceeded-2025-08-26': onBedrock('model-context-window-exceeded-2025-08-26'),
  'output-128k-2025-02-19': onBedrock('output-128k-2025-02-19'),
  'pdfs-2024-09-25': onBedrock('pdfs-2024-09-25'),
  'per-turn-control-2026-07-01': onVertex('per-turn-control-2026-07-01'),
  'prompt-caching-2024-07-31': nowhere(ENVOY),
  'prompt-caching-scope-2026-01-05': nowhere(`${LITELLM}, anthropics/claude-code#21625`),
  'search-results-2025-06-09': onBedrock('search-results-2025-06-09'),
  'thinking-binding-controls-2026-08-01': onVertex(
    'thinking-binding-controls-2026-08-01',
    `${LITELLM}, BerriAI/litellm#41203`,
  ),
  'thinking-display-updates-2026-08-18': everywhere('thinking-display-updates-2026-08-18', LITELLM),
  'thinking-token-count-2026-05-13': nowhere(ENVOY),
  'token-counting-2024-11-01': onBedrock('token-counting-2024-11-01'),
  'token-efficient-tools-2025-02-19': onBedrock('token-efficient-tools-2025-02-19'),
  'web-search-2025-03-05': everywhere('web-search-2025-03-05'),
};

/** What the doors take that speak as the vendor does: Anthropic on Microsoft Foundry, and Bedrock's mantle. */
const HOSTED: Readonly<Record<'foundry' | 'mantle', readonly string[]>> = {
  foundry: [
    'advanced-tool-use-2025-11-20',
    'code-execution-2025-08-25',
    'computer-use-2025-01-24',
    'computer-use-2025-11-24',
    'context-1m-2025-08-07',
    'context-management-2025-06-27',
    'dangerous-tool-use-2026-09-03',
    'effort-2025-11-24',
    'files-api-2025-04-14',
    'interleaved-thinking-2025-05-14',
    'mcp-client-2025-04-04',
    'mcp-client-2025-11-20',
    'per-turn-control-2026-07-01',
    'prompt-caching-scope-2026-01-05',
    'skills-2025-10-02',
    'structured-outputs-2025-11-13',
    'thinking-display-updates-2026-08-18',
    'web-fetch-2025-09-10',
    'web-search-2025-03-05',
  ],
  mantle: [
    'advanced-tool-use-2025-11-20',
    'claude-code-20250219',
    'compact-2026-01-12',
    'computer-use-2025-01-24',
    'computer-use-2025-11-24',
    'context-1m-2025-08-07',
    'context-management-2025-06-27',
    'dangerous-tool-use-2026-09-03',
    'effort-2025-11-24',
    'fine-grained-tool-streaming-2025-05-14',
    'interleaved-thinking-2025-05-14',
    'output-128k-2025-02-19',
    'per-turn-control-2026-07-01',
    'structured-outputs-2025-11-13',
    'thinking-binding-controls-2026-08-01',
    'thinking-display-updates-2026-08-18',
    'token-efficient-tools-2025-02-19',
    'tool-examples-2025-10-29',
    TOOL_SEARCH,
    'web-search-2025-03-05',
  ],
};
const MANTLE_NAMES: Readonly<Record<string, string>> = { 'advanced-tool-use-2025-11-20': TOOL_SEARCH };

/**
 * Clouds refuse a whole request for one beta that they do not know, and clients send what their vendor knows: a beta that
 * is not here is left out. So is one that a cloud takes of its newest models alone.
 */
export const BETA_RULES: Readonly<Record<string, BetaRule>> = Object.fromEntries(
  [...new Set([...Object.keys(PROBED), ...HOSTED.foundry, ...HOSTED.mantle])].sort().map((beta) => {
    const { bedrock = null, vertex = null, source = LITELLM } = PROBED[beta] ?? {};
    const foundry = HOSTED.foundry.includes(beta) ? beta : null;
    const mantle = HOSTED.mantle.includes(beta) ? (MANTLE_NAMES[beta] ?? beta) : null;
    const isNamed = (foundry === null && mantle === null) || source.includes(LITELLM);
    return [beta, { bedrock, vertex, foundry, mantle, source: isNamed ? source : `${source}, ${LITELLM}` }];
  }),
);

/** What Vertex takes where it counts, which Claude Code sends it there. @see anthropics/claude-code#11154, #12429 */
const COUNTED_ON_VERTEX = new Set(['interleaved-thinking-2025-05-14', 'context-management-2025-06-27']);

const findName = (at: BetaCloud | 'vertex_count', beta: string): string | null | undefined => {
  if (at === 'vertex_count') return COUNTED_ON_VERTEX.has(beta) ? beta : null;
  return Object.hasOwn(BETA_RULES, beta) ? BETA_RULES[beta]?.[at] : null;
};

/** Betas as a cloud takes them, each once, and those that it does not. */
export function fitBetas(
  at: BetaCloud | 'vertex_count',
  betas: readonly string[],
): { readonly taken: string[]; readonly dropped: string[] } {
  const taken = new Set<string>();
  const dropped = new Set<string>();
  for (const beta of betas) {
    const named = findName(at, beta);
    if (named) taken.add(named);
    else dropped.add(beta);
  }
  return { taken: [...taken], dropped: [...dropped] };
}

/** The betas of a header, as they stand in it. */
export const readBetas = (header: string | undefined): string[] =>
  (header ?? '')
    .split(',')
    .map((beta) => beta.trim())
    .filter(Boolean);

/** How what was left out is told. */
export const nameDropped = (betas: readonly string[]): string[] =>
  betas.map((beta) => `anthropic-beta:${beta}`);
