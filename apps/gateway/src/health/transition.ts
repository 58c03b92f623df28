import type { HealthTransition } from '@tollgate/contracts';

/** What one gateway decided about a target, small enough to tell all others. Times are milliseconds since 1970. */
export type Transition = Readonly<HealthTransition>;

interface LastWriter {
  /** Whether this is newer than all before it; if so it is the one to beat. */
  accept(at: number, by: string): boolean;
}

/** Last writer wins: by time, and at the same time by name, so that all gateways agree whatever order they hear in. */
export function createLastWriter(): LastWriter {
  let last = { at: Number.NEGATIVE_INFINITY, by: '' };
  return {
    accept(at, by) {
      if (at < last.at || (at === last.at && by <= last.by)) return false;
      last = { at, by };
      return true;
    },
  };
}
