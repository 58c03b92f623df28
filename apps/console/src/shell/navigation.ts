import { isAllowed, type Role } from '@tollgate/vocabulary';
import type { Page, Place, PublicPage, SectionName } from '../app/page.ts';

interface Section {
  readonly name: SectionName;
  readonly places: readonly (Place & { readonly path: string })[];
}

const ORDER: readonly SectionName[] = ['build', 'run', 'money'];

/**
 * The sections that somebody of a role sees, with the pages that have a place there in their order; null is somebody
 * who is not signed in.
 */
export function sectionsFor(role: Role | null, pages: readonly (Page | PublicPage)[]): readonly Section[] {
  const isOpen = (page: Page | PublicPage) =>
    !('permission' in page) || (role !== null && isAllowed(role, page.permission));
  const places = pages.filter((page) => 'section' in page).filter(isOpen);
  return ORDER.map((name) => ({ name, places: places.filter(({ section }) => section === name) })).filter(
    (section) => section.places.length > 0,
  );
}
