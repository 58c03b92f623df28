import {
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Inject,
  Param,
  Patch,
  Post,
  Req,
  Res,
  UseGuards,
} from '@nestjs/common';
import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/server';
import type { Session } from '@tollgate/contracts';
import { Allow } from '@tollgate/platform';
import type { FastifyReply } from 'fastify';
import type { DataSource } from 'typeorm';
import { idOf } from '../accounts/id-of.ts';
import { UserEntity } from '../accounts/user.entity.ts';
import { keepChallenge, takeChallenge } from '../auth/challenges.ts';
import type { SessionPolicy } from '../auth/session-policy.ts';
import { SignIns } from '../auth/sign-ins.ts';
import { SignedInGuard, type SignedInRequest } from '../auth/signed-in.guard.ts';
import { DATABASE, FACTORS, SESSION_POLICY } from '../provided.ts';
import { EnrollingGuard, type EnrollingRequest } from './enrolling.guard.ts';
import { type Enrolled, Enrolments } from './enrolments.ts';
import {
  type AddPasskeyBody,
  addPasskeyBody,
  type CodeBody,
  codeBody,
  type EmptyBody,
  emptyBody,
  type RenamePasskeyBody,
  renamePasskeyBody,
} from './factor-bodies.ts';
import type { FactorKind } from './factor-checks.ts';
import type { FactorSettings } from './factor-config.ts';
import { summarizeFactors } from './factor-store.ts';
import { lastReset } from './reset-factors.ts';

declare module 'fastify' {
  interface Session {
    /** The sealed secret of an app that is being added. */
    totp?: string;
  }
}

/** Of who was not signed in before: now they are. */
type Added = Enrolled & { readonly session: Session | null };

/** One's own second factors. */
@Controller('api/auth/factors')
export class FactorsController {
  constructor(
    @Inject(DATABASE) private readonly database: DataSource,
    @Inject(FACTORS) private readonly settings: FactorSettings,
    @Inject(SESSION_POLICY) private readonly policy: SessionPolicy,
    @Inject(Enrolments) private readonly enrolments: Enrolments,
    @Inject(SignIns) private readonly signIns: SignIns,
  ) {}

  /** What one has, and what is wanted of one's role. */
  @Get()
  @Allow('self:write')
  @UseGuards(SignedInGuard)
  async list(@Req() { person }: SignedInRequest): Promise<object> {
    const [{ totp, passkeys, recoveryCodesLeft }, reset] = await Promise.all([
      summarizeFactors(this.database, person.user_id),
      lastReset(this.database, person.user_id),
    ]);
    return {
      is_required: this.policy.isFactorRequired(person.role),
      /** Where passkeys are made and used; null where they cannot be had. */
      passkey_origin: this.settings.site?.origin ?? null,
      totp: totp && {
        created_at: totp.createdAt.toISOString(),
        last_used_at: totp.lastUsedAt?.toISOString() ?? null,
      },
      passkeys: passkeys.map(({ id, name, createdAt, lastUsedAt }) => ({
        id,
        name,
        created_at: createdAt.toISOString(),
        last_used_at: lastUsedAt?.toISOString() ?? null,
      })),
      recovery_codes_left: recoveryCodesLeft,
      last_reset: reset ? { at: reset.at.toISOString(), by: reset.actor } : null,
    };
  }

  /** Begins to add an authenticator app: its secret is in this answer only. */
  @Post('totp')
  @Allow('self:write')
  @HttpCode(200)
  @UseGuards(EnrollingGuard)
  async beginTotp(
    @Req() request: EnrollingRequest,
    @Body({ schema: emptyBody }) _body: EmptyBody,
  ): Promise<{ readonly secret: string; readonly uri: string }> {
    const { secret, uri, sealed } = await this.enrolments.beginTotp(request.person.user_id);
    request.session.totp = sealed;
    return { secret, uri };
  }

