import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Session } from '@tollgate/contracts';
import { httpError } from '@tollgate/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { DataSource } from 'typeorm';
import { findActivePerson, isAccountActive } from '../accounts/active-people.ts';
import type { UserEntity } from '../accounts/user.entity.ts';
import { audit } from '../audit-log/audit.ts';
import { about, FactorChecks, type FactorKind } from '../factors/factor-checks.ts';
import { DATABASE, SESSION_POLICY } from '../provided.ts';
import { beginSession, describeOrigin } from './begin-session.ts';
import { KnownDevices } from './known-devices.ts';
import type { SessionPolicy } from './session-policy.ts';
import { toSession, STRANGER_MS } from './session-store.ts';

/** What is left to do of somebody whose password was right: show the second factor, or get one. */
type StepKind = 'verify' | 'enrol';

declare module 'fastify' {
  interface Session {
    /** Of who is between the password and the second factor, and so is nobody yet. */
    step?: {
      readonly userId: string;
      readonly kind: StepKind;
      readonly begunAt: number;
      /** Of the password then: a new one ends what was begun with the one before. */
      readonly passwordMark: string;
      readonly authenticatedAt: number;
      readonly facts: Readonly<Record<string, string>>;
    };
  }
}

/** Whether a request is of somebody who must get a second factor before they are signed in. */
export const isEnrolling = ({ session }: FastifyRequest): boolean => session.step?.kind === 'enrol';

/** The answer to who has to go on: with status 202, as they are not signed in yet. */
interface SecondStep {
  readonly second_factor: StepKind;
  /** How it can be shown, where there is one. */
  readonly methods: readonly FactorKind[];
}

interface Proof {
  /** When they proved who they are, where that was not now. */
  readonly authenticatedAt?: number;
  /** How the second factor was shown, where it was already. */
  readonly factor?: string;
  /** What the log says of it. */
  readonly facts?: Readonly<Record<string, string>>;
}

/** The only way in: whoever proved the first thing goes on from here, whatever it was. */
@Injectable()
export class SignIns {
  constructor(
    @Inject(DATABASE) private readonly database: DataSource,
    @Inject(SESSION_POLICY) private readonly policy: SessionPolicy,
    @Inject(FactorChecks) private readonly factors: FactorChecks,
    @Inject(KnownDevices) private readonly devices: KnownDevices,
  ) {}

  /**
   * Signs somebody in, or tells them what is still wanted of them.
   *
   * @throws HttpException 403 for who is disabled, or whose account is.
   */
  async enter(
    request: FastifyRequest,
    reply: FastifyReply,
    user: UserEntity,
    { authenticatedAt: provedAt = Infinity, factor, facts = {} }: Proof = {},
  ): Promise<Session | SecondStep> {
    await this.#requireActive(user);
    const authenticatedAt = Math.min(provedAt, Date.now());
    const methods = factor === undefined ? await this.factors.methodsOf(user.id) : [];
    const kind = methods.length > 0 ? 'verify' : 'enrol';
    if (factor === undefined && (methods.length > 0 || this.policy.isFactorRequired(user.role))) {
      await request.session.regenerate();
      Object.assign(request.session, describeOrigin(request), {
        step: {
          userId: user.id,
          kind,
          begunAt: Date.now(),
          passwordMark: markOf(user),
          authenticatedAt,
          facts,
        },
      });
      await audit(this.database, { ...about(user), action: 'sign-in.begin', after: facts });
      void reply.code(202);
      return { second_factor: kind, methods };
    }
    return this.#finish(reply, user, authenticatedAt, factor, facts);
  }

  /** Who is between the password and the second factor with this request; undefined for anybody else. */
  async findStep({ session }: FastifyRequest): Promise<{ user: UserEntity; kind: StepKind } | undefined> {
    const { step } = session;
    if (!step || Date.now() - step.begunAt >= STRANGER_MS) return undefined;
    const user = await findActivePerson(this.database, step.userId);
    if (!user || markOf(user) !== step.passwordMark) return undefined;
    return { user, kind: step.kind };
  }

  /** Signs in whoever was between the two, now that they have shown the second. */
  async finishStep(reply: FastifyReply, user: UserEntity, factor: FactorKind): Promise<Session> {
    const { authenticatedAt = Date.now(), facts = {} } = reply.request.session.step ?? {};
    return this.#finish(reply, user, authenticatedAt, factor, facts);
  }

  async #requireActive(user: UserEntity): Promise<void> {
    const isEnabled = user.status === 'active';
    if (isEnabled && (await isAccountActive(this.database, user.accountId))) return;
    const reason = isEnabled ? 'account disabled' : 'disabled';
    await audit(this.database, { ...about(user), action: 'sign-in.failed', reason });
    const whose = isEnabled ? 'Your account is' : 'You are';
    throw httpError(403, `${whose} disabled here. Ask an admin of this service.`, null, 'access_disabled');
  }

  async #finish(
    reply: FastifyReply,
    user: UserEntity,
    authenticatedAt: number,
    factor: string | undefined,
    facts: Readonly<Record<string, string>>,
  ): Promise<Session> {
    const after = { ...facts, ...(factor === undefined ? {} : { factor }) };
    await audit(this.database, {
      ...about(user),
      action: 'sign-in',
      ...(Object.keys(after).length > 0 ? { after } : {}),
    });
    await beginSession(reply.request, this.policy, user, { authenticatedAt, factor });
    this.devices.remember(reply, user.email);
    return toSession(user);
  }
}

const markOf = ({ passwordHash }: UserEntity): string =>
  createHash('sha256')
    .update(passwordHash ?? '')
    .digest('base64url');
