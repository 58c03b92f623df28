import { setTimeout as sleep } from 'node:timers/promises';
import { type AnswerOf, ledger, periods } from '@tollgate/api';
import type { Command } from 'commander';
import { type Api, withApi } from '../api/client.ts';
import { type Io, say } from '../io.ts';
import { progressBar } from '../progress-bar.ts';

type Verification = AnswerOf<typeof periods.getVerification>;

const LOOK_MS = 500;

/** Closed months, worked out again. It goes on without whoever asked; until it has ended a bar shows how far it is. */
async function verifyMonths(io: Io, api: Api, isFromStart: boolean): Promise<Verification> {
  const bar = progressBar(io);
  let months = await api.ask(periods.verifyPeriods, { body: { all: true, from_start: isFromStart } });
  while (months.ended_at === null) {
    const { id, checked, total } = months;
    const [read, all] = [checked, total].map((count) => count.toLocaleString('en'));
    bar.draw(total === 0 ? null : checked / total, `verified ${read} of ${all}`);
    await sleep(LOOK_MS);
    months = await api.ask(periods.getVerification, { params: { id } });
  }
  bar.end();
  return months;
}

/** `tollgate verify`: works the books out again, as after a restore. */
export function addVerifyCommand(program: Command, io: Io, end: (exit: number) => void): void {
  program
    .command('verify')
    .description(
      'works out the whole ledger and every closed month again; exit code 1 where something differs',
    )
    .option('--go-on', 'leaves out closed months that were found right before')
    .option('--json', 'as JSON')
    .action(async ({ json, goOn }: { json?: true; goOn?: true }) => {
      const { audit, months } = await withApi(io, async (api) => ({
        audit: await api.ask(ledger.auditLedger),
        months: await verifyMonths(io, api, goOn !== true),
      }));
      const isRight = audit.difference_count === 0 && months.verified === true;
      const closed = months.items.reduce((sum, { periods: count }) => sum + count, 0);
      const lines = [
        `ledger: ${audit.transactions} transactions of ${audit.accounts} accounts, ${audit.difference_count} differences`,
        ...audit.differences.map(
          ({ check, number, account_id, expected_usd, found_usd }) =>
            `  ${check}: transaction ${number ?? '-'}, account ${account_id ?? '-'}: ${expected_usd ?? '-'} expected, ${found_usd ?? '-'} found`,
        ),
        `closed months: ${closed} of ${months.items.length} accounts${months.verified ? ', as they were frozen' : ''}`,
        ...months.items.flatMap(({ account_id, first_difference: found }) =>
          found ? [`  account ${account_id}: ${found.month} differs in ${found.what}`] : [],
        ),
        isRight
          ? 'The books are right.'
          : 'The books are not right: see docs/runbooks/TollgateLedgerOutOfBalance.md.',
      ];
      say(io, json ? JSON.stringify({ verified: isRight, audit, months }) : lines.join('\n'));
      if (!isRight) end(1);
    });
}
