import type { Role } from '@tollgate/vocabulary';

/** Keys spend money: who keeps the books has none, and so nothing to try in the playground either. */
export const KEY_MANAGERS: readonly Role[] = ['owner', 'admin', 'member'];
