import { type QueryClient, queryOptions } from '@tanstack/react-query';
import type {
  ApiKey,
  ChangeKeyData,
  CreateKeyData,
  ListKeysData,
  RotateKeyData,
} from './generated/types.gen.ts';
import {
  changeKey as callChangeKey,
  createKey as callCreateKey,
  listKeys,
  removeKey as callRemoveKey,
  rotateKey as callRotateKey,
} from './generated/sdk/keys.gen.ts';
import { readAll } from './read-all.ts';
import { read } from './result.ts';

export type { ApiKey, NewApiKey } from './generated/types.gen.ts';
/** What an operator may hold of a key. */
export type HeldField = keyof ApiKey['operator_fields'];
export type CreateKey = CreateKeyData['body'];
export type ChangeKey = ChangeKeyData['body'];

export interface KeyPage {
  readonly items: readonly ApiKey[];
  /** How many fit in all, as they were counted at a time of the page's clock. */
  readonly total: number;
  readonly countedAt: number;
}

export const KEYS = ['keys'] as const;

type KeysQuery = NonNullable<ListKeysData['query']>;
export type KeySort = NonNullable<KeysQuery['sort']>;

/** Of all pages and orders of the same keys. */
const keyFor = ({ find = '', account_id = '' }: KeysQuery) => [...KEYS, { find, account_id }] as const;

/** One page, the newest first. Operators may ask for another account than their own. */
export const keysQuery = (page: KeysQuery) =>
  queryOptions({
    queryKey: [...keyFor(page), page] as const,
    queryFn: async ({ client, signal }): Promise<KeyPage> => {
      const known = findCount(client, page);
      const count = known ? 'false' : 'true';
      const { items, total } = await read(listKeys({ query: { ...page, count }, signal }));
      return { items, total: total ?? known?.total ?? 0, countedAt: known?.countedAt ?? Date.now() };
    },
    // The page before is shown meanwhile, but never the keys of another account.
    placeholderData: (before: KeyPage | undefined, query) =>
      query?.queryKey[2].account_id === page.account_id ? before : undefined,
  });

const COUNT_MS = 60_000;

/** What was counted not long ago for another page or order of the same keys: to count them takes longer than to read a page. */
const findCount = (client: QueryClient, page: KeysQuery): KeyPage | undefined =>
  client
    .getQueriesData<KeyPage>({ queryKey: keyFor(page), predicate: ({ state }) => !state.isInvalidated })
    .map(([, other]) => other)
    .find((other) => other !== undefined && Date.now() - other.countedAt < COUNT_MS);

const PAGE = 200;

/** All keys that fit. */
export const readKeys = (filter: Omit<KeysQuery, 'limit' | 'offset'>): Promise<readonly ApiKey[]> =>
  readAll<ApiKey, number>(async (offset) => {
    const start = offset ?? 0;
    const query = { ...filter, limit: PAGE, offset: start, count: 'false' } as const;
    const { items } = await read(listKeys({ query }));
    return { items, next: items.length === PAGE ? start + PAGE : null };
  });

export const createKey = (body: CreateKey) => read(callCreateKey({ body }));

export const changeKey = (id: string, body: ChangeKey) => read(callChangeKey({ path: { id }, body }));

/** Gives the key a new secret; the one before works for `overlap_s` seconds more. */
export const rotateKey = (id: string, body: RotateKeyData['body']) =>
  read(callRotateKey({ path: { id }, body }));

export const removeKey = (id: string) => read(callRemoveKey({ path: { id } }));
