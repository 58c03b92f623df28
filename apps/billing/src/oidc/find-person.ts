import type { DataSource } from 'typeorm';
import { isAccountActive } from '../accounts/active-people.ts';
import { UserEntity } from '../accounts/user.entity.ts';
import { findByEmail, insertUser } from '../accounts/users.service.ts';
import { audit } from '../audit-log/audit.ts';
import { join } from '../members/invites.service.ts';
import { findInviteFor, useUp } from '../members/one-time-links.ts';
import type { OidcSettings } from './oidc-config.ts';
import type { Claims } from './provider.ts';

/** Why somebody whom the provider knows may not come in. */
type Refusal = 'unverified' | 'domain' | 'unknown' | 'disabled' | 'other-person';

/**
 * The person whom a provider's claims are about. Whoever signed in so before is told by the provider's own name for
 * them; the first time it is their e-mail address, which the provider must have verified: somebody who is here,
 * somebody who was invited, or, where the settings say so, somebody new.
 */
export function findPerson(
  database: DataSource,
  { issuer, subject, email, isEmailVerified, name }: Claims,
  { allowedDomains, joinAccount }: Pick<OidcSettings, 'allowedDomains' | 'joinAccount'>,
): Promise<UserEntity | Refusal> {
  return database.transaction(async (manager) => {
    if (email === undefined || !isEmailVerified) return 'unverified';
    const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
    if (allowedDomains.length > 0 && !allowedDomains.includes(domain)) return 'domain';
    const identity = { oidcIssuer: issuer, oidcSubject: subject };
    const known = (await manager.findOneBy(UserEntity, identity)) ?? (await findByEmail(manager, email));
    if (known) {
      if (known.status === 'disabled' || !(await isAccountActive(manager, known.accountId)))
        return 'disabled';
      if (known.oidcSubject === subject && known.oidcIssuer === issuer) return known;
      // The address was given to somebody else, or the deployment changed its provider: a person decides that.
      if (known.oidcSubject !== null) return 'other-person';
      await audit(manager, { ...about(known), action: 'user.link-oidc', after: { issuer } });
      return manager.save(Object.assign(known, identity));
    }
    const link = await findInviteFor(manager, email);
    if (link?.role) {
      await useUp(manager, link);
      return join(manager, link, link.role, { name, ...identity });
    }
    if (joinAccount === undefined || !(await isAccountActive(manager, joinAccount))) return 'unknown';
    const user = await insertUser(manager, {
      accountId: joinAccount,
      email,
      name,
      role: 'member',
      ...identity,
    });
    await audit(manager, {
      ...about(user),
      action: 'user.create',
      after: { email, role: user.role, issuer },
    });
    return user;
  });
}

const about = ({ id, accountId, email, role }: UserEntity) => ({
  object: `user ${id}`,
  accountId,
  actor: { email, userId: id, role },
});
