import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_MS = 5_000;
/** What is small is done while whoever asked waits; of what is larger they are told how far it is. */
const WAIT_MS = 2_000;
const READ_EVERY_MS = 50;

export interface ResumedWork {
  /** Looks for work now, not only at the next turn. */
  wake(): void;
  /** Leaves the work in hand to whoever is next. */
  stop(): Promise<void>;
}

/** Does a piece of work; what it fails with is told, and it is tried again at the next look. */
type Attempt = (what: object, work: () => Promise<unknown>) => Promise<void>;

/**
 * Looks every few seconds for work that stands in the database, also that of whoever was killed in the middle. Replicas share
 * it.
 */
export function startResumedWork({
  failed,
  look,
}: {
  /** Writes down which piece of work failed, and why. */
  readonly failed: (what: object, reason: string) => void;
  readonly look: (signal: AbortSignal, attempt: Attempt) => Promise<void>;
}): ResumedWork {
  const ending = new AbortController();
  const { signal } = ending;
  let [running, isAskedFor]: [Promise<void> | undefined, boolean] = [undefined, false];

  const attempt: Attempt = async (what, work) => {
    if (signal.aborted) return;
    try {
      await work();
    } catch (error) {
      failed(what, (error as Error).message);
    }
  };
  function wake(): void {
    isAskedFor = true;
    if (running || signal.aborted) return;
    isAskedFor = false;
    running = attempt({}, () => look(signal, attempt)).finally(() => {
      running = undefined;
      if (isAskedFor) wake();
    });
  }

  const timer = setInterval(wake, LOOK_MS);
  wake();
  return {
    wake,
    async stop() {
      clearInterval(timer);
      ending.abort();
      await running;
    },
  };
}

/** Has work looked for that somebody asked for, and resolves to how far it is: when it has ended, or after two seconds. */
export async function awaitWork<T extends { readonly ended_at: string | null }>(
  work: Pick<ResumedWork, 'wake'>,
  read: () => Promise<T>,
  waitMs = WAIT_MS,
): Promise<T> {
  work.wake();
  const until = performance.now() + waitMs;
  for (;;) {
    const progress = await read();
    if (progress.ended_at !== null || performance.now() > until) return progress;
    await sleep(READ_EVERY_MS);
  }
}
