import { type Role, ROLES } from '@tollgate/vocabulary';
import type { Member } from '../../api/members.ts';
import type { SignedIn } from '../../api/session.ts';

/** What somebody may do with one of an account's people; the service says the last word. */
interface May {
  /** Nothing at all is an admin before an owner. */
  readonly anything: boolean;
  readonly roles: readonly Role[];
  readonly disable: boolean;
  readonly remove: boolean;
}

/** The roles that somebody may give: owners are made by owners. */
export const rolesFor = ({ role }: Pick<SignedIn, 'role'>): readonly Role[] =>
  role === 'owner' ? ROLES : ROLES.filter((each) => each !== 'owner');

export function findMemberPermissions(session: SignedIn, person: Pick<Member, 'id' | 'role'>): May {
  const anything = person.role !== 'owner' || session.role === 'owner';
  const isSelf = person.id === session.user_id;
  return {
    anything,
    roles: anything ? rolesFor(session) : [],
    disable: anything && !isSelf,
    remove: anything && !isSelf,
  };
}
