interface GroupCommit<T> {
  /** Resolves when the item is committed. @throws what the commit of its group threw. */
  add(item: T): Promise<void>;
  /** Items that are not committed yet. */
  pending(): number;
}

interface Waiting<T> {
  readonly item: T;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Group commit: a commit costs about the same for one item as for many, so items that arrive while one is under way
 * share the next. A group starts when it is full, or `gatherMs` after its first item came, and unless it is full no sooner
 * than `apartMs` after the group before it: who comes alone does not wait, and a crowd goes in groups.
 */
export function createGroupCommit<T>(
  commit: (items: readonly T[]) => Promise<void>,
  options: {
    /** Where a group is full. An item that is larger than this makes a group of its own. */
    readonly maxSize: number;
    readonly measure?: (item: T) => number;
    readonly gatherMs?: number;
    readonly apartMs?: number;
  },
): GroupCommit<T> {
  const { maxSize, measure = () => 1, gatherMs = 0, apartMs = 0 } = options;
  let startedAt = Number.NEGATIVE_INFINITY;
  let waiting: Waiting<T>[] = [];
  let waitingSize = 0;
  let underWay = 0;
  let timer: NodeJS.Timeout | undefined;

  function takeGroup(): Waiting<T>[] {
    let size = 0;
    const end = waiting.findIndex(({ item }, index) => (size += measure(item)) > maxSize && index > 0);
    const group = end === -1 ? waiting : waiting.slice(0, end);
    waiting = end === -1 ? [] : waiting.slice(end);
    waitingSize -= group.reduce((sum, { item }) => sum + measure(item), 0);
    return group;
  }

  async function commitAll(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    startedAt = performance.now();
    const group = takeGroup();
    underWay = group.length;
    try {
      await commit(group.map(({ item }) => item));
      for (const { resolve } of group) resolve();
    } catch (error) {
      for (const { reject } of group) reject(error);
    } finally {
      underWay = 0;
      if (waiting.length > 0) start();
    }
  }

  function start(): void {
    if (underWay > 0) return;
    const waitMs = Math.max(gatherMs, apartMs === 0 ? 0 : startedAt + apartMs - performance.now());
    if (waitMs <= 0 || waitingSize >= maxSize) void commitAll();
    else timer ??= setTimeout(() => void commitAll(), waitMs);
  }

  return {
    add: (item) =>
      new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject });
        waitingSize += measure(item);
        start();
      }),
    pending: () => waiting.length + underWay,
  };
}
