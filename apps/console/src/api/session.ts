import { queryOptions } from '@tanstack/react-query';
import { browserStorage } from '../shared/browser-storage.ts';
import { getSession, signIn as callSignIn, signOut as callSignOut } from './generated/sdk/sign-in.gen.ts';
import type { SecondStep, Session, SignedIn, SignInData } from './generated/types.gen.ts';
import { ApiError, read } from './result.ts';

export type { FactorMethod, SecondStep, SignedIn } from './generated/types.gen.ts';

export type Entered = Session | SecondStep;

export const isStep = (entered: Entered): entered is SecondStep => 'second_factor' in entered;

const ask = (): Promise<SignedIn | null> =>
  read(getSession()).catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 401) {
      browserStorage.forget('signed-in');
      return null;
    }
    throw error;
  });

/** Null for nobody. A browser that never signed in here has no session to ask for. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: () => (browserStorage.read('signed-in') === null ? null : ask()),
  staleTime: 60_000,
});

/** Remembers that this browser has a session to ask for. */
export async function keepSignedIn<T extends Entered>(entering: Promise<T>): Promise<T> {
  const entered = await entering;
  if (!isStep(entered)) browserStorage.write('signed-in', 'yes');
  return entered;
}

export const signIn = (body: SignInData['body']) => keepSignedIn(read(callSignIn({ body })));

/** Somebody came back from a provider, which this browser does not know yet. */
export const noteArrival = (): void => browserStorage.write('signed-in', 'yes');

/** Ends the session, which may be over already. @throws ApiError where it may still stand. */
export async function signOut(): Promise<void> {
  try {
    await read(callSignOut());
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 401)) throw error;
  }
  browserStorage.forget('signed-in');
}
