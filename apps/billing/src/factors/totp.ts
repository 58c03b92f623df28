import { generateSecret, generateURI, verifySync } from 'otplib';

const PERIOD_S = 30;
const CODE = /^\d{6}$/;

/** 160 random bits in base32, which authenticator apps take. */
export const newTotpSecret = (): string => generateSecret();

/** What the app reads from the square. */
export const totpUri = (secret: string, email: string): string =>
  generateURI({ issuer: 'Tollgate', label: email, secret });

/** Whether a text can be a code of an app; spaces are for reading. */
export const isTotpCode = (code: string): boolean => CODE.test(withoutSpaces(code));

/**
 * The step of time that a code is of: that of now, or the one before or after, for clocks that differ. It must be after
 * the step that was used last, so that a code that was seen is of no use.
 */
export function totpStep(secret: string, code: string, after: number, now: Date): number | undefined {
  if (!isTotpCode(code)) return undefined;
  const result = verifySync({
    secret,
    token: withoutSpaces(code),
    epoch: Math.floor(now.getTime() / 1_000),
    epochTolerance: PERIOD_S,
  });
  return result.valid && 'timeStep' in result && result.timeStep > after ? result.timeStep : undefined;
}

const withoutSpaces = (code: string): string => code.replaceAll(/\s/g, '');
