import { Refused } from '../rules/rule.ts';

/** Betas that Bedrock takes; one that it does not know refuses the whole request. Probed by others, as in docs/protocols.md. */
export const BEDROCK_BETAS: ReadonlySet<string> = new Set([
  'compact-2026-01-12',
  'computer-use-2024-10-22',
  'computer-use-2025-01-24',
  'computer-use-2025-11-24',
  'context-1m-2025-08-07',
  'context-management-2025-06-27',
  'dev-full-thinking-2025-05-14',
  'effort-2025-11-24',
  'fine-grained-tool-streaming-2025-05-14',
  'interleaved-thinking-2025-05-14',
  'mcp-client-2025-04-04',
  'mcp-client-2025-11-20',
  'mid-conversation-tool-changes-2026-07-01',
  'model-context-window-exceeded-2025-08-26',
  'output-128k-2025-02-19',
  'pdfs-2024-09-25',
  'search-results-2025-06-09',
  'thinking-display-updates-2026-08-18',
  'token-counting-2024-11-01',
  'token-efficient-tools-2025-02-19',
  'tool-search-tool-2025-10-19',
  'web-search-2025-03-05',
]);

/** The same of Vertex. */
export const VERTEX_BETAS: ReadonlySet<string> = new Set([
  'compact-2026-01-12',
  'compact-2026-09-04',
  'computer-use-2025-01-24',
  'computer-use-2025-11-24',
  'context-1m-2025-08-07',
  'context-management-2025-06-27',
  'interleaved-thinking-2025-05-14',
  'per-turn-control-2026-07-01',
  'thinking-binding-controls-2026-08-01',
  'thinking-display-updates-2026-08-18',
  'tool-search-tool-2025-10-19',
  'web-search-2025-03-05',
]);

/** Where it counts it takes fewer: those that Claude Code sends there. */
export const VERTEX_COUNT_BETAS: ReadonlySet<string> = new Set([
  'claude-code-20250219',
  'context-management-2025-06-27',
  'interleaved-thinking-2025-05-14',
]);

/** What Anthropic on Foundry, and Bedrock's mantle, do not take of what clients send: LiteLLM's list of both. */
const refusedAt = (names: string): ReadonlySet<string> => new Set(names.split(/\s+/));
export const FOUNDRY_REFUSED = refusedAt(`advisor-tool-2026-03-01 compact-2026-01-12 fast-mode-2026-02-01
fine-grained-tool-streaming-2025-05-14 output-128k-2025-02-19 thinking-binding-controls-2026-08-01
token-efficient-tools-2025-02-19`);
export const MANTLE_REFUSED =
  refusedAt(`advisor-tool-2026-03-01 advanced-tool-use-2025-11-20 code-execution-2025-08-25
fast-mode-2026-02-01 files-api-2025-04-14 mcp-client-2025-04-04 mcp-client-2025-11-20 prompt-caching-scope-2026-01-05
skills-2025-10-02 web-fetch-2025-09-10`);

/** @throws Refused for the betas of a header that are among these. */
export function refuseBetas(header: unknown, refused: ReadonlySet<string>): void {
  const strange = String(header ?? '')
    .split(',')
    .map((beta) => beta.trim())
    .filter((beta) => refused.has(beta));
  if (strange.length === 0) return;
  const message = `Unexpected value(s) ${strange.map((beta) => `\`${beta}\``).join(', ')} for the \`anthropic-beta\` header.`;
  throw new Refused({ status: 400, message });
}
