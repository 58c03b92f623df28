/**
 * One page out of those of several processes, each in Prometheus' text format: every metric is named and described once,
 * with the samples of all. A label must tell the samples of one page from those of another.
 */
export function mergeMetrics(pages: readonly string[]): string {
  const samples = new Map<string, string[]>();
  for (const page of pages) {
    for (const block of page.split('\n\n')) {
      const lines = block.split('\n').filter((line) => line !== '');
      const head = lines.filter((line) => line.startsWith('#')).join('\n');
      const known = samples.get(head) ?? [];
      samples.set(head, [...known, ...lines.filter((line) => !line.startsWith('#'))]);
    }
  }
  return `${[...samples].map(([head, lines]) => [head, ...lines].join('\n')).join('\n\n')}\n`;
}
