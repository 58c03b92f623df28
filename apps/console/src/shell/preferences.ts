/** The themes in the order in which they are offered. */
export const THEMES = ['auto', 'light', 'dark'] as const;
