import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { requireSameSite, requirePermission } from '@tollgate/platform';
import { sessionOf } from '../auth/session-store.ts';
import { SignedInGuard, type SignedInRequest } from '../auth/signed-in.guard.ts';
import { SignIns } from '../auth/sign-ins.ts';

/** A request of somebody who gets a second factor. */
export type EnrollingRequest = SignedInRequest & {
  /** Whether they are not signed in before they have one. */
  isEnrolling?: boolean;
};

/**
 * Lets people pass who are signed in, and those who must get a second factor before they are. Only what gets one stands
 * behind it.
 */
@Injectable()
export class EnrollingGuard implements CanActivate {
  constructor(
    @Inject(SignedInGuard) private readonly signedIn: SignedInGuard,
    @Inject(SignIns) private readonly signIns: SignIns,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<EnrollingRequest>();
    const step = await this.signIns.findStep(request);
    if (step?.kind !== 'enrol') return this.signedIn.canActivate(context);
    requireSameSite(request);
    request.person = sessionOf(step.user);
    requirePermission(context, request.person);
    request.isEnrolling = true;
    return true;
  }
}
