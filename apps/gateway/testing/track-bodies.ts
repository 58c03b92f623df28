import { createBodyMemory } from '../src/body/body-memory.ts';
import type { RelayDependencies } from '../src/relay/relay-request.ts';

/** Memory for bodies that notes when one is taken in, and let go. */
export function trackBodies(note: (what: string) => void): RelayDependencies['bodyMemory'] {
  const memory = createBodyMemory({ bodyMemoryBytes: 1_000_000, keyBodyMemoryBytes: 1_000_000 });
  return {
    heldBytes: 0,
    lease(keyId) {
      const lease = memory.lease(keyId);
      note('body');
      return {
        take: lease.take,
        give: lease.give,
        get isLarge() {
          return lease.isLarge;
        },
        release() {
          note('body released');
          lease.release();
        },
      };
    },
  };
}
