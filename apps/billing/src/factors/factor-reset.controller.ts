import { Controller, Inject } from '@nestjs/common';
import { members, type RequestOf } from '@tollgate/api';
import type { Session } from '@tollgate/contracts';
import { Caller, Handles, httpError, Input } from '@tollgate/platform';
import { UsersService } from '../accounts/users.service.ts';
import { audit } from '../audit-log/audit.ts';
import { resetFactors } from './reset-factors.ts';

/** For those whose phone is in the lake. */
@Controller()
export class FactorResetController {
  constructor(@Inject(UsersService) private readonly users: UsersService) {}

  /** Takes somebody's second factors away and signs them out everywhere. Their password is the one they had. */
  @Handles(members.resetFactors)
  reset(
    @Input() { params: { id: accountId, user: userId } }: RequestOf<typeof members.resetFactors>,
    @Caller() caller: Session,
  ) {
    if (userId === caller.user_id)
      throw httpError(
        409,
        'Change your own factors on your security page, where you show one of them.',
        'user',
        'own_factors',
      );
    return this.users.withUser(caller, accountId, userId, async (manager) => {
      const before = await resetFactors(manager, userId);
      await audit(manager, { action: 'factor.reset', object: `user ${userId}`, accountId, before });
    });
  }
}
