import { queryOptions } from '@tanstack/react-query';
import {
  addPasskey as callAddPasskey,
  addTotp as callAddTotp,
  beginPasskey,
  beginTotp as callBeginTotp,
  listFactors,
  makeRecoveryCodes,
  removePasskey as callRemovePasskey,
  removeTotp as callRemoveTotp,
  renamePasskey as callRenamePasskey,
} from './generated/sdk/factors.gen.ts';
import {
  askForProvingPasskey,
  listProofs,
  reauthenticate,
  reauthenticateWithPasskey,
} from './generated/sdk/profile.gen.ts';
import {
  askForSecondPasskey,
  getSecondStep,
  showCode as callShowCode,
  showSecondPasskey,
} from './generated/sdk/sign-in.gen.ts';
import type { AddedFactor, Passkey, ReauthenticateData } from './generated/types.gen.ts';
import { makePasskey, signWithPasskey } from './passkeys.ts';
import { read } from './result.ts';
import { keepSignedIn } from './session.ts';

export type { AddedFactor as Added, Factors, Passkey } from './generated/types.gen.ts';

export const factorsQuery = queryOptions({
  queryKey: ['factors'],
  queryFn: ({ signal }) => read(listFactors({ signal })),
});

export const beginTotp = () => read(callBeginTotp({ body: {} }));

export const addTotp = (code: string) => keepEntered(read(callAddTotp({ body: { code } })));

export const removeTotp = () => read(callRemoveTotp());

export async function addPasskey(name: string): Promise<AddedFactor> {
  const response = await makePasskey(await read(beginPasskey({ body: {} })));
  return keepEntered(read(callAddPasskey({ body: { name, response } })));
}

export const renamePasskey = ({ id, name }: Pick<Passkey, 'id' | 'name'>) =>
  read(callRenamePasskey({ path: { passkey: id }, body: { name } }));

export const removePasskey = (id: string) => read(callRemovePasskey({ path: { passkey: id } }));

export const newRecoveryCodes = () => read(makeRecoveryCodes({ body: {} }));

async function keepEntered(adding: Promise<AddedFactor>): Promise<AddedFactor> {
  const added = await adding;
  if (added.session) await keepSignedIn(Promise.resolve(added.session));
  return added;
}

/** What is still wanted of whoever has shown the password. */
export const stepQuery = queryOptions({
  queryKey: ['second-factor'],
  queryFn: ({ signal }) => read(getSecondStep({ signal })),
  gcTime: 0,
});

export const showCode = (code: string) => keepSignedIn(read(callShowCode({ body: { code } })));

export async function showPasskey() {
  const response = await signWithPasskey(await read(askForSecondPasskey({ body: {} })));
  return keepSignedIn(read(showSecondPasskey({ body: { response } })));
}

/** How one can prove once more who one is. */
export const proofQuery = queryOptions({
  queryKey: ['proof'],
  queryFn: ({ signal }) => read(listProofs({ signal })),
  gcTime: 0,
});

export const proveBy = (body: ReauthenticateData['body']) => read(reauthenticate({ body }));

export async function proveByPasskey() {
  const response = await signWithPasskey(await read(askForProvingPasskey({ body: {} })));
  return read(reauthenticateWithPasskey({ body: { response } }));
}
