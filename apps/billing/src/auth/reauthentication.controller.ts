import { Controller, Inject, Req, Res } from '@nestjs/common';
import { profile, type RequestOf } from '@tollgate/api';
import type { Session } from '@tollgate/contracts';
import type { ResilientLimiter } from '@tollgate/limits';
import { Caller, Handles, httpError, Input } from '@tollgate/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { DataSource } from 'typeorm';
import { UserEntity } from '../accounts/user.entity.ts';
import { audit } from '../audit-log/audit.ts';
import { about, FactorChecks, type FactorKind } from '../factors/factor-checks.ts';
import { DATABASE, LIMITER } from '../provided.ts';
import { keepChallenge, takeChallenge } from './challenges.ts';
import { checkPassword } from './password.ts';
import { countTry, triesOfPerson } from './tries.ts';

type Method = FactorKind | 'password' | 'provider';

/**
 * Proving once more who one is. Who has a second factor shows that: a session and the password may have been taken
 * together. Who has none shows the password, and who has neither signs in with the provider again.
 */
@Controller()
export class ReauthenticationController {
  constructor(
    @Inject(DATABASE) private readonly database: DataSource,
    @Inject(LIMITER) private readonly limiter: ResilientLimiter,
    @Inject(FactorChecks) private readonly factors: FactorChecks,
  ) {}

  @Handles(profile.listProofs)
  async ask(@Input() _: RequestOf<typeof profile.listProofs>, @Caller() caller: Session) {
    return { methods: await this.#methods(await this.#user(caller.user_id)) };
  }

  @Handles(profile.reauthenticate)
  async prove(
    @Input() { body }: RequestOf<typeof profile.reauthenticate>,
    @Caller() caller: Session,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const user = await this.#user(caller.user_id);
    const methods = await this.#methods(user);
    if ('code' in body) {
      if (!methods.includes('totp') && !methods.includes('recovery_code')) throw otherWay('code', methods);
      return this.#proved(request, user, await this.factors.requireCode(reply, user, body.code));
    }
    if (!methods.includes('password')) throw otherWay('password', methods);
    await countTry(this.limiter, reply, [triesOfPerson('password', user.id)], 'show the password');
    if (!(await checkPassword(user.passwordHash, body.password))) {
      await audit(this.database, { ...about(user), action: 'reauthenticate.failed', reason: 'password' });
      throw httpError(400, 'password: this is not your password.', 'password', 'wrong_password');
    }
    return this.#proved(request, user, 'password');
  }

  @Handles(profile.askForProvingPasskey)
  async passkeyOptions(
    @Input() _: RequestOf<typeof profile.askForProvingPasskey>,
    @Caller() caller: Session,
    @Req() request: FastifyRequest,
  ) {
    const options = await this.factors.passkeyOptions(caller.user_id);
    keepChallenge(request, 'reauthenticate', options.challenge);
    return options;
  }

  @Handles(profile.reauthenticateWithPasskey)
  async passkey(
    @Input() { body }: RequestOf<typeof profile.reauthenticateWithPasskey>,
    @Caller() caller: Session,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const user = await this.#user(caller.user_id);
    const challenge = takeChallenge(request, 'reauthenticate');
    const factor = await this.factors.requirePasskey(reply, user, challenge, body.response);
    await this.#proved(request, user, factor);
  }

  #user(id: string): Promise<UserEntity> {
    return this.database.getRepository(UserEntity).findOneByOrFail({ id });
  }

  async #methods(user: UserEntity): Promise<readonly Method[]> {
    const factors = await this.factors.methodsOf(user.id);
    if (factors.length > 0) return factors;
    return [user.passwordHash === null ? 'provider' : 'password'];
  }

  async #proved(request: FastifyRequest, user: UserEntity, by: Method): Promise<void> {
    await audit(this.database, { ...about(user), action: 'reauthenticate', after: { by } });
    request.session.authenticatedAt = Date.now();
  }
}

const otherWay = (param: string, methods: readonly Method[]) =>
  httpError(
    400,
    `${param}: this does not prove it here. Take one of: ${methods.join(', ')}.`,
    param,
    'wrong_proof',
  );
