import { Controller, Inject, Req, Res } from '@nestjs/common';
import { type RequestOf, signIn } from '@tollgate/api';
import type { ResilientLimiter } from '@tollgate/limits';
import { Handles, httpError, Input } from '@tollgate/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { DataSource } from 'typeorm';
import { AccountEntity } from '../accounts/account.entity.ts';
import { UserEntity } from '../accounts/user.entity.ts';
import { audit } from '../audit-log/audit.ts';
import { DATABASE, LIMITER, SESSION_POLICY } from '../provided.ts';
import { KnownDevices } from './known-devices.ts';
import { checkPassword } from './password.ts';
import type { SessionPolicy } from './session-policy.ts';
import { toSession } from './session-store.ts';
import { SignIns } from './sign-ins.ts';
import { findSignedIn } from './signed-in.ts';
import { countTry } from './tries.ts';

/** At one person's password, from wherever: guesses are few, and strangers seldom keep a new browser of theirs out. */
const STRANGERS_TRIES_PER_MINUTE = 60;

@Controller()
export class AuthController {
  constructor(
    @Inject(DATABASE) private readonly database: DataSource,
    @Inject(LIMITER) private readonly limiter: ResilientLimiter,
    @Inject(SESSION_POLICY) private readonly policy: SessionPolicy,
    @Inject(SignIns) private readonly signIns: SignIns,
    @Inject(KnownDevices) private readonly devices: KnownDevices,
  ) {}

  @Handles(signIn.signIn)
  async login(
    @Input() { body }: RequestOf<typeof signIn.signIn>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const email = body.email.toLowerCase();
    const named = { email, perMinute: STRANGERS_TRIES_PER_MINUTE };
    await countTry(this.limiter, reply, this.devices.triesOf('login', request, named), 'sign in');
    const user = await this.database
      .getRepository(UserEntity)
      .createQueryBuilder('u')
      .where('lower(u.email) = :email', { email })
      .getOne();
    if (!(await checkPassword(user?.passwordHash, body.password)) || !user) {
      await audit(this.database, {
        action: 'sign-in.failed',
        ...(user ? { object: `user ${user.id}`, accountId: user.accountId } : {}),
        actor: { email },
      });
      throw httpError(401, 'The e-mail address or the password is wrong.', null, 'wrong_sign_in');
    }
    return this.signIns.enter(request, reply, user);
  }

  @Handles(signIn.getSession)
  async session(@Input() _: RequestOf<typeof signIn.getSession>, @Req() request: FastifyRequest) {
    const user = await findSignedIn(this.database, this.policy, request);
    if (!user) throw httpError(401, 'Nobody is signed in.', null, 'not_signed_in');
    const { timeZone } = await this.database
      .getRepository(AccountEntity)
      .findOneByOrFail({ id: user.accountId });
    return { ...toSession(user), time_zone: timeZone };
  }

  @Handles(signIn.signOut)
  async logout(@Input() _: RequestOf<typeof signIn.signOut>, @Req() request: FastifyRequest) {
    const { userId } = request.session;
    const user = userId && (await this.database.getRepository(UserEntity).findOneBy({ id: userId }));
    if (user) await audit(this.database, { ...about(user), action: 'sign-out' });
    await request.session.destroy();
  }
}

const about = ({ id, accountId, email, role }: UserEntity) => ({
  object: `user ${id}`,
  accountId,
  actor: { email, userId: id, role },
});
