import { queryOptions } from '@tanstack/react-query';
import { listNotices } from './generated/sdk/notices.gen.ts';
import type { Notice } from './generated/types.gen.ts';
import { read } from './result.ts';

export type { Notice } from './generated/types.gen.ts';

const EVERY_MS = 60_000;

export const noticesQuery = queryOptions({
  queryKey: ['notices'],
  queryFn: async ({ signal }): Promise<readonly Notice[]> => (await read(listNotices({ signal }))).items,
  refetchInterval: EVERY_MS,
});
