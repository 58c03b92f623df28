import { hash, verify } from '@node-rs/argon2';

/** Each takes 19 MiB and some tens of milliseconds of a core; the others wait, and too many are refused. */
const MAX_AT_ONCE = 4;
const MAX_WAITING = 64;

const waiting: (() => void)[] = [];
let running = 0;

/** More sign-ins at once than there is memory and time for. */
class TooManyHashesError extends Error {
  override readonly name = 'TooManyHashesError';
  readonly statusCode = 429;
}

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= MAX_AT_ONCE) {
    if (waiting.length >= MAX_WAITING)
      throw new TooManyHashesError('Too many people sign in at the moment. Try again in a few seconds.');
    await new Promise<void>((resolve) => waiting.push(resolve));
  } else {
    running += 1;
  }
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }
}

/** Argon2id with the library's defaults, which follow the OWASP recommendation. */
export const hashPassword = (password: string): Promise<string> => inTurn(() => hash(password));

/** Checked when there is no such user, so that both answers take the same time. */
const NOBODY = hashPassword('nobody has this password');

/** Whether a password is the stored one; never where none is stored. */
export async function checkPassword(stored: string | null | undefined, password: string): Promise<boolean> {
  const right = await inTurn(async () => verify(stored ?? (await NOBODY), password));
  return right && typeof stored === 'string';
}
