import type { Session } from '@tollgate/contracts';

/** Owners and admins act for every account; others for their own. */
export const actsForAll = ({ role }: Session): boolean => role === 'owner' || role === 'admin';
