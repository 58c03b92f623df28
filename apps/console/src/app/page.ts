import type { QueryClient } from '@tanstack/react-query';
import { notFound, redirect } from '@tanstack/react-router';
import { isAllowed, type Permission } from '@tollgate/vocabulary';
import type { Namespace } from 'i18next';
import { type SignedIn, sessionQuery } from '../api/session.ts';
import type common from '../locales/en/common.json';
import { BrokenPage } from '../shell/Broken.tsx';
import { NoSuchPage, NOT_FOR_ROLE } from '../shell/NoSuchPage.tsx';

/** Catalogues whose `title` names a page. */
export type PageWords = Exclude<Extract<Namespace, string>, 'common'>;

export type SectionName = keyof (typeof common)['sections'];

/** What the navigation and the palette show of a page. */
export interface Place {
  readonly section: SectionName;
  /** The page's catalogue; its name in the navigation stands in the common one, below `places`. */
  readonly words: keyof (typeof common)['places'];
}

/** A page of the frame, as its `page.config.ts` describes it. */
export type Page = {
  readonly path: string;
  /** What its service asks of whoever calls it: others are told that it is not for their role. */
  readonly permission: Permission;
  /** Catalogues that it shares with other pages. */
  readonly sharedWords?: readonly PageWords[];
} & (Place | { readonly words: PageWords });

/** A page that anybody may visit. */
export type PublicPage = { readonly path: string } & Place;

interface Visit {
  readonly context: { readonly queryClient: QueryClient };
  readonly location: { readonly href: string };
}

/** The options of a route for people who are signed in and allowed to; others sign in first and come back. */
export const describePage = <const P extends Page>(page: P) => ({
  path: page.path as P['path'],
  staticData: page,
  // Its own, so that the navigation stays around it.
  notFoundComponent: NoSuchPage,
  errorComponent: BrokenPage,
  beforeLoad: async ({ context, location }: Visit): Promise<{ session: SignedIn }> => {
    const session = await context.queryClient.ensureQueryData(sessionQuery);
    if (!session) throw redirect({ to: '/sign-in', search: { next: location.href } });
    if (!isAllowed(session.role, page.permission)) throw notFound({ data: NOT_FOR_ROLE });
    return { session };
  },
});

/** The options of a route that is for anybody. */
export const describePublicPage = <const P extends PublicPage>(page: P) => ({
  path: page.path as P['path'],
  staticData: page,
});
