/** What margins are shown by. */
export const MARGIN_GROUPS = ['model', 'pool', 'customer', 'upstream', 'vendor'] as const;
export type MarginGroup = (typeof MARGIN_GROUPS)[number];
