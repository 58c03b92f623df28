import { queryOptions } from '@tanstack/react-query';
import type {
  ApiKey,
  ChangeKeyData,
  CreateKeyData,
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
import { read } from './result.ts';

export type { ApiKey, NewApiKey } from './generated/types.gen.ts';
/** What an operator may hold of a key. */
export type HeldField = keyof ApiKey['operator_fields'];
export type CreateKey = CreateKeyData['body'];
export type ChangeKey = ChangeKeyData['body'];
export type KeyPage = ListKeysResponse;

export const KEYS = ['keys'] as const;

/** One page, the newest first. Operators may ask for another account than their own. */
export const keysQuery = (page: {
  readonly limit: number;
  readonly offset: number;
  readonly account_id?: string;
}) =>
  queryOptions({
    queryKey: [...KEYS, page] as const,
    queryFn: ({ signal }) => read(listKeys({ query: page, signal })),
    // The page before is shown meanwhile, but never the keys of another account.
    placeholderData: (before: KeyPage | undefined, query) =>
      query?.queryKey[1].account_id === page.account_id ? before : undefined,
  });

export const createKey = (body: CreateKey) => read(callCreateKey({ body }));

export const changeKey = (id: string, body: ChangeKey) => read(callChangeKey({ path: { id }, body }));

/** Gives the key a new secret; the one before works for `overlap_s` seconds more. */
export const rotateKey = (id: string, body: RotateKeyData['body']) =>
  read(callRotateKey({ path: { id }, body }));

export const removeKey = (id: string) => read(callRemoveKey({ path: { id } }));
