import {
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Inject,
  Param,
  Patch,
  Put,
  Req,
  Res,
  UseGuards,
} from '@nestjs/common';
import type { ResilientLimiter } from '@tollgate/limits';
import { Allow, httpError } from '@tollgate/platform';
import type { FastifyReply } from 'fastify';
import { type DataSource, MoreThan, Not } from 'typeorm';
import type { z } from 'zod';
import { AccountEntity } from '../accounts/account.entity.ts';
import { idOf } from '../accounts/id-of.ts';
import { UserEntity } from '../accounts/user.entity.ts';
import { audit } from '../audit-log/audit.ts';
import { ownPasswordBody, profileBody } from '../people/person-bodies.ts';
import { revokeLinksFor } from '../people/one-time-links.ts';
import { DATABASE, LIMITER } from '../provided.ts';
import { requireUncommonPassword } from './common-passwords.ts';
import { deviceOf } from './device.ts';
import { checkPassword, hashPassword } from './password.ts';
import { hashSessionId } from './session-store.ts';
import { SessionEntity } from './session.entity.ts';
import { SignedInGuard, type SignedInRequest } from './signed-in.guard.ts';
import { countTry, triesOfPerson } from './tries.ts';

/** What people see and change of themselves. */
@Controller('api/auth')
@UseGuards(SignedInGuard)
export class OwnSessionsController {
  constructor(
    @Inject(DATABASE) private readonly database: DataSource,
    @Inject(LIMITER) private readonly limiter: ResilientLimiter,
  ) {}

  /** Where one is signed in, the last seen first. */
  @Get('sessions')
  @Allow('self:write')
  async list(@Req() request: SignedInRequest): Promise<object> {
    const here = hashSessionId(request.session.sessionId);
    const rows = await this.database.getRepository(SessionEntity).find({
      where: { userId: request.person.user_id, expiresAt: MoreThan(new Date()) },
      order: { lastSeenAt: 'DESC' },
      take: 200,
    });
    return {
      items: rows.map((row) => ({
        id: row.id,
        is_current: row.idHash === here,
        device: deviceOf(row.userAgent),
        address: row.address,
        created_at: row.createdAt.toISOString(),
        last_seen_at: row.lastSeenAt.toISOString(),
        expires_at: row.expiresAt.toISOString(),
      })),
    };
  }

  /** Signs out everywhere else. */
  @Delete('sessions')
  @Allow('self:write')
  @HttpCode(204)
  async endOthers(@Req() request: SignedInRequest): Promise<void> {
    const { user_id, account_id } = request.person;
    const idHash = Not(hashSessionId(request.session.sessionId));
    await this.database.transaction(async (manager) => {
      await manager.delete(SessionEntity, { userId: user_id, idHash });
      await audit(manager, {
        action: 'session.end-others',
        object: `user ${user_id}`,
        accountId: account_id,
      });
    });
  }

  /** Signs out one session. */
  @Delete('sessions/:session')
  @Allow('self:write')
  @HttpCode(204)
  async end(@Req() { person }: SignedInRequest, @Param('session') text: string): Promise<void> {
    const id = idOf(text, 'session');
    await this.database.transaction(async (manager) => {
      const { affected } = await manager.delete(SessionEntity, { id, userId: person.user_id });
      if (!affected) throw httpError(404, 'There is no such session.', 'id');
      const about = { object: `user ${person.user_id}`, accountId: person.account_id };
      await audit(manager, { ...about, action: 'session.end' });
    });
  }

  /** Who one is, and what the account's clock is. */
  @Get('profile')
  @Allow('self:write')
  async profile(@Req() { person }: SignedInRequest): Promise<object> {
    const [user, account] = await Promise.all([
      this.database.getRepository(UserEntity).findOneByOrFail({ id: person.user_id }),
      this.database.getRepository(AccountEntity).findOneByOrFail({ id: person.account_id }),
    ]);
    return {
      ...person,
      name: user.name,
      account_name: account.name,
      time_zone: account.timeZone,
      has_password: user.passwordHash !== null,
      created_at: user.createdAt.toISOString(),
    };
  }

  @Patch('profile')
  @Allow('self:write')
  @HttpCode(204)
  async rename(
    @Req() { person }: SignedInRequest,
    @Body({ schema: profileBody }) { name }: z.infer<typeof profileBody>,
  ): Promise<void> {
    const { user_id: id, account_id: accountId } = person;
    await this.database.transaction(async (manager) => {
      const before = await manager.findOneByOrFail(UserEntity, { id });
      await manager.update(UserEntity, { id }, { name });
      await audit(manager, {
        action: 'user.rename',
        object: `user ${id}`,
        accountId,
        before: { name: before.name },
        after: { name },
      });
    });
  }

  /** Sets one's own password, and signs out everywhere else. */
  @Put('password')
  @Allow('self:write')
  @HttpCode(204)
  async setPassword(
    @Req() request: SignedInRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Body({ schema: ownPasswordBody }) body: z.infer<typeof ownPasswordBody>,
  ): Promise<void> {
    const { user_id, account_id } = request.person;
    await countTry(this.limiter, reply, [triesOfPerson('password', user_id)], 'change the password');
    const user = await this.database.getRepository(UserEntity).findOneByOrFail({ id: user_id });
    if (!(await checkPassword(user.passwordHash, body.current_password)))
      throw httpError(400, 'current_password: this is not your password.', 'current_password');
    requireUncommonPassword(body.password, [user.email, user.name]);
    const passwordHash = await hashPassword(body.password);
    await this.database.transaction(async (manager) => {
      await manager.update(UserEntity, { id: user_id }, { passwordHash });
      const idHash = Not(hashSessionId(request.session.sessionId));
      await manager.delete(SessionEntity, { userId: user_id, idHash });
      await revokeLinksFor(manager, [user_id]);
      await audit(manager, {
        action: 'user.change-password',
        object: `user ${user_id}`,
        accountId: account_id,
      });
    });
  }
}
