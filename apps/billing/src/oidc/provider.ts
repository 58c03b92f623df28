import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  type Configuration,
  discovery,
  enableNonRepudiationChecks,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client';
import type { OidcSettings } from './oidc-config.ts';

/** Who is asked once more has this long for it. */
const AGAIN_S = 300;

const CALLBACK_PATH = '/api/auth/oidc/callback';

/** What the session keeps between the way to the provider and the way back. */
export interface Departure {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** The path of the console to go on to. */
  readonly next: string;
  /** Whether they are to prove there once more who they are. */
  readonly isAgain: boolean;
}

/** Who the provider says that somebody is. */
export interface Claims {
  readonly issuer: string;
  readonly subject: string;
  readonly email: string | undefined;
  readonly isEmailVerified: boolean;
  readonly name: string;
  /** When they last proved to the provider who they are; undefined where it does not say. */
  readonly authenticatedAt: Date | undefined;
  /** Whether the provider says that they showed a second factor. */
  readonly hasSecondFactor: boolean;
}

/** Sends people to the provider and hears who they are: the code flow of OpenID Connect with PKCE, state and nonce. */
export interface Provider {
  depart(next: string, isAgain?: boolean): Promise<{ readonly url: string; readonly departure: Departure }>;
  /**
   * @param query of the callback, with its `?`.
   * @throws for whatever does not belong to that departure, or was not signed by the provider.
   */
  arrive(query: string, departure: Departure): Promise<Claims>;
}

/** The provider is asked for its addresses and keys when the first person signs in, not at start. */
export function createProvider(settings: OidcSettings): Provider {
  const redirectUri = `${settings.publicUrl}${CALLBACK_PATH}`;
  let found: Promise<Configuration> | undefined;
  const configuration = (): Promise<Configuration> => {
    found ??= discover(settings).catch((error: unknown) => {
      found = undefined;
      throw error;
    });
    return found;
  };
  return {
    async depart(next, isAgain = false) {
      const [config, verifier] = [await configuration(), randomPKCECodeVerifier()];
      const departure = { state: randomState(), nonce: randomNonce(), verifier, next, isAgain };
      const url = buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: 'openid email profile',
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state: departure.state,
        nonce: departure.nonce,
        ...(isAgain ? { prompt: 'login', max_age: String(AGAIN_S) } : {}),
      });
      return { url: url.href, departure };
    },
    async arrive(query, { state, nonce, verifier, isAgain }) {
      const tokens = await authorizationCodeGrant(await configuration(), new URL(redirectUri + query), {
        pkceCodeVerifier: verifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
        ...(isAgain ? { maxAge: AGAIN_S } : {}),
      });
      const claims = tokens.claims();
      if (!claims) throw new Error('the provider sent no id token');
      return {
        issuer: claims.iss,
        subject: claims.sub,
        email: typeof claims['email'] === 'string' ? claims['email'] : undefined,
        isEmailVerified: claims['email_verified'] === true,
        name: typeof claims['name'] === 'string' ? claims['name'] : '',
        authenticatedAt:
          typeof claims.auth_time === 'number' ? new Date(claims.auth_time * 1_000) : undefined,
        hasSecondFactor: showsSecondFactor(settings.secondFactor, claims),
      };
    },
  };
}

function discover({ issuer, clientId, clientSecret }: OidcSettings): Promise<Configuration> {
  const url = new URL(issuer);
  // Signatures are checked although the tokens come from the provider itself. Plain HTTP is for a provider on the
  // operator's own machine or network, which the operator named so.
  const execute = [enableNonRepudiationChecks, ...(url.protocol === 'http:' ? [allowInsecureRequests] : [])];
  return discovery(url, clientId, clientSecret, undefined, { execute, timeout: 10 });
}

/** Whether `amr` (RFC 8176) or `acr` names one of what counts. */
function showsSecondFactor(counting: readonly string[], claims: Readonly<Record<string, unknown>>): boolean {
  if (counting.includes('*')) return true;
  return [claims['amr'], claims['acr']]
    .flat()
    .some((each) => typeof each === 'string' && counting.includes(each));
}
