import { setTimeout as sleep } from 'node:timers/promises';
import { type AnswerOf, ledger, periods } from '@tollgate/api';
import type { Command } from 'commander';
import { type Api, withApi } from '../api/client.ts';
import { type Io, say } from '../io.ts';
import { progressBar } from '../progress-bar.ts';

type Verification = AnswerOf<typeof periods.getVerification>;
type Audit = AnswerOf<typeof ledger.getAudit>;

const LOOK_MS = 500;
const STEPS = {
  journal: 'audited the journal',
  balances: 'comparing balances',
  sums: 'audited hours and months',
} satisfies Record<NonNullable<Audit['step']>, string>;

/** Looks at what goes on without whoever asked, until it has ended; a bar shows how far it is. */
async function watch<
  T extends { readonly ended_at: string | null; readonly checked: number; readonly total: number },
>(io: Io, begun: T, says: (at: T) => string, look: () => Promise<T>): Promise<T> {
  const bar = progressBar(io);
  let at = begun;
  while (at.ended_at === null) {
    const { checked, total } = at;
    const [read, all] = [checked, total].map((count) => count.toLocaleString('en'));
    bar.draw(total === 0 ? null : checked / total, `${says(at)}: ${read} of ${all}`);
    await sleep(LOOK_MS);
    at = await look();
  }
  bar.end();
  return at;
}

/** The whole ledger, and every sum that is kept beside it. */
async function auditLedger(io: Io, api: Api, isFromStart: boolean): Promise<Audit> {
  const begun = await api.ask(ledger.auditLedger, { body: { from_start: isFromStart } });
  const params = { id: begun.id };
  return watch(
    io,
    begun,
    ({ step }) => STEPS[step ?? 'sums'],
    () => api.ask(ledger.getAudit, { params }),
  );
}

/** Closed months, worked out again. */
async function verifyMonths(io: Io, api: Api, isFromStart: boolean): Promise<Verification> {
  const begun = await api.ask(periods.verifyPeriods, { body: { all: true, from_start: isFromStart } });
  const params = { id: begun.id };
  return watch(
    io,
    begun,
    () => 'verified closed months',
    () => api.ask(periods.getVerification, { params }),
  );
}

/** `tollgate verify`: works the books out again, as after a restore. */
export function addVerifyCommand(program: Command, io: Io, end: (exit: number) => void): void {
  program
    .command('verify')
    .description(
      'works out the whole ledger and every closed month again; exit code 1 where something differs',
    )
    .option('--go-on', 'leaves out what was found right before')
    .option('--json', 'as JSON')
    .action(async ({ json, goOn }: { json?: true; goOn?: true }) => {
      const { audit, months } = await withApi(io, async (api) => ({
        audit: await auditLedger(io, api, goOn !== true),
        months: await verifyMonths(io, api, goOn !== true),
      }));
      const isRight = audit.difference_count === 0 && months.verified === true;
      const closed = months.items.reduce((sum, { periods: count }) => sum + count, 0);
      const lines = [
        `ledger${audit.from_start ? '' : ` above ${audit.after}`}: ${audit.transactions} transactions of ${audit.accounts} accounts, ${audit.difference_count} differences`,
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
