/**
 * The betas of Anthropic that Amazon Bedrock takes. It refuses a whole request for one that it does not know, and clients send
 * what their vendor knows: what is not here is left out. Probed by Envoy AI Gateway (`anthropic_awsanthropic.go`).
 */
const TAKEN: ReadonlySet<string> = new Set([
  'computer-use-2024-10-22',
  'computer-use-2025-01-24',
  'context-1m-2025-08-07',
  'context-management-2025-06-27',
  'dev-full-thinking-2025-05-14',
  'fine-grained-tool-streaming-2025-05-14',
  'interleaved-thinking-2025-05-14',
  'mcp-client-2025-04-04',
  'mcp-client-2025-11-20',
  'model-context-window-exceeded-2025-08-26',
  'output-128k-2025-02-19',
  'pdfs-2024-09-25',
  'search-results-2025-06-09',
  'token-counting-2024-11-01',
  'token-efficient-tools-2025-02-19',
  'tool-search-tool-2025-10-19',
  'web-search-2025-03-05',
]);

/** What has another name there. */
const RENAMED: Readonly<Record<string, string>> = {
  'advanced-tool-use-2025-11-20': 'tool-search-tool-2025-10-19',
};

/** Betas as Bedrock takes them, each once, and those that it does not. */
export function fitBedrockBetas(betas: readonly string[]): { taken: string[]; dropped: string[] } {
  const taken = new Set<string>();
  const dropped = new Set<string>();
  for (const beta of betas) {
    const named = Object.hasOwn(RENAMED, beta) ? (RENAMED[beta] ?? beta) : beta;
    if (TAKEN.has(named)) taken.add(named);
    else dropped.add(beta);
  }
  return { taken: [...taken], dropped: [...dropped] };
}
