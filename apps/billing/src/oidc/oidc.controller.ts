import { Controller, HttpException, Inject, Req, Res } from '@nestjs/common';
import { type RequestOf, signIn } from '@tollgate/api';
import type { ResilientLimiter } from '@tollgate/limits';
import { Handles, httpError, Input, type Logger, unavailable } from '@tollgate/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { DataSource } from 'typeorm';
import { audit } from '../audit-log/audit.ts';
import { describeOrigin } from '../auth/begin-session.ts';
import { KnownDevices } from '../auth/known-devices.ts';
import { SignIns } from '../auth/sign-ins.ts';
import { countTry } from '../auth/tries.ts';
import { DATABASE, LIMITER, OIDC } from '../provided.ts';
import { findPerson } from './find-person.ts';
import type { OidcSettings } from './oidc-config.ts';
import type { Departure, Provider } from './provider.ts';

declare module 'fastify' {
  interface Session {
    /** Of somebody who is at the provider. */
    departure?: Departure;
  }
}

/** A provider that people may sign in with, where one is set. */
export interface Oidc {
  readonly settings: OidcSettings;
  readonly provider: Provider;
  readonly logger: Pick<Logger, 'warn'>;
}

@Controller()
export class OidcController {
  constructor(
    @Inject(DATABASE) private readonly database: DataSource,
    @Inject(LIMITER) private readonly limiter: ResilientLimiter,
    @Inject(OIDC) private readonly oidc: Oidc | null,
    @Inject(SignIns) private readonly signIns: SignIns,
    @Inject(KnownDevices) private readonly devices: KnownDevices,
  ) {}

  @Handles(signIn.getProvider)
  ask() {
    return { enabled: this.oidc !== null, name: this.oidc?.settings.name ?? null };
  }

  /**
   * Where a browser goes to sign in with the provider. Only a page of our own may ask; whoever is signed in stays so until
   * somebody has come back.
   */
  @Handles(signIn.departToProvider)
  async start(
    @Input() { body: { next, again } }: RequestOf<typeof signIn.departToProvider>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const { provider } = this.#set();
    await countTry(this.limiter, reply, this.devices.triesOf('oidc', request), 'sign in');
    const { url, departure } = await provider.depart(next, again === 'yes').catch((error: unknown) => {
      throw unavailable('Your provider does not answer. Try again, or use your password.', error);
    });
    if (request.session.begunAt === undefined) {
      await request.session.regenerate();
      Object.assign(request.session, describeOrigin(request));
    }
    request.session.departure = departure;
    return { url };
  }

  @Handles(signIn.returnFromProvider)
  async callback(
    @Input() _: RequestOf<typeof signIn.returnFromProvider>,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ) {
    const { provider, settings, logger } = this.#set();
    const { departure } = request.session;
    if (!departure) return this.#refuse(reply, 'late');
    try {
      await countTry(this.limiter, reply, this.devices.triesOf('oidc-callback', request), 'sign in');
      // Whatever came back, it is the only answer to it.
      delete request.session.departure;
      const query = request.url.slice(request.url.indexOf('?'));
      const claims = await provider.arrive(query, departure);
      const person = await findPerson(this.database, claims, settings);
      if (typeof person === 'string') {
        await audit(this.database, {
          action: 'sign-in.failed',
          reason: `${settings.issuer}: ${person}`,
          actor: { email: claims.email ?? claims.subject },
        });
        return await this.#refuse(reply, person);
      }
      const entered = await this.signIns.enter(request, reply, person, {
        facts: { issuer: claims.issuer },
        authenticatedAt: claims.authenticatedAt?.getTime() ?? Date.now(),
        ...(claims.hasSecondFactor ? { factor: 'provider' } : {}),
      });
      const how = 'second_factor' in entered ? 'step' : 'arrived';
      await reply.redirect(`/sign-in?${how}=1&next=${encodeURIComponent(departure.next)}`, 302);
    } catch (error) {
      if (isTooMany(error)) return this.#refuse(reply, 'busy');
      logger.warn(
        { event: 'oidc_sign_in_failed', reason: reasonOf(error) },
        'a sign-in with the provider failed',
      );
      await this.#refuse(reply, 'failed');
    }
  }

  #set(): Oidc {
    if (!this.oidc)
      throw httpError(404, 'This deployment has no provider to sign in with.', null, 'not_found');
    return this.oidc;
  }

  async #refuse(reply: FastifyReply, problem: string): Promise<void> {
    await reply.redirect(`/sign-in?problem=${problem}`, 302);
  }
}

const isTooMany = (error: unknown): boolean => error instanceof HttpException && error.getStatus() === 429;
const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
