import { Body, Controller, Get, HttpCode, HttpException, Inject, Post, Req, Res } from '@nestjs/common';
import type { ResilientLimiter } from '@tollgate/limits';
import { AllowAnybody, httpError, type Logger, requireSameSite, unavailable } from '@tollgate/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import { audit } from '../audit-log/audit.ts';
import { originOf } from '../auth/begin-session.ts';
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

export const departBody = z
  .strictObject({
    next: z
      .string()
      .max(2_000)
      .regex(/^\/(?![/\\])[^\\\t\r\n]*$/, 'must be a path of the console')
      .default('/')
      .meta({ description: 'The path of the console to go on to' }),
    again: z
      .enum(['yes', 'no'])
      .default('no')
      .meta({ description: 'Whether the provider is to ask for the password, though it knows the person' }),
  })
  .meta({ examples: [{ next: '/usage' }] });

@Controller('api/auth/oidc')
export class OidcController {
  constructor(
    @Inject(DATABASE) private readonly database: DataSource,
    @Inject(LIMITER) private readonly limiter: ResilientLimiter,
    @Inject(OIDC) private readonly oidc: Oidc | null,
    @Inject(SignIns) private readonly signIns: SignIns,
    @Inject(KnownDevices) private readonly devices: KnownDevices,
  ) {}

  /** Whether people may sign in with a provider, and what it is called. */
  @Get()
  @AllowAnybody()
  ask(): { readonly enabled: boolean; readonly name: string | null } {
    return { enabled: this.oidc !== null, name: this.oidc?.settings.name ?? null };
  }

  /**
   * Where a browser goes to sign in with the provider. Only a page of our own may ask; whoever is signed in stays so until
   * somebody has come back.
   */
  @Post('start')
  @AllowAnybody()
  @HttpCode(200)
  async start(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Body({ schema: departBody }) { next, again }: z.infer<typeof departBody>,
  ): Promise<{ readonly url: string }> {
    requireSameSite(request);
    const { provider } = this.#set();
    await countTry(this.limiter, reply, this.devices.triesOf('oidc', request), 'sign in');
    const { url, departure } = await provider.depart(next, again === 'yes').catch((error: unknown) => {
      throw unavailable('Your provider does not answer. Try again, or use your password.', error);
    });
    if (request.session.begunAt === undefined) {
      await request.session.regenerate();
      Object.assign(request.session, originOf(request));
    }
    request.session.departure = departure;
    return { url };
  }

  /** Takes a browser back from the provider. */
  @Get('callback')
  @AllowAnybody()
  async callback(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
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
      logger.warn({ reason: reasonOf(error) }, 'a sign-in with the provider failed');
      await this.#refuse(reply, 'failed');
    }
  }

  #set(): Oidc {
    if (!this.oidc) throw httpError(404, 'This house has no provider to sign in with.');
    return this.oidc;
  }

  async #refuse(reply: FastifyReply, problem: string): Promise<void> {
    await reply.redirect(`/sign-in?problem=${problem}`, 302);
  }
}

const isTooMany = (error: unknown): boolean => error instanceof HttpException && error.getStatus() === 429;
const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
