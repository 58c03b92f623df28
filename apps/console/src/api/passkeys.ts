import { queryOptions } from '@tanstack/react-query';
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser';
import { askForPasskey, getPasskeySite, signInWithPasskey } from './generated/sdk/sign-in.gen.ts';
import { read } from './result.ts';
import { type Entered, keepSignedIn } from './session.ts';

/** Talks to the device; loaded when it is first needed. */
const device = () => import('@simplewebauthn/browser');

/** Whether this browser, at this address, can use passkeys. */
export const passkeySiteQuery = queryOptions({
  queryKey: ['passkey-site'],
  queryFn: async ({ signal }) => {
    if (!('PublicKeyCredential' in window)) return false;
    const { origin } = await read(getPasskeySite({ signal }));
    return origin === window.location.origin;
  },
  staleTime: Infinity,
});

export async function makePasskey(optionsJSON: PublicKeyCredentialCreationOptionsJSON) {
  const { response, ...made } = await (await device()).startRegistration({ optionsJSON });
  const { clientDataJSON, attestationObject, transports = [] } = response;
  return { ...only(made), response: { clientDataJSON, attestationObject, transports: known(transports) } };
}

export async function signWithPasskey(optionsJSON: PublicKeyCredentialRequestOptionsJSON) {
  const { response, ...used } = await (await device()).startAuthentication({ optionsJSON });
  const { clientDataJSON, authenticatorData, signature } = response;
  return { ...only(used), response: { clientDataJSON, authenticatorData, signature } };
}

const only = ({ id, rawId }: { readonly id: string; readonly rawId: string }) => ({
  id,
  rawId,
  type: 'public-key' as const,
  clientExtensionResults: {},
});

const TRANSPORTS = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'] as const;
const known = (transports: readonly string[]) => TRANSPORTS.filter((each) => transports.includes(each));

/** Signs in with a passkey alone. */
export async function signInByPasskey(): Promise<Entered> {
  const response = await signWithPasskey(await read(askForPasskey({ body: {} })));
  return keepSignedIn(read(signInWithPasskey({ body: { response } })));
}
