import { Body, Controller, Get, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import type { Session } from '@tollgate/contracts';
import type { ResilientLimiter } from '@tollgate/limits';
import { AllowAnybody, httpError, requireSameSite } from '@tollgate/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import { UserEntity } from '../accounts/user.entity.ts';
import { audit } from '../audit-log/audit.ts';
import { DATABASE, LIMITER, SESSION_POLICY } from '../provided.ts';
import { KnownDevices } from './known-devices.ts';
import { checkPassword } from './password.ts';
import type { SessionPolicy } from './session-policy.ts';
import { sessionOf } from './session-store.ts';
import { type SecondStep, SignIns } from './sign-ins.ts';
import { findSignedIn } from './signed-in.ts';
import { countTry } from './tries.ts';

/** At one person's password, from wherever: guesses are few, and strangers seldom keep a new browser of theirs out. */
const STRANGERS_TRIES_PER_MINUTE = 60;

export const loginBody = z
  .strictObject({ email: z.email().max(320), password: z.string().min(1).max(1_024) })
  .meta({ examples: [{ email: 'owner@example.com', password: 'correct horse battery staple' }] });

@Controller('api/auth')
export class AuthController {
  constructor(
    @Inject(DATABASE) private readonly database: DataSource,
    @Inject(LIMITER) private readonly limiter: ResilientLimiter,
    @Inject(SESSION_POLICY) private readonly policy: SessionPolicy,
    @Inject(SignIns) private readonly signIns: SignIns,
    @Inject(KnownDevices) private readonly devices: KnownDevices,
  ) {}

  /** Signs in; 202 where the second factor is still wanted. */
  @Post('login')
  @AllowAnybody()
  @HttpCode(200)
  async login(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Body({ schema: loginBody }) body: z.infer<typeof loginBody>,
  ): Promise<Session | SecondStep> {
    requireSameSite(request);
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
      throw httpError(401, 'The e-mail address or the password is wrong.');
    }
    return this.signIns.enter(request, reply, user);
  }

  @Get('session')
  @AllowAnybody()
  async session(@Req() request: FastifyRequest): Promise<Session> {
    const user = await findSignedIn(this.database, this.policy, request);
    if (!user) throw httpError(401, 'Nobody is signed in.');
    return sessionOf(user);
  }

  @Post('logout')
  @AllowAnybody()
  @HttpCode(204)
  async logout(@Req() request: FastifyRequest): Promise<void> {
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
