import { Controller, Inject, Req, Res } from '@nestjs/common';
import { type RequestOf, signIn } from '@tollgate/api';
import type { ResilientLimiter } from '@tollgate/limits';
import { Handles, httpError, Input } from '@tollgate/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { DataSource } from 'typeorm';
import { UserEntity } from '../accounts/user.entity.ts';
import { FactorChecks } from '../factors/factor-checks.ts';
import type { FactorSettings } from '../factors/factor-config.ts';
import { requestOptions } from '../factors/passkeys.ts';
import { DATABASE, FACTORS, LIMITER } from '../provided.ts';
import { describeOrigin } from './begin-session.ts';
import { keepChallenge, takeChallenge } from './challenges.ts';
import { KnownDevices } from './known-devices.ts';
import { SignIns } from './sign-ins.ts';
import { countTry } from './tries.ts';

/** The second step of signing in, for who has shown the first, and signing in with a passkey alone. */
@Controller()
export class SecondFactorController {
  constructor(
    @Inject(DATABASE) private readonly database: DataSource,
    @Inject(LIMITER) private readonly limiter: ResilientLimiter,
    @Inject(FactorChecks) private readonly factors: FactorChecks,
    @Inject(FACTORS) private readonly settings: FactorSettings,
    @Inject(SignIns) private readonly signIns: SignIns,
    @Inject(KnownDevices) private readonly devices: KnownDevices,
  ) {}

  @Handles(signIn.getSecondStep)
  async ask(@Input() _: RequestOf<typeof signIn.getSecondStep>, @Req() request: FastifyRequest) {
    const { user, kind } = await this.#step(request);
    return { second_factor: kind, methods: await this.factors.methodsOf(user.id) };
  }

  @Handles(signIn.showCode)
  async code(
    @Input() { body }: RequestOf<typeof signIn.showCode>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const { user } = await this.#step(request, 'verify');
    const factor = await this.factors.requireCode(reply, user, body.code);
    return this.signIns.finishStep(reply, user, factor);
  }

  @Handles(signIn.askForSecondPasskey)
  async passkeyOptions(
    @Input() _: RequestOf<typeof signIn.askForSecondPasskey>,
    @Req() request: FastifyRequest,
  ) {
    const { user } = await this.#step(request, 'verify');
    const options = await this.factors.passkeyOptions(user.id);
    keepChallenge(request, 'second-factor', options.challenge);
    return options;
  }

  @Handles(signIn.showSecondPasskey)
  async passkey(
    @Input() { body }: RequestOf<typeof signIn.showSecondPasskey>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const { user } = await this.#step(request, 'verify');
    const challenge = takeChallenge(request, 'second-factor');
    const factor = await this.factors.requirePasskey(reply, user, challenge, body.response);
    return this.signIns.finishStep(reply, user, factor);
  }

  @Handles(signIn.getPasskeySite)
  site() {
    return { origin: this.settings.site?.origin ?? null };
  }

  @Handles(signIn.askForPasskey)
  async aloneOptions(
    @Input() _: RequestOf<typeof signIn.askForPasskey>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    await countTry(this.limiter, reply, this.devices.triesOf('login', request), 'sign in');
    const options = await requestOptions(this.factors.requireSite(), [], true);
    // A session that is there goes on until somebody is signed in.
    if (request.session.begunAt === undefined) {
      await request.session.regenerate();
      Object.assign(request.session, describeOrigin(request));
    }
    keepChallenge(request, 'sign-in', options.challenge);
    return options;
  }

  @Handles(signIn.signInWithPasskey)
  async alone(
    @Input() { body }: RequestOf<typeof signIn.signInWithPasskey>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    await countTry(this.limiter, reply, this.devices.triesOf('login', request), 'sign in');
    const userId = await this.factors.requireOwner(takeChallenge(request, 'sign-in'), body.response);
    const user = await this.database.getRepository(UserEntity).findOneByOrFail({ id: userId });
    return this.signIns.enter(request, reply, user, { factor: 'passkey' });
  }

  async #step(request: FastifyRequest, required?: 'verify') {
    const step = await this.signIns.findStep(request);
    if (step && (required === undefined || step.kind === required)) return step;
    throw httpError(401, 'Sign in first: POST /api/auth/login.', null, 'not_signed_in');
  }
}
