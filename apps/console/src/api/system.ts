import { queryOptions } from '@tanstack/react-query';
import { showSystem } from './generated/sdk/system.gen.ts';
import { read } from './result.ts';

export type { GatewayState, System } from './generated/types.gen.ts';

/** A part of the system; its state is null while it is down. */
export interface Looked<T> {
  readonly up: boolean;
  readonly latency_ms: number;
  readonly error: string | null;
  readonly state: T | null;
}

const REFRESH_MS = 5_000;

/** How everything is, asked again and again while somebody looks. */
export const systemQuery = queryOptions({
  queryKey: ['system'],
  queryFn: ({ signal }) => read(showSystem({ signal })),
  refetchInterval: REFRESH_MS,
});
