import { column, hasRows, readRow } from '@tollgate/platform';
import { timingSafeEqual } from 'node:crypto';
import type { Logger } from '@tollgate/platform';
import type { DataSource, EntityManager } from 'typeorm';
import { z } from 'zod';
import { hashToken, newToken } from '../members/one-time-token.ts';

type Runs = Pick<DataSource | EntityManager, 'query'>;

const setupNeededRow = z.object({ needed: column.boolean });

/** Whether nobody owns this deployment yet. */
export async function isSetupNeeded(database: Runs): Promise<boolean> {
  const row = await readRow(
    database,
    setupNeededRow,
    `SELECT NOT EXISTS (SELECT FROM billing.app_user WHERE role = 'owner') AS needed`,
  );
  return row?.needed === true;
}

/**
 * Makes a token for the first owner and writes it to the log, which only those who run the deployment read. A deployment with an
 * owner, or one whose token was set by its operator, needs none. Each replica has a token of its own; all are good.
 */
export async function offerSetup(
  database: Runs,
  logger: Pick<Logger, 'warn'>,
  setToken: string | undefined,
): Promise<void> {
  if (!(await isSetupNeeded(database))) return;
  if (setToken !== undefined) {
    logger.warn(
      { event: 'setup_open' },
      'nobody owns this deployment yet: open /setup in the console with SETUP_TOKEN',
    );
    return;
  }
  const token = newToken();
  await database.query('INSERT INTO billing.setup_token (token_hash) VALUES ($1)', [hashToken(token)]);
  logger.warn(
    { event: 'setup_open', setup_token: token },
    'nobody owns this deployment yet: open /setup in the console with this token',
  );
}

/** Whether a token lets somebody set the deployment up. */
export async function isSetupToken(
  database: Runs,
  token: string,
  setToken: string | undefined,
): Promise<boolean> {
  const hashed = hashToken(token);
  if (setToken !== undefined) return timingSafeEqual(Buffer.from(hashed), Buffer.from(hashToken(setToken)));
  return hasRows(database, 'SELECT 1 FROM billing.setup_token WHERE token_hash = $1', [hashed]);
}
