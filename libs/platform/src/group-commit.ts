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

/** Groups that may start at once after a rest, before they are kept apart. */
const MAX_BURST = 4;

/**
 * Group commit: a commit costs about the same for one item as for many, so items that arrive while one is under way
 * share the next. A group starts when it is full, or `gatherMs` after its first item came. Unless they are full, groups start
 * `apartMs` apart on average: a few may follow each other at once, so that who comes alone does not wait, and a crowd goes in
 * groups.
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
  /** When as much time will have gone by as the groups so far are to be apart. */
  let pacedUntil = Number.NEGATIVE_INFINITY;
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
    pacedUntil = Math.max(pacedUntil, performance.now()) + apartMs;
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
    const pacedMs = apartMs === 0 ? 0 : pacedUntil - (MAX_BURST - 1) * apartMs - performance.now();
    const waitMs = Math.max(gatherMs, pacedMs);
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
