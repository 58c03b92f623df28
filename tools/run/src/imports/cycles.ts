import type { Import } from './read-imports.ts';

/** Files that import each other by whatever way round, each group once (Tarjan's strongly connected components). */
export function findCycles(imports: readonly Import[]): string[][] {
  const targets = new Map<string, string[]>();
  for (const { from, to } of imports) targets.set(from, [...(targets.get(from) ?? []), to]);

  const cycles: string[][] = [];
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const path: string[] = [];
  const visit = (file: string): number => {
    const known = lowest.get(file);
    if (known !== undefined) return path.includes(file) ? (order.get(file) ?? known) : Infinity;
    let low = order.size;
    order.set(file, low);
    lowest.set(file, low);
    path.push(file);
    for (const target of targets.get(file) ?? []) low = Math.min(low, visit(target));
    lowest.set(file, low);
    if (low === order.get(file)) {
      const group = path.splice(path.indexOf(file));
      if (group.length > 1) cycles.push(group.sort());
    }
    return low;
  };
  for (const file of targets.keys()) visit(file);
  return cycles;
}
