import type { ServerResponse } from 'node:http';

/** Whether, and when, nobody wants an answer any more. An AbortSignal costs each request more than all of this. */
export interface Unwanted {
  readonly yet: boolean;
  /** Calls once it happens, which is not before this returns. @returns takes the listener away. */
  listen(listener: () => void): () => void;
}

/** Of an answer that is kept for its retries, which is wanted without its caller. */
export const ALWAYS_WANTED: Unwanted = { yet: false, listen: () => () => {} };

/** The caller is gone; it is not when it has its whole answer, as nothing is under way then. */
export function unwantedOf(response: ServerResponse): Unwanted {
  const isGone = () => response.destroyed && !response.writableFinished;
  return {
    get yet() {
      return isGone();
    },
    listen(listener) {
      const closed = () => {
        if (!response.writableFinished) listener();
      };
      response.once('close', closed);
      return () => void response.off('close', closed);
    },
  };
}

/** Waits, but no longer than the answer is wanted. */
export function sleepWhileWanted(ms: number, unwanted: Unwanted): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(end, unwanted.yet ? 0 : ms);
    const forget = unwanted.listen(end);
    function end(): void {
      clearTimeout(timer);
      forget();
      resolve();
    }
  });
}
