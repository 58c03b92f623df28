import { Controller, Inject, Req, Res } from '@nestjs/common';
import { factors, type RequestOf } from '@tollgate/api';
import type { Session } from '@tollgate/contracts';
import { Caller, Handles, Input } from '@tollgate/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { DataSource } from 'typeorm';
import { UserEntity } from '../accounts/user.entity.ts';
import { keepChallenge, takeChallenge } from '../auth/challenges.ts';
import type { SessionPolicy } from '../auth/session-policy.ts';
import { isEnrolling, SignIns } from '../auth/sign-ins.ts';
import { DATABASE, FACTORS, SESSION_POLICY } from '../provided.ts';
import { type Enrolled, Enrolments } from './enrolments.ts';
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

/** One's own second factors. */
@Controller()
export class FactorsController {
  constructor(
    @Inject(DATABASE) private readonly database: DataSource,
    @Inject(FACTORS) private readonly settings: FactorSettings,
    @Inject(SESSION_POLICY) private readonly policy: SessionPolicy,
    @Inject(Enrolments) private readonly enrolments: Enrolments,
    @Inject(SignIns) private readonly signIns: SignIns,
  ) {}

  @Handles(factors.listFactors)
  async list(@Input() _: RequestOf<typeof factors.listFactors>, @Caller() caller: Session) {
    const [{ totp, passkeys, recoveryCodesLeft }, reset] = await Promise.all([
      summarizeFactors(this.database, caller.user_id),
      lastReset(this.database, caller.user_id),
    ]);
    return {
      is_required: this.policy.isFactorRequired(caller.role),
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

  @Handles(factors.beginTotp)
  async beginTotp(
    @Input() _: RequestOf<typeof factors.beginTotp>,
    @Caller() caller: Session,
    @Req() request: FastifyRequest,
  ) {
    const { secret, uri, sealed } = await this.enrolments.beginTotp(caller.user_id);
    request.session.totp = sealed;
    return { secret, uri };
  }

  @Handles(factors.addTotp)
  async addTotp(
    @Input() { body }: RequestOf<typeof factors.addTotp>,
    @Caller() caller: Session,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const enrolment = enrolmentOf(caller, request);
    const added = await this.enrolments.addTotp(enrolment, request.session.totp, body.code);
    delete request.session.totp;
    return this.#added(caller, reply, 'totp', added);
  }

  @Handles(factors.removeTotp)
  removeTotp(@Input() _: RequestOf<typeof factors.removeTotp>, @Caller() caller: Session) {
    return this.enrolments.removeTotp(caller.user_id);
  }

  @Handles(factors.beginPasskey)
  async passkeyOptions(
    @Input() _: RequestOf<typeof factors.beginPasskey>,
    @Caller() caller: Session,
    @Req() request: FastifyRequest,
  ) {
    const options = await this.enrolments.passkeyOptions(caller.user_id);
    keepChallenge(request, 'add', options.challenge);
    return options;
  }

  @Handles(factors.addPasskey)
  async addPasskey(
    @Input() { body: { name, response } }: RequestOf<typeof factors.addPasskey>,
    @Caller() caller: Session,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const challenge = takeChallenge(request, 'add');
    const enrolment = enrolmentOf(caller, request);
    const added = await this.enrolments.addPasskey(enrolment, name, challenge, response);
    return this.#added(caller, reply, 'passkey', added);
  }

  @Handles(factors.renamePasskey)
  renamePasskey(
    @Input() { params, body }: RequestOf<typeof factors.renamePasskey>,
    @Caller() caller: Session,
  ) {
    return this.enrolments.renamePasskey(caller.user_id, params.passkey, body.name);
  }

  @Handles(factors.removePasskey)
  removePasskey(@Input() { params }: RequestOf<typeof factors.removePasskey>, @Caller() caller: Session) {
    return this.enrolments.removePasskey(caller.user_id, params.passkey);
  }

  @Handles(factors.makeRecoveryCodes)
  async newRecoveryCodes(@Input() _: RequestOf<typeof factors.makeRecoveryCodes>, @Caller() caller: Session) {
    return { recovery_codes: await this.enrolments.newRecoveryCodes(caller.user_id) };
  }

  /** Who was signed in has shown the factor just now; who was not is signed in with it. */
  async #added(caller: Session, reply: FastifyReply, factor: FactorKind, added: Enrolled) {
    const { request } = reply;
    if (!isEnrolling(request)) {
      request.session.factor = factor;
      return { ...added, session: null };
    }
    const user = await this.database.getRepository(UserEntity).findOneByOrFail({ id: caller.user_id });
    return { ...added, session: await this.signIns.finishStep(reply, user, factor) };
  }
}

const enrolmentOf = (caller: Session, request: FastifyRequest) => ({
  userId: caller.user_id,
  isEnrolling: isEnrolling(request),
});
