import { Controller, Delete, HttpCode, Inject, Param, Req, UseGuards } from '@nestjs/common';
import { Allow, httpError } from '@tollgate/platform';
import { idOf } from '../accounts/id-of.ts';
import { UsersService } from '../accounts/users.service.ts';
import { audit } from '../audit-log/audit.ts';
import { SignedInGuard, type SignedInRequest } from '../auth/signed-in.guard.ts';
import { resetFactors } from './reset-factors.ts';

/** For those whose phone is in the lake. */
@Controller('api/accounts/:id/users/:user/factors')
@UseGuards(SignedInGuard)
export class FactorResetController {
  constructor(@Inject(UsersService) private readonly users: UsersService) {}

  /** Takes somebody's second factors away and signs them out everywhere. Their password is the one they had. */
  @Delete()
  @Allow('members:write')
  @HttpCode(204)
  reset(
    @Req() { person }: SignedInRequest,
    @Param('id') id: string,
    @Param('user') user: string,
  ): Promise<void> {
    const [accountId, userId] = [idOf(id, 'account'), idOf(user, 'person')];
    if (userId === person.user_id)
      throw httpError(
        409,
        'Change your own factors on your security page, where you show one of them.',
        'user',
      );
    return this.users.withUser(person, accountId, userId, async (manager) => {
      const before = await resetFactors(manager, userId);
      await audit(manager, { action: 'factor.reset', object: `user ${userId}`, accountId, before });
    });
  }
}
