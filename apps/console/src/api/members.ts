import { queryOptions } from '@tanstack/react-query';
import { getLink, takeLink as callTakeLink } from './generated/sdk/links.gen.ts';
import {
  changeMember as callChangeMember,
  createInvite,
  listInvites,
  listMembers,
  makePasswordLink as callMakePasswordLink,
  removeMember as callRemoveMember,
  resetFactors as callResetFactors,
  revokeInvite as callRevokeInvite,
} from './generated/sdk/members.gen.ts';
import type { ChangeMemberData, CreateInviteData, Member, TakeLinkData } from './generated/types.gen.ts';
import { read } from './result.ts';
import { keepSignedIn } from './session.ts';

export type { Invite, MadeLink, Member, OpenedLink } from './generated/types.gen.ts';

export const MEMBERS = ['members'] as const;

export const membersQuery = (account: string) =>
  queryOptions({
    queryKey: [...MEMBERS, account],
    queryFn: ({ signal }) => read(listMembers({ path: { id: account }, signal })),
  });

export const invitesQuery = (account: string) =>
  queryOptions({
    queryKey: [...MEMBERS, account, 'invites'],
    queryFn: ({ signal }) => read(listInvites({ path: { id: account }, signal })),
  });

export const invite = (account: string, body: CreateInviteData['body']) =>
  read(createInvite({ path: { id: account }, body }));

export const revokeInvite = (account: string, id: string) =>
  read(callRevokeInvite({ path: { id: account, invite: id } }));

export const makePasswordLink = ({ account_id, id }: Member) =>
  read(callMakePasswordLink({ path: { id: account_id, user: id }, body: {} }));

export const changeMember = ({ account_id, id }: Member, body: ChangeMemberData['body']) =>
  read(callChangeMember({ path: { id: account_id, user: id }, body }));

export const removeMember = ({ account_id, id }: Member) =>
  read(callRemoveMember({ path: { id: account_id, user: id } }));

/** Takes somebody's second factors away: they sign in with the password alone, and can add new ones. */
export const resetFactors = ({ account_id, id }: Member) =>
  read(callResetFactors({ path: { id: account_id, user: id } }));

/** What a link is for, asked once. */
export const linkQuery = (token: string) =>
  queryOptions({
    queryKey: ['link', token],
    queryFn: ({ signal }) => read(getLink({ body: { token }, signal })),
    staleTime: Infinity,
  });

/** Uses a link up and is signed in from then on. */
export const takeLink = (body: TakeLinkData['body']) => keepSignedIn(read(callTakeLink({ body })));
