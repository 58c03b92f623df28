/** What a caller asks of a model: an answer, or how many tokens a request has, which costs nothing. */
export type Operation = 'generate' | 'count';
