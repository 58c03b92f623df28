import type { HealthTransition } from '@tollgate/contracts';

/** What one gateway decided about a target, small enough to tell all others. Times are milliseconds since 1970. */
export type Transition = Readonly<HealthTransition>;

interface LastWriter {
  /**
   * Whether this is newer than all before it; if so it is the one to beat. Times are milliseconds since 1970: what was said at
   * a time that is still to come, by a clock that was ahead, is beaten by whatever is said now.
   */
  accept(at: number, by: string, now: number): boolean;
}

/** Last writer wins: by time, and at the same time by name, so that all gateways agree whatever order they hear in. */
export function createLastWriter(): LastWriter {
  const nothing = { at: Number.NEGATIVE_INFINITY, by: '' };
  let last = nothing;
  return {
    accept(at, by, now) {
      if (last.at > now) last = nothing;
      if (at < last.at || (at === last.at && by <= last.by)) return false;
      last = { at, by };
      return true;
    },
  };
}
