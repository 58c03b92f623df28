import { Controller, Inject, Req, Res } from '@nestjs/common';
import { profile, type RequestOf } from '@tollgate/api';
import type { Session } from '@tollgate/contracts';
import type { ResilientLimiter } from '@tollgate/limits';
import { Caller, Handles, httpError, Input } from '@tollgate/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type DataSource, MoreThan, Not } from 'typeorm';
import { AccountEntity } from '../accounts/account.entity.ts';
import { UserEntity } from '../accounts/user.entity.ts';
import { audit } from '../audit-log/audit.ts';
import { revokeLinksFor } from '../members/one-time-links.ts';
import { DATABASE, LIMITER } from '../provided.ts';
import { requireUncommonPassword } from './common-passwords.ts';
import { parseDevice } from './device.ts';
import { checkPassword, hashPassword } from './password.ts';
import { hashSessionId } from './session-store.ts';
import { SessionEntity } from './session.entity.ts';
import { countTry, triesOfPerson } from './tries.ts';

/** What people see and change of themselves. */
@Controller()
export class OwnSessionsController {
  constructor(
    @Inject(DATABASE) private readonly database: DataSource,
    @Inject(LIMITER) private readonly limiter: ResilientLimiter,
  ) {}

  @Handles(profile.listOwnSessions)
  async list(
    @Input() _: RequestOf<typeof profile.listOwnSessions>,
    @Caller() caller: Session,
    @Req() request: FastifyRequest,
  ) {
    const here = hashSessionId(request.session.sessionId);
    const rows = await this.database.getRepository(SessionEntity).find({
      where: { userId: caller.user_id, expiresAt: MoreThan(new Date()) },
      order: { lastSeenAt: 'DESC' },
      take: 200,
    });
    return {
      items: rows.map((row) => ({
        id: row.id,
        is_current: row.idHash === here,
        device: parseDevice(row.userAgent),
        address: row.address,
        created_at: row.createdAt.toISOString(),
        last_seen_at: row.lastSeenAt.toISOString(),
        expires_at: row.expiresAt.toISOString(),
      })),
    };
  }

  @Handles(profile.endOtherSessions)
  async endOthers(
    @Input() _: RequestOf<typeof profile.endOtherSessions>,
    @Caller() { user_id, account_id }: Session,
    @Req() request: FastifyRequest,
  ) {
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

  @Handles(profile.endSession)
  async end(@Input() { params }: RequestOf<typeof profile.endSession>, @Caller() caller: Session) {
    await this.database.transaction(async (manager) => {
      const { affected } = await manager.delete(SessionEntity, {
        id: params.session,
        userId: caller.user_id,
      });
      if (!affected) throw httpError(404, 'There is no such session.', 'id', 'not_found');
      const about = { object: `user ${caller.user_id}`, accountId: caller.account_id };
      await audit(manager, { ...about, action: 'session.end' });
    });
  }

  @Handles(profile.getProfile)
  async profile(@Input() _: RequestOf<typeof profile.getProfile>, @Caller() caller: Session) {
    const [user, account] = await Promise.all([
      this.database.getRepository(UserEntity).findOneByOrFail({ id: caller.user_id }),
      this.database.getRepository(AccountEntity).findOneByOrFail({ id: caller.account_id }),
    ]);
    return {
      ...caller,
      name: user.name,
      account_name: account.name,
      time_zone: account.timeZone,
      has_password: user.passwordHash !== null,
      created_at: user.createdAt.toISOString(),
    };
  }

  @Handles(profile.changeProfile)
  async rename(
    @Input() { body: { name } }: RequestOf<typeof profile.changeProfile>,
    @Caller() { user_id: id, account_id: accountId }: Session,
  ) {
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

  @Handles(profile.setOwnPassword)
  async setPassword(
    @Input() { body }: RequestOf<typeof profile.setOwnPassword>,
    @Caller() { user_id, account_id }: Session,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    await countTry(this.limiter, reply, [triesOfPerson('password', user_id)], 'change the password');
    const user = await this.database.getRepository(UserEntity).findOneByOrFail({ id: user_id });
    if (!(await checkPassword(user.passwordHash, body.current_password)))
      throw httpError(
        400,
        'current_password: this is not your password.',
        'current_password',
        'wrong_password',
      );
    await requireUncommonPassword(body.password, [user.email, user.name]);
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
