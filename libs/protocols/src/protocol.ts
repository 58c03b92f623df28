import type { Task, TaskFormat } from '@tollgate/vocabulary';

/** What an upstream is asked to do: answer whole, answer as a stream where the path says so, or count tokens. */
export type UpstreamAction = 'generate' | 'stream' | 'count';

/**
 * How an answer is cut into events: server-sent events, the elements of one JSON array (Gemini without `alt=sse`),
 * or not at all.
 */
export type StreamFraming = 'sse' | 'json-array' | 'none';

/** A task in one of its wire formats. */
export interface TaskForm {
  readonly task: Task;
  readonly format: TaskFormat;
}
