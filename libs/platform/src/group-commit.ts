export interface GroupCommit<T> {
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
 * share the next. A group starts when it is full, or `gatherMs` after its first item came.
 */
export function createGroupCommit<T>(
  commit: (items: readonly T[]) => Promise<void>,
  options: {
    /** Where a group is full. An item that is larger than this makes a group of its own. */
    readonly most: number;
    readonly sizeOf?: (item: T) => number;
    readonly gatherMs?: number;
  },
): GroupCommit<T> {
  const { most, sizeOf = () => 1, gatherMs = 0 } = options;
  let waiting: Waiting<T>[] = [];
  let waitingSize = 0;
  let underWay = 0;
  let timer: NodeJS.Timeout | undefined;

  function takeGroup(): Waiting<T>[] {
    let size = 0;
    const end = waiting.findIndex(({ item }, index) => (size += sizeOf(item)) > most && index > 0);
    const group = end === -1 ? waiting : waiting.slice(0, end);
    waiting = end === -1 ? [] : waiting.slice(end);
    waitingSize -= group.reduce((sum, { item }) => sum + sizeOf(item), 0);
    return group;
  }

  async function commitAll(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
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
    if (gatherMs === 0 || waitingSize >= most) void commitAll();
    else timer ??= setTimeout(() => void commitAll(), gatherMs);
  }

  return {
    add: (item) =>
      new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject });
        waitingSize += sizeOf(item);
        start();
      }),
    pending: () => waiting.length + underWay,
  };
}