  /** Adds the app once it shows a code. It takes the place of one before. */
  @Post('totp/confirm')
  @Allow('self:write')
  @HttpCode(200)
  @UseGuards(EnrollingGuard)
  async addTotp(
    @Req() request: EnrollingRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Body({ schema: codeBody }) { code }: CodeBody,
  ): Promise<Added> {
    const added = await this.enrolments.addTotp(wishOf(request), request.session.totp, code);
    delete request.session.totp;
    return this.#added(request, reply, 'totp', added);
  }

  @Delete('totp')
  @Allow('self:write')
  @HttpCode(204)
  @UseGuards(SignedInGuard)
  removeTotp(@Req() { person }: SignedInRequest): Promise<void> {
    return this.enrolments.removeTotp(person.user_id);
  }

  /** What the browser needs to make a passkey. */
  @Post('passkeys/options')
  @Allow('self:write')
  @HttpCode(200)
  @UseGuards(EnrollingGuard)
  async passkeyOptions(
    @Req() request: EnrollingRequest,
    @Body({ schema: emptyBody }) _body: EmptyBody,
  ): Promise<PublicKeyCredentialCreationOptionsJSON> {
    const options = await this.enrolments.passkeyOptions(request.person.user_id);
    keepChallenge(request, 'add', options.challenge);
    return options;
  }

  /** Adds the passkey that the browser made. */
  @Post('passkeys')
  @Allow('self:write')
  @HttpCode(200)
  @UseGuards(EnrollingGuard)
  async addPasskey(
    @Req() request: EnrollingRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Body({ schema: addPasskeyBody }) { name, response }: AddPasskeyBody,
  ): Promise<Added> {
    const challenge = takeChallenge(request, 'add');
    const added = await this.enrolments.addPasskey(wishOf(request), name, challenge, response);
    return this.#added(request, reply, 'passkey', added);
  }

  @Patch('passkeys/:passkey')
  @Allow('self:write')
  @HttpCode(204)
  @UseGuards(SignedInGuard)
  renamePasskey(
    @Req() { person }: SignedInRequest,
    @Param('passkey') passkey: string,
    @Body({ schema: renamePasskeyBody }) { name }: RenamePasskeyBody,
  ): Promise<void> {
    return this.enrolments.renamePasskey(person.user_id, idOf(passkey, 'passkey'), name);
  }

  @Delete('passkeys/:passkey')
  @Allow('self:write')
  @HttpCode(204)
  @UseGuards(SignedInGuard)
  removePasskey(@Req() { person }: SignedInRequest, @Param('passkey') passkey: string): Promise<void> {
    return this.enrolments.removePasskey(person.user_id, idOf(passkey, 'passkey'));
  }

  /** New recovery codes, in this answer only. Those of before work no more. */
  @Post('recovery-codes')
  @Allow('self:write')
  @HttpCode(200)
  @UseGuards(SignedInGuard)
  async newRecoveryCodes(
    @Req() { person }: SignedInRequest,
    @Body({ schema: emptyBody }) _body: EmptyBody,
  ): Promise<{ readonly recovery_codes: readonly string[] }> {
    return { recovery_codes: await this.enrolments.newRecoveryCodes(person.user_id) };
  }

  /** Who was signed in has shown the factor just now; who was not is signed in with it. */
  async #added(
    request: EnrollingRequest,
    reply: FastifyReply,
    factor: FactorKind,
    added: Enrolled,
  ): Promise<Added> {
    if (request.isEnrolling !== true) {
      request.session.factor = factor;
      return { ...added, session: null };
    }
    const user = await this.database
      .getRepository(UserEntity)
      .findOneByOrFail({ id: request.person.user_id });
    return { ...added, session: await this.signIns.finishStep(reply, user, factor) };
  }
}

const wishOf = ({ person, isEnrolling = false }: EnrollingRequest) => ({
  userId: person.user_id,
  isEnrolling,
});
