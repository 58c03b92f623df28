import type { QueryClient } from '@tanstack/react-query';
import { notFound, redirect } from '@tanstack/react-router';
import type { Role } from '@tollgate/vocabulary';
import { type Session, sessionQuery } from '../api/session.ts';

interface Visit {
  readonly context: { readonly queryClient: QueryClient };
  readonly location: { readonly href: string };
}

/** For pages of people who are signed in: others sign in first and come back. */
export async function mustBeSignedIn({ context, location }: Visit): Promise<{ session: Session }> {
  const session = await context.queryClient.ensureQueryData(sessionQuery);
  if (!session) throw redirect({ to: '/sign-in', search: { next: location.href } });
  return { session };
}

/** For pages of some roles: for others there is no such page. */
export const mustBe =
  (...roles: readonly Role[]) =>
  async (visit: Visit): Promise<{ session: Session }> => {
    const { session } = await mustBeSignedIn(visit);
    if (!roles.includes(session.role)) throw notFound();
    return { session };
  };
