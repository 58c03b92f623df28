import { hash, verify } from '@node-rs/argon2';

/** Argon2id with the library's defaults, which follow the OWASP recommendation. */
export const hashPassword = (password: string): Promise<string> => hash(password);

/** Checked when there is no such user, so that both answers take the same time. */
const NOBODY = hashPassword('nobody has this password');

/** Whether a password is the stored one; never where none is stored. */
export async function checkPassword(stored: string | null | undefined, password: string): Promise<boolean> {
  const right = await verify(stored ?? (await NOBODY), password);
  return right && typeof stored === 'string';
}
