import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openBooks } from '../books.ts';
import { readBalance, type HostileStack } from './hostile-stack.ts';

/**
 * What must hold after every area: the victim has what it had, each request is in the books of who sent it, every service
 * is the process that it was, and no log holds a secret.
 *
 * @returns what does not.
 */
export async function brokenInvariants(
  stack: HostileStack,
  spentByVictim: bigint = 0n,
): Promise<readonly string[]> {
  const { at, victim, secrets } = stack;
  const broken: string[] = [];
  const books = openBooks(at.databaseUrl);
  try {
    const foreign = await books.one(
      `SELECT count(*)::text AS count FROM billing.usage u JOIN billing.api_key k ON k.id = u.key_id
       WHERE u.account_id <> k.account_id`,
    );
    if (foreign['count'] !== '0')
      broken.push(`${foreign['count']} requests are in the books of another account`);
    const below = await books.one(
      `SELECT balance_pico::text AS balance FROM billing.account_balance WHERE account_id = $1`,
      [stack.accountId],
    );
    if (BigInt(below['balance'] ?? '0') < 0n) broken.push(`the attackers owe ${below['balance']} pico-USD`);
  } finally {
    await books.close();
  }
  const balance = await readBalance(at, victim.accountId);
  if (spentByVictim === 0n && balance !== victim.balance)
    broken.push(`the victim has ${balance} USD in place of ${victim.balance}`);
  for (const [file, text] of logsOf(at.home))
    for (const secret of secrets) if (text.includes(secret)) broken.push(`${file} holds a secret`);
  for (const [name, pid] of Object.entries(at.pids ?? {}))
    if (!isAlive(pid)) broken.push(`${name} is not the process that it was`);
  return broken;
}

const logsOf = (home: string): readonly (readonly [string, string])[] =>
  readdirSync(join(home, 'logs')).map((name) => [name, readFileSync(join(home, 'logs', name), 'utf8')]);

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
