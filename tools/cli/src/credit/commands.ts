import { randomUUID } from 'node:crypto';
import { ledger, ledgerOperations } from '@tollgate/api';
import type { Command } from 'commander';
import { accountId } from '../api/account.ts';
import { type Api, withApi } from '../api/client.ts';
import { type Io, say } from '../io.ts';

interface Options {
  readonly account?: string;
  readonly json?: true;
}

interface GrantOptions extends Options {
  readonly account: string;
  readonly usd: string;
  readonly reason: string;
  readonly idempotencyKey?: string;
}

/** `tollgate credit`: grant, balance. */
export function addCreditCommands(program: Command, io: Io): void {
  const credit = program.command('credit').description('What accounts may spend');
  credit
    .command('balance')
    .option('--account <name or id>', 'another account than your own')
    .option('--json', 'as JSON')
    .action(({ account, json }: Options) =>
      withApi(io, async (api) => {
        const balance = await balanceOf(api, account && (await accountId(api, account)));
        say(io, json ? JSON.stringify(balance) : `${balance.balance_usd} USD`);
      }),
    );
  credit
    .command('grant')
    .description('gives credit away; the customer reads the reason')
    .requiredOption('--account <name or id>', 'who gets it')
    .requiredOption('--usd <amount>', 'decimal USD, such as 12.50')
    .requiredOption('--reason <text>', 'why')
    .option('--idempotency-key <key>', 'sent again with the same key it is given once')
    .option('--json', 'as JSON')
    .action((options: GrantOptions) => withApi(io, (api) => grant(io, api, options)));
}

const balanceOf = (api: Api, id: string | undefined) =>
  api.ask(ledger.getBalance, { query: { account_id: id } });

async function grant(io: Io, api: Api, options: GrantOptions): Promise<void> {
  const { usd, reason, json } = options;
  const id = await accountId(api, options.account);
  const transaction = await api.ask(ledgerOperations.enterGrant, {
    headers: { 'idempotency-key': options.idempotencyKey ?? randomUUID() },
    body: { account_id: id, amount_usd: usd, reason },
  });
  const { balance_usd } = await balanceOf(api, id);
  say(
    io,
    json
      ? JSON.stringify({ ...transaction, balance_usd })
      : `Transaction ${transaction.number}: ${usd} USD granted. The balance is ${balance_usd} USD.`,
  );
}
