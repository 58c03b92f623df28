import { type Api, withApi } from '../api/client.ts';
import { secretFrom } from '../catalogue/commands.ts';
import { liveCatalogue } from '../catalogue/live.ts';
import { computePlan } from '../catalogue/plan.ts';
import { planText } from '../catalogue/plan-text.ts';
import { publishChanges } from '../catalogue/publish.ts';
import { Failure } from '../failure.ts';
import { type Io, remark, say } from '../io.ts';
import { progressBar } from '../progress-bar.ts';
import { moveCustomers } from './customers.ts';
import { mergedCatalogue } from './merge.ts';
import type { Move } from './move.ts';

export interface MoveOptions {
  readonly apply?: true;
  readonly dryRun?: true;
  readonly json?: true;
  readonly strict?: true;
}

/** Shows what a move would make, and makes it where that is asked for. @throws Failure when a part could not be made. */
export function runMove(io: Io, move: Move, source: string, options: MoveOptions): Promise<void> {
  if (options.apply && options.dryRun)
    throw new Failure('--apply and --dry-run contradict each other.', 'Give one.');
  return withApi(io, (api) =>
    (options.apply ? carryOut : show)(io, api, move, {
      source,
      json: options.json ?? false,
      strict: options.strict ?? false,
    }),
  );
}

interface How {
  readonly source: string;
  readonly json: boolean;
  readonly strict: boolean;
}

/** @throws Failure where something does not come over as it was and that is not to be. */
function requireNothingLost(notes: readonly string[], { strict }: How): void {
  if (strict && notes.length > 0)
    throw new Failure(
      `${notes.length} things do not come over as they were, each with a line above.`,
      'Change them there, or go on without --strict. Nothing was changed.',
    );
}

async function planned(io: Io, api: Api, move: Move, isReal: boolean) {
  const notes = [...move.notes];
  const { catalogue } = await liveCatalogue(api);
  const secretOf = (name: string) => move.secrets.get(name) ?? secretFrom(io, name);
  const file = mergedCatalogue(move.catalogue, catalogue, notes);
  return { notes, plan: computePlan(file, catalogue, isReal ? { secretOf } : {}) };
}

async function show(io: Io, api: Api, move: Move, how: How): Promise<void> {
  const { notes, plan } = await planned(io, api, move, false);
  if (how.json) {
    const accounts = move.accounts.map(({ keys, ...account }) => ({
      ...account,
      keys: keys.map((each) => ({ ...each, key: undefined, key_hash: undefined })),
    }));
    const { models } = move.catalogue;
    say(io, JSON.stringify({ differences: plan.differences, models, accounts, notes }));
    return requireNothingLost(notes, how);
  }
  say(io, reportText(move, planText({ ...plan, secrets: [] }), notes));
  remark(io, move.never);
  requireNothingLost(notes, how);
  remark(io, 'Nothing was changed. With --apply it is.');
}

async function carryOut(io: Io, api: Api, move: Move, how: How): Promise<void> {
  const { source, json } = how;
  const { notes, plan } = await planned(io, api, move, true);
  if (!json) say(io, reportText(move, planText({ ...plan, secrets: [] }), notes));
  requireNothingLost(notes, how);
  const version =
    plan.changes.length === 0 ? null : await publishChanges(api, plan.changes, `Moved from ${source}`);
  const bar = progressBar(io);
  const total = move.accounts.length;
  const made = await moveCustomers(api, move.accounts, source, (done) =>
    bar.draw(done / total, `${done} of ${total} accounts`),
  );
  bar.end();
  const { accounts, keys, failures } = made;
  say(
    io,
    json
      ? JSON.stringify({ version, ...made, notes })
      : [
          version === null
            ? 'The catalogue was complete already.'
            : `The catalogue is published as version ${version}.`,
          `Accounts: ${accounts.made} made, ${accounts.there} were here. Keys: ${keys.made} made, ${keys.there} were here.`,
        ].join('\n'),
  );
  if (failures.length > 0)
    throw new Failure(failures.join('\n'), 'Fix these and run the import again: it goes on where it was.');
}

/** What comes over, what it does to the catalogue, and what does not come over. */
function reportText({ accounts, catalogue }: Move, changes: string, notes: readonly string[]): string {
  const keys = accounts.reduce((sum, account) => sum + account.keys.length, 0);
  return [
    `Found: ${catalogue.models.length} models, ${catalogue.groups.length} groups, ${catalogue.upstreams.length} upstreams, ` +
      `${catalogue.pools.length} pools, ${accounts.length} accounts, ${keys} keys.`,
    '',
    'The catalogue:',
    changes,
    ...accounts.flatMap(({ name, status, credit_usd, keys: own }, index) => [
      ...(index === 0 ? ['', 'Accounts:'] : []),
      `+ ${name}: ${status}, ${credit_usd} USD, ${own.length} ${own.length === 1 ? 'key' : 'keys'}`,
    ]),
    ...(notes.length === 0 ? [] : ['', 'What to know:', ...notes.map((note) => `! ${note}`)]),
  ].join('\n');
}
