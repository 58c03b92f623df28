import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';

/** Where passkeys are good: they are bound to the name of a site, and made and used at its address only. */
export interface PasskeySite {
  /** The name of the host. */
  readonly rpId: string;
  readonly origin: string;
}

/** @returns undefined for what passkeys cannot be bound to: no address, an IP address, plain HTTP of another machine. */
export function passkeySite(publicUrl: string | undefined): PasskeySite | undefined {
  if (publicUrl === undefined) return undefined;
  const { hostname, origin, protocol } = new URL(publicUrl);
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost');
  if (protocol !== 'https:' && !isLocal) return undefined;
  if (/^[\d.]+$|^\[/.test(hostname)) return undefined;
  return { rpId: hostname, origin };
}

export interface StoredPasskey {
  readonly credentialId: string;
  readonly publicKey: Uint8Array<ArrayBuffer>;
  readonly counter: number;
  readonly transports: readonly string[];
}

interface Owner {
  readonly id: string;
  readonly email: string;
  readonly name: string;
}

/** What the browser needs to make a passkey. One that can be found without a name can also sign in without one. */
export const creationOptions = (
  site: PasskeySite,
  { id, email, name }: Owner,
  existing: readonly StoredPasskey[],
): Promise<PublicKeyCredentialCreationOptionsJSON> =>
  generateRegistrationOptions({
    rpName: 'Tollgate',
    rpID: site.rpId,
    userID: new Uint8Array(Buffer.from(id)),
    userName: email,
    userDisplayName: name === '' ? email : name,
    excludeCredentials: existing.map(({ credentialId, transports }) => ({
      id: credentialId,
      transports: [...transports],
    })),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
  });

/** @returns undefined for what was not made for this challenge at this site. */
export async function madePasskey(
  site: PasskeySite,
  challenge: string,
  response: RegistrationResponseJSON,
): Promise<StoredPasskey | undefined> {
  const result = await verifyRegistrationResponse({
    response,
    expectedChallenge: challenge,
    expectedOrigin: site.origin,
    expectedRPID: site.rpId,
    requireUserVerification: false,
  }).catch(() => undefined);
  if (!result?.verified) return undefined;
  const { id, publicKey, counter } = result.registrationInfo.credential;
  return { credentialId: id, publicKey, counter, transports: response.response.transports ?? [] };
}

/** What the browser needs to use a passkey: one of these, or, of none, whichever the person chooses. */
export const requestOptions = (
  site: PasskeySite,
  allowed: readonly StoredPasskey[],
  isAlone: boolean,
): Promise<PublicKeyCredentialRequestOptionsJSON> =>
  generateAuthenticationOptions({
    rpID: site.rpId,
    allowCredentials: allowed.map(({ credentialId, transports }) => ({
      id: credentialId,
      transports: [...transports],
    })),
    userVerification: isAlone ? 'required' : 'preferred',
  });

/**
 * What a passkey's counter says after a use of it.
 *
 * @param isAlone whether it stands for the password too: then the device must have checked who holds it.
 * @returns undefined for what was not signed for this challenge at this site, and for a counter that goes back: a copy.
 */
export async function usedPasskey(
  site: PasskeySite,
  challenge: string,
  response: AuthenticationResponseJSON,
  { credentialId, publicKey, counter }: StoredPasskey,
  isAlone: boolean,
): Promise<{ readonly counter: number } | undefined> {
  const result = await verifyAuthenticationResponse({
    response,
    expectedChallenge: challenge,
    expectedOrigin: site.origin,
    expectedRPID: site.rpId,
    credential: { id: credentialId, publicKey, counter },
    requireUserVerification: isAlone,
  }).catch(() => undefined);
  return result?.verified ? { counter: result.authenticationInfo.newCounter } : undefined;
}
