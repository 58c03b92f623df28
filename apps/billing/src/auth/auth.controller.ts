import { Body, Controller, Get, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import type { Session } from '@tollgate/contracts';
import { rateLimitCharges, type ResilientLimiter } from '@tollgate/limits';
import { httpError, mustBeSameSite } from '@tollgate/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import { UserEntity } from '../accounts/user.entity.ts';
import { audit } from '../audit-log/audit.ts';
import { DATABASE, LIMITER } from '../provided.ts';
import { checkPassword } from './password.ts';
import { sessionOf } from './session-store.ts';

export const loginBody = z
  .strictObject({ email: z.email().max(320), password: z.string().min(1).max(1_024) })
  .meta({ examples: [{ email: 'owner@example.com', password: 'correct horse battery staple' }] });

const TRIES_PER_MINUTE = { requests_per_minute: 10 };

@Controller('api/auth')
export class AuthController {
  constructor(
    @Inject(DATABASE) private readonly database: DataSource,
    @Inject(LIMITER) private readonly limiter: ResilientLimiter,
  ) {}

  @Post('login')
  @HttpCode(200)
  async login(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Body({ schema: loginBody }) body: z.infer<typeof loginBody>,
  ): Promise<Session> {
    mustBeSameSite(request);
    const email = body.email.toLowerCase();
    const admission = await this.limiter.admit(
      [`login:${request.ip}`, `login:${email}`].flatMap((id) =>
        rateLimitCharges({ dimension: 'client', id }, TRIES_PER_MINUTE, { requests: 1, tokens: 0 }),
      ),
    );
    if (!admission.admitted) {
      void reply.header('retry-after', String(Math.ceil(admission.retryAfterMs / 1_000)));
      throw httpError(429, 'Too many tries to sign in. Wait a minute and try again.');
    }
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
    await audit(this.database, { ...about(user), action: 'sign-in' });
    await request.session.regenerate();
    request.session.userId = user.id;
    return sessionOf(user);
  }

  @Get('session')
  async session(@Req() request: FastifyRequest): Promise<Session> {
    const { userId } = request.session;
    const user = userId && (await this.database.getRepository(UserEntity).findOneBy({ id: userId }));
    if (!user) throw httpError(401, 'Nobody is signed in.');
    return sessionOf(user);
  }

  @Post('logout')
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
