import { queryOptions } from '@tanstack/react-query';
import type { Role } from '@tollgate/vocabulary';
import {
  billingAccountsControllerChangeUser,
  billingAccountsControllerPeople,
  billingAccountsControllerRemoveUser,
} from './generated/sdk/billing-accounts.gen.ts';
import { billingFactorResetControllerReset } from './generated/sdk/billing-factor-reset.gen.ts';
import {
  billingInvitesControllerInvite,
  billingInvitesControllerList,
  billingInvitesControllerResetLink,
  billingInvitesControllerRevoke,
} from './generated/sdk/billing-invites.gen.ts';
import { billingLinksControllerLook, billingLinksControllerUse } from './generated/sdk/billing-links.gen.ts';
import { bodyOf } from './result.ts';
import { type Entered, keepSignedIn } from './session.ts';

export interface Person {
  readonly id: string;
  readonly account_id: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly status: 'active' | 'disabled';
  readonly last_seen_at: string | null;
  readonly created_at: string;
}

export interface Invite {
  readonly id: string;
  readonly email: string;
  readonly role: Role;
  readonly created_by: string;
  readonly created_at: string;
  readonly expires_at: string;
}

/** The only answer that holds the link itself, as a path of this console. */
export interface MadeLink {
  readonly email: string;
  readonly path: string;
  readonly expires_at: string;
}

/** What a link is for. */
export interface SeenLink {
  readonly kind: 'invite' | 'reset';
  readonly email: string;
  readonly role: Role | null;
  readonly account_name: string;
  readonly invited_by: string;
  readonly expires_at: string;
}

export const PEOPLE = ['people'] as const;

export const peopleQuery = (account: string) =>
  queryOptions({
    queryKey: [...PEOPLE, account],
    queryFn: ({ signal }) =>
      bodyOf<{ readonly items: readonly Person[] }>(
        billingAccountsControllerPeople({ path: { id: account }, signal }),
      ),
  });

export const invitesQuery = (account: string) =>
  queryOptions({
    queryKey: [...PEOPLE, account, 'invites'],
    queryFn: ({ signal }) =>
      bodyOf<{ readonly items: readonly Invite[] }>(
        billingInvitesControllerList({ path: { id: account }, signal }),
      ),
  });

export const invite = (account: string, body: { email: string; role: Role }): Promise<MadeLink> =>
  bodyOf(billingInvitesControllerInvite({ path: { id: account }, body }));

export const revokeInvite = (account: string, id: string): Promise<void> =>
  bodyOf(billingInvitesControllerRevoke({ path: { id: account, invite: id } }));

export const makeResetLink = ({ account_id, id }: Person): Promise<MadeLink> =>
  bodyOf(
    billingInvitesControllerResetLink({
      path: { id: account_id, user: id },
      body: {},
    }),
  );

export const changePerson = (
  { account_id, id }: Person,
  body: { role?: Role; status?: Person['status'] },
): Promise<Person> =>
  bodyOf(billingAccountsControllerChangeUser({ path: { id: account_id, user: id }, body }));

export const removePerson = ({ account_id, id }: Person): Promise<void> =>
  bodyOf(billingAccountsControllerRemoveUser({ path: { id: account_id, user: id } }));

/** Takes somebody's second factors away: they sign in with the password alone, and can add new ones. */
export const resetFactors = ({ account_id, id }: Person): Promise<void> =>
  bodyOf(billingFactorResetControllerReset({ path: { id: account_id, user: id } }));

/** What a link is for, asked once. */
export const linkQuery = (token: string) =>
  queryOptions({
    queryKey: ['link', token],
    queryFn: ({ signal }) => bodyOf<SeenLink>(billingLinksControllerLook({ body: { token }, signal })),
    staleTime: Infinity,
  });

/** Uses a link up and is signed in from then on. */
export const takeLink = (body: { token: string; name?: string; password: string }): Promise<Entered> =>
  keepSignedIn(bodyOf<Entered>(billingLinksControllerUse({ body })));
