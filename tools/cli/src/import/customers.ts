import { accounts as accountRoutes, keys as keyRoutes, ledgerOperations } from '@tollgate/api';
import type { Api } from '../api/client.ts';
import { Refusal } from '../api/refusal.ts';
import type { MovedAccount, MovedKey } from './move.ts';

/** What became of the accounts and keys that moved. */
interface Customers {
  accounts: { made: number; there: number };
  keys: { made: number; there: number };
  /** What could not be done, and why. */
  readonly failures: string[];
}

/**
 * Makes accounts with their credit and keys. What an earlier, broken-off import made is found again and left alone, so
 * that nothing is there twice.
 *
 * @param source names where they come from in the ledger and in idempotency keys, such as "new-api".
 * @param onAccount is called after each with how many are done.
 */
export async function moveCustomers(
  api: Api,
  accounts: readonly MovedAccount[],
  source: string,
  onAccount: (done: number) => void,
): Promise<Customers> {
  const result: Customers = { accounts: { made: 0, there: 0 }, keys: { made: 0, there: 0 }, failures: [] };
  for (const [index, account] of accounts.entries()) {
    const { id, isNew } = await accountOf(api, account);
    result.accounts[isNew ? 'made' : 'there'] += 1;
    await giveCredit(api, { id, account, source }, result);
    for (const key of account.keys) await importKey(api, id, key, result);
    onAccount(index + 1);
  }
  return result;
}

async function accountOf(
  api: Api,
  { name, status, mode = 'prepaid' }: MovedAccount,
): Promise<{ id: string; isNew: boolean }> {
  const { items } = await api.ask(accountRoutes.listAccounts, { query: { limit: 200, find: name } });
  const existing = items.find((item) => item.name === name);
  if (existing) return { id: existing.id, isNew: false };
  const { id } = await api.ask(accountRoutes.createAccount, { body: { name, mode } });
  if (status === 'disabled')
    await api.open(accountRoutes.changeAccount, { params: { id }, body: { status } });
  return { id, isNew: true };
}

async function giveCredit(
  api: Api,
  { id, account, source }: { id: string; account: MovedAccount; source: string },
  { failures }: Customers,
): Promise<void> {
  if (/^0(\.0+)?$/.test(account.credit_usd)) return;
  try {
    await api.open(ledgerOperations.enterGrant, {
      headers: { 'idempotency-key': `${source}-opening-${id}` },
      body: { account_id: id, amount_usd: account.credit_usd, reason: `Balance moved from ${source}` },
    });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    failures.push(
      error.status === 409
        ? `account ${account.name}: has its credit from an earlier import, of another amount; it is left as it is`
        : `account ${account.name}: got no credit: ${error.message}`,
    );
  }
}

async function importKey(
  api: Api,
  accountId: string,
  key: MovedKey,
  { keys, failures }: Customers,
): Promise<void> {
  try {
    await api.open(keyRoutes.importKey, { body: { ...key, account_id: accountId } });
    keys.made += 1;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.status === 409) keys.there += 1;
    else failures.push(`key "${key.name}": did not come over: ${error.message}`);
    // Neither will the next ones be taken from somebody who may not.
    if (error.status === 401 || error.status === 403) throw error;
  }
}
