import { queryOptions } from '@tanstack/react-query';
import { showSystem } from './generated/sdk/system.gen.ts';
import { read } from './result.ts';

export type { GatewayState, System } from './generated/types.gen.ts';

const REFRESH_MS = 5_000;

/** How everything is, asked again and again while somebody looks. */
export const systemQuery = queryOptions({
  queryKey: ['system'],
  queryFn: ({ signal }) => read(showSystem({ signal })),
  refetchInterval: REFRESH_MS,
});
