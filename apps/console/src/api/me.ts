import { queryOptions } from '@tanstack/react-query';
import {
  billingOwnSessionsControllerEnd,
  billingOwnSessionsControllerEndOthers,
  billingOwnSessionsControllerList,
  billingOwnSessionsControllerProfile,
  billingOwnSessionsControllerRename,
  billingOwnSessionsControllerSetPassword,
} from './generated/sdk/billing-own-sessions.gen.ts';
import { bodyOf } from './result.ts';
import type { Session } from './session.ts';

export interface Profile extends Session {
  readonly name: string;
  readonly account_name: string;
  readonly time_zone: string;
  /** False for who signs in with a provider only. */
  readonly has_password: boolean;
  readonly created_at: string;
}

/** A place where one is signed in. */
export interface OwnSession {
  readonly id: string;
  readonly is_current: boolean;
  readonly device: { readonly browser: string | null; readonly system: string | null };
  readonly address: string;
  readonly created_at: string;
  readonly last_seen_at: string;
}

export const profileQuery = queryOptions({
  queryKey: ['profile'],
  queryFn: ({ signal }) => bodyOf<Profile>(billingOwnSessionsControllerProfile({ signal })),
});

export const ownSessionsQuery = queryOptions({
  queryKey: ['own-sessions'],
  queryFn: ({ signal }) =>
    bodyOf<{ readonly items: readonly OwnSession[] }>(billingOwnSessionsControllerList({ signal })),
});

export const rename = (name: string): Promise<void> =>
  bodyOf(billingOwnSessionsControllerRename({ body: { name } }));

export const setOwnPassword = (body: { current_password: string; password: string }): Promise<void> =>
  bodyOf(billingOwnSessionsControllerSetPassword({ body }));

export const endSession = (id: string): Promise<void> =>
  bodyOf(billingOwnSessionsControllerEnd({ path: { session: id } }));

export const endOtherSessions = (): Promise<void> => bodyOf(billingOwnSessionsControllerEndOthers());
