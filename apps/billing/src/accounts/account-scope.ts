import type { Session } from '@tollgate/contracts';

/** Owners and admins manage every account; others their own. */
export const canManageAllAccounts = ({ role }: Session): boolean => role === 'owner' || role === 'admin';
