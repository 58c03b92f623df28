import type { ClientProtocol, Task, TaskFormat } from '@tollgate/vocabulary';
import type { z } from 'zod';

/**
 * Which routes of the relay: those that answer, those that count tokens, those of answers that go on, those that open a
 * WebSocket, the models, and what needs no key.
 */
export type RelayRouteKind = 'generate' | 'count' | 'background' | 'websocket' | 'models' | 'public';

/** One route of the relay. Its answers and its errors are in the format of a client, and its key is one of the API. */
export interface RelayRoute {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** As OpenAPI has it: an action follows a parameter. */
  readonly path: `/${string}`;
  readonly tag: string;
  readonly kind: RelayRouteKind;
  readonly summary: string;
  readonly description?: string;
  /** The format of its answers and errors; where none is named, that of whoever asks. */
  readonly protocol?: ClientProtocol;
  /** In place of a conversation. */
  readonly task?: { readonly task: Task; readonly format: TaskFormat };
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** `application/json` where it is left out. */
  readonly bodyType?: string;
  readonly answer?: z.ZodType;
  readonly answerType?: string;
  /** What a stream is sent as, where there may be one. */
  readonly streams?: 'asked for in the body' | 'asked for in the query' | 'always';
}
