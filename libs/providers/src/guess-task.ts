import type { Task } from '@tollgate/vocabulary';

/** What the names of models say that they are for, where they are for no conversation. What ranks often has the name of what embeds. */
const NAMES: readonly (readonly [RegExp, Task])[] = [
  [/rerank/i, 'rerank'],
  [/embed|(?:^|\/)(?:bge|m3e|gte|e5|multilingual-e5)-/i, 'embed'],
  [/moderation/i, 'moderate'],
];

/** Undefined of a name that says nothing, as those of models for conversations do. */
export const guessTask = (name: string): Task | undefined =>
  NAMES.find(([pattern]) => pattern.test(name))?.[1];
