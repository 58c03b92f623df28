import type { Task } from '@tollgate/vocabulary';

/** Tasks that can be tried out beside conversations. */
export const TRY_TASKS = ['embed', 'draw', 'speak', 'transcribe'] as const satisfies readonly Task[];
export type TryTask = (typeof TRY_TASKS)[number];

export const isTryTask = (text: string | null | undefined): text is TryTask =>
  TRY_TASKS.some((task) => task === text);
