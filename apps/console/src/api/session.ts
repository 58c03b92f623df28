import { queryOptions } from '@tanstack/react-query';
import type { Role } from '@tollgate/vocabulary';
import { kept } from '../shared/kept.ts';
import {
  billingAuthControllerLogin,
  billingAuthControllerLogout,
  billingAuthControllerSession,
} from './generated/sdk/billing-auth.gen.ts';
import { ApiError, bodyOf } from './result.ts';

/** Who is signed in. */
export interface Session {
  readonly user_id: string;
  readonly account_id: string;
  readonly email: string;
  readonly role: Role;
}

/** How somebody shows that they are who the password says. */
export type FactorMethod = 'totp' | 'passkey' | 'recovery_code';

/** What is still wanted of somebody who is not signed in yet: to show the second factor, or to get one. */
export interface SecondStep {
  readonly second_factor: 'verify' | 'enrol';
  readonly methods: readonly FactorMethod[];
}

export type Entered = Session | SecondStep;

export const isStep = (entered: Entered): entered is SecondStep => 'second_factor' in entered;

const ask = (): Promise<Session | null> =>
  bodyOf<Session>(billingAuthControllerSession()).catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 401) {
      kept.forget('signed-in');
      return null;
    }
    throw error;
  });

/** Null for nobody. A browser that never signed in here has no session to ask for. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: () => (kept.read('signed-in') === null ? null : ask()),
  staleTime: 60_000,
});

/** Remembers that this browser has a session to ask for. */
export async function keepSignedIn<T extends Entered>(entering: Promise<T>): Promise<T> {
  const entered = await entering;
  if (!isStep(entered)) kept.write('signed-in', 'yes');
  return entered;
}

export const signIn = (body: { email: string; password: string }): Promise<Entered> =>
  keepSignedIn(bodyOf<Entered>(billingAuthControllerLogin({ body })));

/** Somebody came back from a provider, which this browser does not know yet. */
export const noteArrival = (): void => kept.write('signed-in', 'yes');

export async function signOut(): Promise<void> {
  kept.forget('signed-in');
  await bodyOf(billingAuthControllerLogout({ headers: { 'Content-Type': 'application/json' } }));
}
