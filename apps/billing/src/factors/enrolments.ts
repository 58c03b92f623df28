import type {
  PublicKeyCredentialCreationOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { Inject, Injectable } from '@nestjs/common';
import { httpError } from '@tollgate/platform';
import type { DataSource, EntityManager } from 'typeorm';
import { UserEntity } from '../accounts/user.entity.ts';
import { audit } from '../audit-log/audit.ts';
import type { SessionPolicy } from '../auth/session-policy.ts';
import { DATABASE, FACTORS, SESSION_POLICY } from '../provided.ts';
import { about, FactorChecks } from './factor-checks.ts';
import type { FactorSettings } from './factor-config.ts';
import {
  addPasskey,
  deletePasskey,
  deleteRecoveryCodes,
  deleteTotp,
  listPasskeys,
  putRecoveryCodes,
  putTotp,
  renamePasskey,
  summarizeFactors,
} from './factor-store.ts';
import { creationOptions, madePasskey } from './passkeys.ts';
import { newRecoveryCodes } from './recovery-codes.ts';
import { sealSecret, unsealSecret } from './sealed-secret.ts';
import { newTotpSecret, totpStep, totpUri } from './totp.ts';

/** As many as a person has devices. */
const MAX_PASSKEYS = 20;

/** The recovery codes that came with a first factor; null with another one, where there are some. */
export interface Enrolled {
  readonly recovery_codes: readonly string[] | null;
}

/** Who gets a factor. */
interface Enrolment {
  readonly userId: string;
  /** Whether they are not signed in before they have a factor: then it must be their first. */
  readonly isEnrolling: boolean;
}

/** The second factors of people: how they get and lose them. */
@Injectable()
export class Enrolments {
  constructor(
    @Inject(DATABASE) private readonly database: DataSource,
    @Inject(FACTORS) private readonly settings: FactorSettings,
    @Inject(SESSION_POLICY) private readonly policy: SessionPolicy,
    @Inject(FactorChecks) private readonly checks: FactorChecks,
  ) {}

  /** A new secret for an app, which counts once a code shows that the app has it; until then the session keeps it. */
  async beginTotp(userId: string): Promise<{ secret: string; uri: string; sealed: string }> {
    const { email } = await this.database.getRepository(UserEntity).findOneByOrFail({ id: userId });
    const secret = newTotpSecret();
    return { secret, uri: totpUri(secret, email), sealed: sealSecret(this.settings.keys, userId, secret) };
  }

  /** @throws HttpException 400 where the code is not of the secret that was begun with. */
  addTotp(enrolment: Enrolment, sealed: string | undefined, code: string): Promise<Enrolled> {
    if (sealed === undefined)
      throw httpError(400, 'No app is being added. Begin again.', 'code', 'enrolment_gone');
    const secret = unsealSecret(this.settings.keys, enrolment.userId, sealed);
    const step = totpStep(secret, code, 0, new Date());
    if (step === undefined)
      throw httpError(
        400,
        "code: this is not the app's. Is the clock of the device right?",
        'code',
        'wrong_app_code',
      );
    return this.#add(enrolment, 'totp', undefined, async (manager) => {
      await putTotp(manager, enrolment.userId, sealed, step);
    });
  }

  removeTotp(userId: string): Promise<void> {
    return this.#remove(userId, async (manager) => {
      if (!(await deleteTotp(manager, userId)))
        throw httpError(404, 'You have no authenticator app here.', null, 'not_found');
      return { factor: 'totp' };
    });
  }

  async passkeyOptions(userId: string): Promise<PublicKeyCredentialCreationOptionsJSON> {
    const site = this.checks.requireSite();
    const existing = await listPasskeys(this.database, userId);
    if (existing.length >= MAX_PASSKEYS)
      throw httpError(
        409,
        `You have ${MAX_PASSKEYS} passkeys. Remove one that you do not use.`,
        null,
        'too_many_passkeys',
        {
          max: MAX_PASSKEYS,
        },
      );
    const user = await this.database.getRepository(UserEntity).findOneByOrFail({ id: userId });
    return creationOptions(site, user, existing);
  }

  /** @throws HttpException 400 for what was not made for this challenge at this site. */
  async addPasskey(
    enrolment: Enrolment,
    name: string,
    challenge: string,
    response: RegistrationResponseJSON,
  ): Promise<Enrolled> {
    const made = await madePasskey(this.checks.requireSite(), challenge, response);
    if (!made)
      throw httpError(
        400,
        'This passkey was not made for this site. Begin again.',
        'response',
        'passkey_of_another_site',
      );
    return this.#add(enrolment, 'passkey', name, async (manager) => {
      if ((await addPasskey(manager, enrolment.userId, name, made)) === undefined)
        throw httpError(409, 'This passkey is here already.', 'response', 'passkey_known');
    });
  }

  renamePasskey(userId: string, id: string, name: string): Promise<void> {
    return this.database.transaction(async (manager) => {
      const user = await hold(manager, userId);
      const before = await renamePasskey(manager, userId, id, name);
      if (before === undefined) throw httpError(404, 'You have no such passkey.', null, 'not_found');
      const change = { before: { name: before }, after: { name } };
      await audit(manager, { ...about(user), action: 'factor.rename', ...change });
    });
  }

  removePasskey(userId: string, id: string): Promise<void> {
    return this.#remove(userId, async (manager) => {
      const name = await deletePasskey(manager, userId, id);
      if (name === undefined) throw httpError(404, 'You have no such passkey.', null, 'not_found');
      return { factor: 'passkey', name };
    });
  }

  /** New recovery codes; those of before work no more. @throws HttpException 409 for who has no factor. */
  newRecoveryCodes(userId: string): Promise<readonly string[]> {
    return this.database.transaction(async (manager) => {
      const user = await hold(manager, userId);
      if (!(await hasFactor(manager, userId)))
        throw httpError(409, 'Add an authenticator app or a passkey first.', null, 'factor_first');
      const codes = newRecoveryCodes();
      await putRecoveryCodes(manager, userId, codes);
      await audit(manager, { ...about(user), action: 'factor.new-recovery-codes' });
      return codes;
    });
  }

  #add(
    { userId, isEnrolling }: Enrolment,
    factor: string,
    name: string | undefined,
    work: (manager: EntityManager) => Promise<void>,
  ): Promise<Enrolled> {
    return this.database.transaction(async (manager) => {
      const user = await hold(manager, userId);
      const { totp, passkeys, recoveryCodesLeft } = await summarizeFactors(manager, userId);
      // Somebody with the same password was first: this one shows that factor.
      if (isEnrolling && (totp || passkeys.length > 0))
        throw httpError(409, 'You have a second factor meanwhile. Sign in again.', null, 'factor_meanwhile');
      await work(manager);
      await audit(manager, {
        ...about(user),
        action: 'factor.add',
        after: { factor, ...(name === undefined ? {} : { name }) },
      });
      if (recoveryCodesLeft > 0) return { recovery_codes: null };
      const codes = newRecoveryCodes();
      await putRecoveryCodes(manager, userId, codes);
      return { recovery_codes: codes };
    });
  }

  /** Without a factor there is nothing to recover from. */
  #remove(
    userId: string,
    work: (manager: EntityManager) => Promise<Readonly<Record<string, string>>>,
  ): Promise<void> {
    return this.database.transaction(async (manager) => {
      const user = await hold(manager, userId);
      const before = await work(manager);
      if (!(await hasFactor(manager, userId))) {
        if (this.policy.isFactorRequired(user.role))
          throw httpError(
            409,
            'Your role needs a second factor. Add another one first.',
            null,
            'second_factor_needed_by_role',
          );
        await deleteRecoveryCodes(manager, userId);
      }
      await audit(manager, { ...about(user), action: 'factor.remove', before });
    });
  }
}

/** Whoever changes a person's factors waits here for the others who do. */
async function hold(manager: EntityManager, userId: string): Promise<UserEntity> {
  await manager.query('SELECT 1 FROM billing.app_user WHERE id = $1 FOR NO KEY UPDATE', [userId]);
  return manager.findOneByOrFail(UserEntity, { id: userId });
}

async function hasFactor(manager: EntityManager, userId: string): Promise<boolean> {
  const { totp, passkeys } = await summarizeFactors(manager, userId);
  return totp !== null || passkeys.length > 0;
}
