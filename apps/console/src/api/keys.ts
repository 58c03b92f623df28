import { queryOptions } from '@tanstack/react-query';
import type {
  ApiKey,
  ChangeKeyData,
  CreateKeyData,
  ListKeysData,
  ListKeysResponse,
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
export type KeyPage = ListKeysResponse;

export const KEYS = ['keys'] as const;

type KeysQuery = NonNullable<ListKeysData['query']>;
export type KeySort = NonNullable<KeysQuery['sort']>;

/** One page, the newest first. Operators may ask for another account than their own. */
export const keysQuery = (page: KeysQuery) =>
  queryOptions({
    queryKey: [...KEYS, page] as const,
    queryFn: ({ signal }) => read(listKeys({ query: page, signal })),
    // The page before is shown meanwhile, but never the keys of another account.
    placeholderData: (before: KeyPage | undefined, query) =>
      query?.queryKey[1].account_id === page.account_id ? before : undefined,
  });

const PAGE = 200;

/** All keys that fit. */
export const readKeys = (filter: Omit<KeysQuery, 'limit' | 'offset'>): Promise<readonly ApiKey[]> =>
  readAll<ApiKey, number>(async (offset) => {
    const start = offset ?? 0;
    const { items, total } = await read(listKeys({ query: { ...filter, limit: PAGE, offset: start } }));
    const next = start + items.length;
    return { items, next: items.length > 0 && next < total ? next : null };
  });

export const createKey = (body: CreateKey) => read(callCreateKey({ body }));

export const changeKey = (id: string, body: ChangeKey) => read(callChangeKey({ path: { id }, body }));

/** Gives the key a new secret; the one before works for `overlap_s` seconds more. */
export const rotateKey = (id: string, body: RotateKeyData['body']) =>
  read(callRotateKey({ path: { id }, body }));

export const removeKey = (id: string) => read(callRemoveKey({ path: { id } }));
