import { queryOptions } from '@tanstack/react-query';
import {
  changeProfile,
  endOtherSessions as callEndOtherSessions,
  endSession as callEndSession,
  getProfile,
  listOwnSessions,
  setOwnPassword as callSetOwnPassword,
} from './generated/sdk/profile.gen.ts';
import type { SetOwnPasswordData } from './generated/types.gen.ts';
import { read } from './result.ts';

export type { OwnSession, Profile } from './generated/types.gen.ts';

export const profileQuery = queryOptions({
  queryKey: ['profile'],
  queryFn: ({ signal }) => read(getProfile({ signal })),
});

export const ownSessionsQuery = queryOptions({
  queryKey: ['own-sessions'],
  queryFn: ({ signal }) => read(listOwnSessions({ signal })),
});

export const rename = (name: string) => read(changeProfile({ body: { name } }));

export const setOwnPassword = (body: SetOwnPasswordData['body']) => read(callSetOwnPassword({ body }));

export const endSession = (id: string) => read(callEndSession({ path: { session: id } }));

export const endOtherSessions = () => read(callEndOtherSessions());
