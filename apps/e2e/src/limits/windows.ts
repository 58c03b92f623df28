/** What one request was told, as its client saw it: it was decided between the two moments, in milliseconds. */
export interface Answered {
  readonly sentAt: number;
  readonly endedAt: number;
  readonly admitted: boolean;
}

/** How far the windows are from what refills in them, in requests. */
interface Deviations {
  readonly windows: number;
  /** The most that was surely admitted in a window beyond what refills in it. */
  readonly excess: number;
  /** The most that was surely not admitted in a window of what refills in it. */
  readonly shortfall: number;
}

/**
 * Looks at windows that begin and end with a refusal: at both moments the bucket held less than one request, so what was
 * admitted between them is what refilled. A client knows neither moment exactly, so that a window is counted
 * against its longest and its shortest form, and a request only where it is sure on which side of an edge it was.
 */
export function deviations(
  answers: readonly Answered[],
  of: { readonly perSecond: number; readonly leastMs: number },
): Deviations {
  const bySent = answers.toSorted((a, b) => a.sentAt - b.sentAt);
  const admitted = bySent.filter((each) => each.admitted);
  const sent = admitted.map(({ sentAt }) => sentAt);
  const ended = admitted.map(({ endedAt }) => endedAt).sort((a, b) => a - b);
  const edges = thinned(bySent.filter((each) => !each.admitted));
  let windows = 0;
  let excess = Number.NEGATIVE_INFINITY;
  let shortfall = Number.NEGATIVE_INFINITY;
  for (const begin of edges)
    for (const end of edges) {
      const shortest = end.sentAt - begin.endedAt;
      if (shortest < of.leastMs) continue;
      const longest = end.endedAt - begin.sentAt;
      windows += 1;
      const surely = below(ended, end.sentAt) - below(sent, begin.endedAt + 1);
      const perhaps = below(sent, end.endedAt + 1) - below(ended, begin.sentAt);
      excess = Math.max(excess, surely - (longest * of.perSecond) / 1_000);
      shortfall = Math.max(shortfall, (shortest * of.perSecond) / 1_000 - perhaps);
    }
  return { windows, excess, shortfall };
}

const SLOT_MS = 50;

/** One of every slot of time: the one whose moment is known best. */
function thinned(answers: readonly Answered[]): Answered[] {
  const best = new Map<number, Answered>();
  for (const each of answers) {
    const slot = Math.floor(each.sentAt / SLOT_MS);
    const known = best.get(slot);
    if (!known || each.endedAt - each.sentAt < known.endedAt - known.sentAt) best.set(slot, each);
  }
  return [...best.values()];
}

/** How many of some numbers in rising order are below a bound. */
function below(rising: readonly number[], bound: number): number {
  let from = 0;
  let to = rising.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((rising[middle] ?? bound) < bound) from = middle + 1;
    else to = middle;
  }
  return from;
}
