import { Inject, Injectable } from '@nestjs/common';
import type { Route } from '@tollgate/api';
import { SECOND_FACTOR_REQUIRED, type Session } from '@tollgate/contracts';
import { httpError, type Sessions } from '@tollgate/platform';
import type { FastifyRequest } from 'fastify';
import type { DataSource } from 'typeorm';
import { isFresh, type SessionPolicy } from '../auth/session-policy.ts';
import { toSession } from '../auth/session-store.ts';
import { isEnrolling, SignIns } from '../auth/sign-ins.ts';
import { findSignedIn, signInFacts } from '../auth/signed-in.ts';
import { LOOKUPS, SESSION_POLICY } from '../provided.ts';

/** The sessions of billing's own database. */
@Injectable()
export class BillingSessions implements Sessions {
  constructor(
    @Inject(LOOKUPS) private readonly database: DataSource,
    @Inject(SESSION_POLICY) private readonly policy: SessionPolicy,
    @Inject(SignIns) private readonly signIns: SignIns,
  ) {}

  async find(request: FastifyRequest, { duringEnrolment }: Route): Promise<Session | null> {
    if (duringEnrolment && isEnrolling(request)) {
      const step = await this.signIns.findStep(request);
      if (step) return toSession(step.user);
    }
    const user = await findSignedIn(this.database, this.policy, request);
    if (!user && request.session.step) throw unfinished();
    if (!user) return null;
    request.session.address = request.ip;
    return toSession(user);
  }

  /** Who is between the password and the second factor has shown the password minutes ago. */
  isFresh(request: FastifyRequest): boolean {
    return isEnrolling(request) || isFresh(this.policy, signInFacts(request.session), Date.now());
  }
}

const unfinished = () =>
  httpError(
    401,
    'Show your second factor first: POST /api/auth/second-factor.',
    null,
    SECOND_FACTOR_REQUIRED,
  );
