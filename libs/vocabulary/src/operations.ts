/** What a caller asks of a model: an answer, or how many tokens a request has, which costs nothing. */
export const OPERATIONS = ['generate', 'count'] as const;
export type Operation = (typeof OPERATIONS)[number];
