import { Body, Controller, Get, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server';
import type { Session } from '@tollgate/contracts';
import type { ResilientLimiter } from '@tollgate/limits';
import { AllowAnybody, httpError, requireSameSite } from '@tollgate/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { DataSource } from 'typeorm';
import { UserEntity } from '../accounts/user.entity.ts';
import {
  type CodeBody,
  codeBody,
  type EmptyBody,
  emptyBody,
  type UsePasskeyBody,
  usePasskeyBody,
} from '../factors/factor-bodies.ts';
import { FactorChecks } from '../factors/factor-checks.ts';
import type { FactorSettings } from '../factors/factor-config.ts';
import { requestOptions } from '../factors/passkeys.ts';
import { DATABASE, FACTORS, LIMITER } from '../provided.ts';
import { originOf } from './begin-session.ts';
import { keepChallenge, takeChallenge } from './challenges.ts';
import { KnownDevices } from './known-devices.ts';
import { type SecondStep, SignIns } from './sign-ins.ts';
import { countTry } from './tries.ts';

/** The second step of signing in, for who has shown the first, and signing in with a passkey alone. */
@Controller('api/auth')
export class SecondFactorController {
  constructor(
    @Inject(DATABASE) private readonly database: DataSource,
    @Inject(LIMITER) private readonly limiter: ResilientLimiter,
    @Inject(FactorChecks) private readonly factors: FactorChecks,
    @Inject(FACTORS) private readonly settings: FactorSettings,
    @Inject(SignIns) private readonly signIns: SignIns,
    @Inject(KnownDevices) private readonly devices: KnownDevices,
  ) {}

  /** What is still wanted of whoever has shown the first. */
  @Get('second-factor')
  @AllowAnybody()
  async ask(@Req() request: FastifyRequest): Promise<SecondStep> {
    const { user, kind } = await this.#step(request);
    return { second_factor: kind, methods: await this.factors.methodsOf(user.id) };
  }

  /** Signs in with a code of the app, or a recovery code. */
  @Post('second-factor')
  @AllowAnybody()
  @HttpCode(200)
  async code(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Body({ schema: codeBody }) { code }: CodeBody,
  ): Promise<Session> {
    requireSameSite(request);
    const { user } = await this.#step(request, 'verify');
    const factor = await this.factors.requireCode(reply, user, code);
    return this.signIns.finishStep(reply, user, factor);
  }

  /** What the browser needs to ask a passkey. */
  @Post('second-factor/passkey/options')
  @AllowAnybody()
  @HttpCode(200)
  async passkeyOptions(
    @Req() request: FastifyRequest,
    @Body({ schema: emptyBody }) _body: EmptyBody,
  ): Promise<PublicKeyCredentialRequestOptionsJSON> {
    requireSameSite(request);
    const { user } = await this.#step(request, 'verify');
    const options = await this.factors.passkeyOptions(user.id);
    keepChallenge(request, 'second-factor', options.challenge);
    return options;
  }

  /** Signs in with the answer of a passkey. */
  @Post('second-factor/passkey')
  @AllowAnybody()
  @HttpCode(200)
  async passkey(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Body({ schema: usePasskeyBody }) { response }: UsePasskeyBody,
  ): Promise<Session> {
    requireSameSite(request);
    const { user } = await this.#step(request, 'verify');
    const challenge = takeChallenge(request, 'second-factor');
    const factor = await this.factors.requirePasskey(reply, user, challenge, response);
    return this.signIns.finishStep(reply, user, factor);
  }

  /** Where passkeys can be used: null where they cannot be. */
  @Get('passkey')
  @AllowAnybody()
  site(): { readonly origin: string | null } {
    return { origin: this.settings.site?.origin ?? null };
  }

  /** What the browser needs to ask for any passkey of this site, without a name or a password. */
  @Post('passkey/options')
  @AllowAnybody()
  @HttpCode(200)
  async aloneOptions(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Body({ schema: emptyBody }) _body: EmptyBody,
  ): Promise<PublicKeyCredentialRequestOptionsJSON> {
    requireSameSite(request);
    await countTry(this.limiter, reply, this.devices.triesOf('login', request), 'sign in');
    const options = await requestOptions(this.factors.requireSite(), [], true);
    // A session that is there goes on until somebody is signed in.
    if (request.session.begunAt === undefined) {
      await request.session.regenerate();
      Object.assign(request.session, originOf(request));
    }
    keepChallenge(request, 'sign-in', options.challenge);
    return options;
  }

  /** Signs in with a passkey alone, whose device has checked who holds it. */
  @Post('passkey')
  @AllowAnybody()
  @HttpCode(200)
  async alone(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Body({ schema: usePasskeyBody }) { response }: UsePasskeyBody,
  ): Promise<Session | SecondStep> {
    requireSameSite(request);
    await countTry(this.limiter, reply, this.devices.triesOf('login', request), 'sign in');
    const userId = await this.factors.requireOwner(takeChallenge(request, 'sign-in'), response);
    const user = await this.database.getRepository(UserEntity).findOneByOrFail({ id: userId });
    return this.signIns.enter(request, reply, user, { factor: 'passkey' });
  }

  async #step(request: FastifyRequest, wanted?: 'verify') {
    const step = await this.signIns.findStep(request);
    if (step && (wanted === undefined || step.kind === wanted)) return step;
    throw httpError(401, 'Sign in first: POST /api/auth/login.');
  }
}
