import { column, type Keyring, type Logger, readRows, reseal, seal, unseal } from '@tollgate/platform';
import type { DataSource } from 'typeorm';
import { z } from 'zod';

/** Seals a secret for one person: in another's row it opens nothing. */
export const sealSecret = (keys: Keyring, userId: string, secret: string): string =>
  seal(`${userId} ${secret}`, keys[0]);

/** @throws where it was sealed with none of the keys, for another person, or changed since. */
export function unsealSecret(keys: Keyring, userId: string, sealed: string): string {
  const [owner, secret] = unseal(sealed, keys).split(' ');
  if (owner !== userId || secret === undefined) throw new Error('sealed for another person');
  return secret;
}

const sealedSecretRow = z.object({ user_id: column.uuid, secret: column.text });

/** Seals again what an earlier key sealed, so that the key can go. */
export async function resealSecrets(database: DataSource, keys: Keyring, logger: Logger): Promise<void> {
  const rows = await readRows(database, sealedSecretRow, 'SELECT user_id, secret FROM billing.totp');
  let unopened = 0;
  for (const { user_id, secret } of rows) {
    try {
      const again = reseal(secret, keys);
      if (again === secret) continue;
      // Not over what was put there meanwhile.
      await database.query('UPDATE billing.totp SET secret = $3 WHERE user_id = $1 AND secret = $2', [
        user_id,
        secret,
        again,
      ]);
    } catch {
      unopened += 1;
    }
  }
  if (unopened > 0)
    logger.error(
      { event: 'factor_seal_key_missing', count: unopened },
      'secrets of authenticator apps were sealed with a key that is not here',
    );
}
