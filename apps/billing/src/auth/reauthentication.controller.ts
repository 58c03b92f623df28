import { Body, Controller, Get, HttpCode, Inject, Post, Req, Res, UseGuards } from '@nestjs/common';
import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server';
import type { ResilientLimiter } from '@tollgate/limits';
import { Allow, httpError } from '@tollgate/platform';
import type { FastifyReply } from 'fastify';
import type { DataSource } from 'typeorm';
import { UserEntity } from '../accounts/user.entity.ts';
import { audit } from '../audit-log/audit.ts';
import {
  type EmptyBody,
  emptyBody,
  type ReauthenticateBody,
  reauthenticateBody,
  type UsePasskeyBody,
  usePasskeyBody,
} from '../factors/factor-bodies.ts';
import { about, FactorChecks, type FactorKind } from '../factors/factor-checks.ts';
import { DATABASE, LIMITER } from '../provided.ts';
import { keepChallenge, takeChallenge } from './challenges.ts';
import { checkPassword } from './password.ts';
import { SignedInGuard, type SignedInRequest } from './signed-in.guard.ts';
import { countTry, triesOfPerson } from './tries.ts';

type Method = FactorKind | 'password' | 'provider';

/**
 * Proving once more who one is. Who has a second factor shows that: a session and the password may have been taken
 * together. Who has none shows the password, and who has neither signs in with the provider again.
 */
@Controller('api/auth/reauthentication')
@UseGuards(SignedInGuard)
export class ReauthenticationController {
  constructor(
    @Inject(DATABASE) private readonly database: DataSource,
    @Inject(LIMITER) private readonly limiter: ResilientLimiter,
    @Inject(FactorChecks) private readonly factors: FactorChecks,
  ) {}

  /** How one can prove it. */
  @Get()
  @Allow('self:write')
  async ask(@Req() { person }: SignedInRequest): Promise<{ readonly methods: readonly Method[] }> {
    return { methods: await this.#methods(await this.#user(person.user_id)) };
  }

  /** Proves it with the password, or a code. */
  @Post()
  @Allow('self:write')
  @HttpCode(204)
  async prove(
    @Req() request: SignedInRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Body({ schema: reauthenticateBody }) body: ReauthenticateBody,
  ): Promise<void> {
    const user = await this.#user(request.person.user_id);
    const methods = await this.#methods(user);
    if ('code' in body) {
      if (!methods.includes('totp') && !methods.includes('recovery_code')) throw otherWay('code', methods);
      return this.#proved(request, user, await this.factors.requireCode(reply, user, body.code));
    }
    if (!methods.includes('password')) throw otherWay('password', methods);
    await countTry(this.limiter, reply, [triesOfPerson('password', user.id)], 'show the password');
    if (!(await checkPassword(user.passwordHash, body.password))) {
      await audit(this.database, { ...about(user), action: 'reauthenticate.failed', reason: 'password' });
      throw httpError(400, 'password: this is not your password.', 'password');
    }
    return this.#proved(request, user, 'password');
  }

  /** What the browser needs to ask a passkey. */
  @Post('passkey/options')
  @Allow('self:write')
  @HttpCode(200)
  async passkeyOptions(
    @Req() request: SignedInRequest,
    @Body({ schema: emptyBody }) _body: EmptyBody,
  ): Promise<PublicKeyCredentialRequestOptionsJSON> {
    const options = await this.factors.passkeyOptions(request.person.user_id);
    keepChallenge(request, 'reauthenticate', options.challenge);
    return options;
  }

  /** Proves it with the answer of a passkey. */
  @Post('passkey')
  @Allow('self:write')
  @HttpCode(204)
  async passkey(
    @Req() request: SignedInRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Body({ schema: usePasskeyBody }) { response }: UsePasskeyBody,
  ): Promise<void> {
    const user = await this.#user(request.person.user_id);
    const challenge = takeChallenge(request, 'reauthenticate');
    await this.#proved(request, user, await this.factors.requirePasskey(reply, user, challenge, response));
  }

  #user(id: string): Promise<UserEntity> {
    return this.database.getRepository(UserEntity).findOneByOrFail({ id });
  }

  async #methods(user: UserEntity): Promise<readonly Method[]> {
    const factors = await this.factors.methodsOf(user.id);
    if (factors.length > 0) return factors;
    return [user.passwordHash === null ? 'provider' : 'password'];
  }

  async #proved(request: SignedInRequest, user: UserEntity, by: Method): Promise<void> {
    await audit(this.database, { ...about(user), action: 'reauthenticate', after: { by } });
    request.session.authenticatedAt = Date.now();
  }
}

const otherWay = (param: string, methods: readonly Method[]) =>
  httpError(400, `${param}: this does not prove it here. Take one of: ${methods.join(', ')}.`, param);
