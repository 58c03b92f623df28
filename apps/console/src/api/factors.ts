import { queryOptions } from '@tanstack/react-query';
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser';
import {
  billingFactorsControllerAddPasskey,
  billingFactorsControllerAddTotp,
  billingFactorsControllerBeginTotp,
  billingFactorsControllerList,
  billingFactorsControllerNewRecoveryCodes,
  billingFactorsControllerPasskeyOptions,
  billingFactorsControllerRemovePasskey,
  billingFactorsControllerRemoveTotp,
  billingFactorsControllerRenamePasskey,
} from './generated/sdk/billing-factors.gen.ts';
import {
  billingReauthenticationControllerAsk,
  billingReauthenticationControllerPasskey,
  billingReauthenticationControllerPasskeyOptions,
  billingReauthenticationControllerProve,
} from './generated/sdk/billing-reauthentication.gen.ts';
import {
  billingSecondFactorControllerAsk,
  billingSecondFactorControllerCode,
  billingSecondFactorControllerPasskey,
  billingSecondFactorControllerPasskeyOptions,
} from './generated/sdk/billing-second-factor.gen.ts';
import { makePasskey, usePasskeyOf } from './passkeys.ts';
import { bodyOf } from './result.ts';
import { type FactorMethod, keepSignedIn, type SecondStep, type Session } from './session.ts';

export interface Passkey {
  readonly id: string;
  readonly name: string;
  readonly created_at: string;
  readonly last_used_at: string | null;
}

/** One's own second factors. */
export interface Factors {
  readonly is_required: boolean;
  readonly passkey_origin: string | null;
  readonly totp: { readonly created_at: string; readonly last_used_at: string | null } | null;
  readonly passkeys: readonly Passkey[];
  readonly recovery_codes_left: number;
  /** When somebody else took them away, and who. */
  readonly last_reset: { readonly at: string; readonly by: string } | null;
}

export interface Added {
  /** Of a first factor; shown this once. */
  readonly recovery_codes: readonly string[] | null;
  /** Of who was not signed in before. */
  readonly session: Session | null;
}

export const factorsQuery = queryOptions({
  queryKey: ['factors'],
  queryFn: ({ signal }) => bodyOf<Factors>(billingFactorsControllerList({ signal })),
});

export const beginTotp = (): Promise<{ readonly secret: string; readonly uri: string }> =>
  bodyOf(billingFactorsControllerBeginTotp({ body: {} }));

export const addTotp = (code: string): Promise<Added> =>
  keepEntered(bodyOf(billingFactorsControllerAddTotp({ body: { code } })));

export const removeTotp = (): Promise<void> => bodyOf(billingFactorsControllerRemoveTotp());

export async function addPasskey(name: string): Promise<Added> {
  const response = await makePasskey(
    await bodyOf<PublicKeyCredentialCreationOptionsJSON>(
      billingFactorsControllerPasskeyOptions({ body: {} }),
    ),
  );
  return keepEntered(bodyOf(billingFactorsControllerAddPasskey({ body: { name, response } })));
}

export const renamePasskey = ({ id, name }: Pick<Passkey, 'id' | 'name'>): Promise<void> =>
  bodyOf(billingFactorsControllerRenamePasskey({ path: { passkey: id }, body: { name } }));

export const removePasskey = (id: string): Promise<void> =>
  bodyOf(billingFactorsControllerRemovePasskey({ path: { passkey: id } }));

export const newRecoveryCodes = (): Promise<{ readonly recovery_codes: readonly string[] }> =>
  bodyOf(billingFactorsControllerNewRecoveryCodes({ body: {} }));

async function keepEntered(adding: Promise<Added>): Promise<Added> {
  const added = await adding;
  if (added.session) await keepSignedIn(Promise.resolve(added.session));
  return added;
}

/** What is still wanted of whoever has shown the password. */
export const stepQuery = queryOptions({
  queryKey: ['second-factor'],
  queryFn: ({ signal }) => bodyOf<SecondStep>(billingSecondFactorControllerAsk({ signal })),
  gcTime: 0,
});

export const showCode = (code: string): Promise<Session> =>
  keepSignedIn(bodyOf<Session>(billingSecondFactorControllerCode({ body: { code } })));

export async function showPasskey(): Promise<Session> {
  const response = await usePasskeyOf(
    await bodyOf<PublicKeyCredentialRequestOptionsJSON>(
      billingSecondFactorControllerPasskeyOptions({ body: {} }),
    ),
  );
  return keepSignedIn(bodyOf<Session>(billingSecondFactorControllerPasskey({ body: { response } })));
}

type ProofMethod = FactorMethod | 'password' | 'provider';

/** How one can prove once more who one is. */
export const proofQuery = queryOptions({
  queryKey: ['proof'],
  queryFn: ({ signal }) =>
    bodyOf<{ readonly methods: readonly ProofMethod[] }>(billingReauthenticationControllerAsk({ signal })),
  gcTime: 0,
});

export const proveBy = (body: { password: string } | { code: string }): Promise<void> =>
  bodyOf(billingReauthenticationControllerProve({ body }));

export async function proveByPasskey(): Promise<void> {
  const response = await usePasskeyOf(
    await bodyOf<PublicKeyCredentialRequestOptionsJSON>(
      billingReauthenticationControllerPasskeyOptions({ body: {} }),
    ),
  );
  return bodyOf(billingReauthenticationControllerPasskey({ body: { response } }));
}
