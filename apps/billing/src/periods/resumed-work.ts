const LOOK_MS = 5_000;

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
