import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server';
import { Inject, Injectable } from '@nestjs/common';
import type { ResilientLimiter } from '@tollgate/limits';
import { httpError } from '@tollgate/platform';
import type { FastifyReply } from 'fastify';
import type { DataSource } from 'typeorm';
import type { UserEntity } from '../accounts/user.entity.ts';
import { audit } from '../audit-log/audit.ts';
import { KnownDevices } from '../auth/known-devices.ts';
import { countTry, TRIES_PER_MINUTE } from '../auth/tries.ts';
import { DATABASE, FACTORS, LIMITER } from '../provided.ts';
import type { FactorSettings } from './factor-config.ts';
import {
  countPasskeyUse,
  findPasskey,
  listPasskeys,
  summarizeFactors,
  takeTotpTry,
  useRecoveryCode,
  useTotpStep,
} from './factor-store.ts';
import { type PasskeySite, requestOptions, usedPasskey } from './passkeys.ts';
import { sealSecret, unsealSecret } from './sealed-secret.ts';
import { isTotpCode, totpStep } from './totp.ts';

/** How somebody shows that they are who the password says. */
export type FactorKind = 'totp' | 'passkey' | 'recovery_code';

type Person = Pick<UserEntity, 'id' | 'accountId' | 'email' | 'role'>;

/** Checks what people show besides their password. Each code is good once, and tries are counted. */
@Injectable()
export class FactorChecks {
  constructor(
    @Inject(DATABASE) private readonly database: DataSource,
    @Inject(LIMITER) private readonly limiter: ResilientLimiter,
    @Inject(FACTORS) private readonly settings: FactorSettings,
    @Inject(KnownDevices) private readonly devices: KnownDevices,
  ) {}

  /** How a person can show it; nothing for who has no second factor. */
  async methodsOf(userId: string): Promise<FactorKind[]> {
    const { totp, passkeys, recoveryCodesLeft } = await summarizeFactors(this.database, userId);
    if (!totp && passkeys.length === 0) return [];
    return [
      ...(totp ? (['totp'] as const) : []),
      ...(passkeys.length > 0 ? (['passkey'] as const) : []),
      ...(recoveryCodesLeft > 0 ? (['recovery_code'] as const) : []),
    ];
  }

  /**
   * Takes a code of the person's app, or one of their recovery codes.
   *
   * @throws HttpException 400 for a wrong one, 429 for too many.
   */
  async requireCode(reply: FastifyReply, person: Person, code: string): Promise<FactorKind> {
    await this.#countTry(reply, person, 'show a code');
    const kind = isTotpCode(code) ? 'totp' : 'recovery_code';
    const isRight =
      kind === 'totp'
        ? await this.#useTotp(reply, person.id, code)
        : await useRecoveryCode(this.database, person.id, code);
    if (isRight) {
      if (kind === 'recovery_code')
        await audit(this.database, { ...about(person), action: 'factor.use-recovery-code' });
      return kind;
    }
    await this.#noteFailure(person, kind);
    throw httpError(
      400,
      'code: this one is wrong, or was used already. Take the next one.',
      'code',
      'wrong_code',
    );
  }

  /** What the browser needs to use one of the person's passkeys. @throws HttpException 409 where they have none. */
  async passkeyOptions(userId: string): Promise<PublicKeyCredentialRequestOptionsJSON> {
    const passkeys = await listPasskeys(this.database, userId);
    if (passkeys.length === 0) throw httpError(409, 'You have no passkey here.', null, 'no_passkey');
    return requestOptions(this.requireSite(), passkeys, false);
  }

  /**
   * Takes an answer of a passkey to a challenge.
   *
   * @throws HttpException 400 for one that is not the person's, or was not made for this challenge at this site.
   */
  async requirePasskey(
    reply: FastifyReply,
    person: Person,
    challenge: string,
    response: AuthenticationResponseJSON,
  ): Promise<FactorKind> {
    await this.#countTry(reply, person, 'show a passkey');
    const owner = await this.#usePasskey(challenge, response, false, person.id);
    if (owner !== undefined) return 'passkey';
    await this.#noteFailure(person, 'passkey');
    throw wrongPasskey();
  }

  /** Whose passkey an answer is, which stands for the password too. @throws HttpException 400 */
  async requireOwner(challenge: string, response: AuthenticationResponseJSON): Promise<string> {
    const owner = await this.#usePasskey(challenge, response, true);
    if (owner === undefined) throw wrongPasskey();
    return owner;
  }

  /** @throws HttpException 409 where this deployment has no address that passkeys can be bound to. */
  requireSite(): PasskeySite {
    const { site } = this.settings;
    if (!site)
      throw httpError(
        409,
        'Passkeys need PUBLIC_URL of billing to be an https:// address, or http://localhost.',
        null,
        'passkeys_need_https',
      );
    return site;
  }

  /** Few are left to strangers who know the password; a browser that the person used before has its own. */
  #countTry(reply: FastifyReply, { email }: Person, what: string): Promise<void> {
    const named = { email, perMinute: TRIES_PER_MINUTE };
    return countTry(this.limiter, reply, this.devices.triesOf('factor', reply.request, named), what);
  }

  async #useTotp(reply: FastifyReply, userId: string, code: string): Promise<boolean> {
    const taken = await takeTotpTry(this.database, userId);
    if (taken === undefined) return false;
    if (typeof taken === 'number') {
      void reply.header('retry-after', String(taken));
      throw httpError(
        429,
        `Too many wrong codes. Wait ${taken} s, or take a passkey or a recovery code.`,
        'code',
        'too_many_wrong_codes',
        { seconds: taken },
      );
    }
    const { keys } = this.settings;
    const secret = unsealSecret(keys, userId, taken.secret);
    const step = totpStep(secret, code, taken.lastStep, new Date());
    return step !== undefined && useTotpStep(this.database, userId, step, sealSecret(keys, userId, secret));
  }

  async #usePasskey(
    challenge: string,
    response: AuthenticationResponseJSON,
    isAlone: boolean,
    userId?: string,
  ): Promise<string | undefined> {
    const passkey = await findPasskey(this.database, response.id);
    if (!passkey || (userId !== undefined && passkey.userId !== userId)) return undefined;
    const used = await usedPasskey(this.requireSite(), challenge, response, passkey, isAlone);
    if (!used || !(await countPasskeyUse(this.database, passkey, used.counter))) return undefined;
    return passkey.userId;
  }

  #noteFailure(person: Person, kind: FactorKind): Promise<void> {
    return audit(this.database, { ...about(person), action: 'factor.failed', reason: kind });
  }
}

const wrongPasskey = () =>
  httpError(
    400,
    'This passkey is not known here, or its answer is not for this sign-in. Try again.',
    'response',
    'passkey_unknown',
  );

/** Of an entry about a person that they make themselves, also while nobody is signed in yet. */
export const about = ({ id, accountId, email, role }: Person) => ({
  object: `user ${id}`,
  accountId,
  actor: { email, userId: id, role },
});
