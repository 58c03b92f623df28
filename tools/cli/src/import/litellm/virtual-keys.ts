import { decimal, formatUsd, PICO_PER_USD } from '@tollgate/money';
import { z } from 'zod';
import { findOwn } from '@tollgate/vocabulary';
import { Failure } from '../../failure.ts';
import type { MovedAccount, MovedKey } from '../move.ts';

const amount = z.coerce.string().nullish();
const count = z.coerce.number().int().nullish();
const keyRow = z.looseObject({
  /** The SHA-256 of the key, in hexadecimal. */
  token: z.string(),
  key_name: z.string().nullish(),
  key_alias: z.string().nullish(),
  spend: amount,
  max_budget: amount,
  budget_duration: z.string().nullish(),
  expires: z.date().nullish(),
  models: z.array(z.string()).nullish(),
  user_id: z.string().nullish(),
  team_id: z.string().nullish(),
  tpm_limit: count,
  rpm_limit: count,
  max_parallel_requests: count,
  blocked: z.boolean().nullish(),
});
const teamRow = z.looseObject({
  team_id: z.string(),
  team_alias: z.string().nullish(),
  spend: amount,
  max_budget: amount,
  budget_duration: z.string().nullish(),
  models: z.array(z.string()).nullish(),
  blocked: z.boolean().nullish(),
});
type TeamRow = z.infer<typeof teamRow>;
type KeyRow = z.infer<typeof keyRow>;

export interface VirtualKeys {
  readonly keys: readonly KeyRow[];
  /** By their ids. */
  readonly teams: ReadonlyMap<string, TeamRow>;
}

/** Columns that say who made a row and when, or what was used: nothing of what a key may do. */
const NEEDLESS = new Set([
  ...['created_at', 'updated_at', 'created_by', 'updated_by', 'last_active', 'last_refreshed_at'],
  ...['model_spend', 'budget_reset_at', 'soft_budget_cooldown', 'rotation_count', 'last_rotation_at'],
  // People do not come over.
  ...['admins', 'members', 'members_with_roles', 'team_member_permissions'],
]);

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === false ||
  value === '' ||
  (typeof value === 'object' && !(value instanceof Date) && Object.keys(value).length === 0);

/** Says what a row holds that has no place here. */
function noteOthers(
  what: string,
  row: Readonly<Record<string, unknown>>,
  carried: z.ZodObject,
  notes: string[],
): void {
  const left = Object.keys(row).filter(
    (column) => !Object.hasOwn(carried.shape, column) && !NEEDLESS.has(column) && !isEmpty(row[column]),
  );
  if (left.length > 0) notes.push(`${what}: its ${left.join(', ')} did not come over`);
}

/** Reads the keys and teams of a LiteLLM proxy's PostgreSQL, and changes nothing in it. @throws Failure where it is none. */
export async function readVirtualKeys(url: string): Promise<VirtualKeys> {
  // A client of PostgreSQL takes a while to load, which most commands have no need of.
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  try {
    await client.connect();
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const rows = async (table: string): Promise<unknown> =>
      (await client.query(`SELECT * FROM "${table}"`)).rows;
    const teams = z.array(teamRow).parse(await rows('LiteLLM_TeamTable'));
    return {
      keys: z.array(keyRow).parse(await rows('LiteLLM_VerificationToken')),
      teams: new Map(teams.map((team) => [team.team_id, team])),
    };
  } catch (error) {
    throw new Failure(
      `The keys of LiteLLM cannot be read: ${(error as Error).message}`,
      'Name the PostgreSQL of its DATABASE_URL.',
    );
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Models that stand for all. */
const EVERY = new Set(['all-team-models', 'all-proxy-models', '*']);
const SPANS: Readonly<Record<string, 'daily_usd' | 'monthly_usd'>> = {
  '1d': 'daily_usd',
  '24h': 'daily_usd',
  '30d': 'monthly_usd',
  '1mo': 'monthly_usd',
};

const toPico = (text: string): bigint => {
  const { digits, places } = decimal(text);
  return (digits * PICO_PER_USD) / 10n ** BigInt(places);
};

/**
 * Each team, and each person without one, as an account with its keys: from credit where it has a budget for good, and
 * billed afterwards where it has none.
 */
export function movedVirtualKeys(
  { keys, teams }: VirtualKeys,
  {
    group,
    known,
    notes,
  }: { readonly group: string; readonly known: ReadonlySet<string>; readonly notes: string[] },
): MovedAccount[] {
  const ownerOf = ({ team_id, user_id }: KeyRow): string =>
    team_id
      ? `${teams.get(team_id)?.team_alias || team_id} (litellm team ${team_id})`
      : `${user_id || 'keys of nobody'} (litellm)`;
  return [...Map.groupBy(keys, ownerOf)].map(([name, own]) => {
    const team = teams.get(own[0]?.team_id ?? '');
    return {
      name: name.slice(0, 100),
      ...billedAs(team, notes),
      status: team?.blocked ? 'disabled' : 'active',
      keys: own.flatMap((row) => movedKey(row, { group, known, notes, team }) ?? []),
    };
  });
}

/** How the account of a team is billed. */
function billedAs(team: TeamRow | undefined, notes: string[]): Pick<MovedAccount, 'mode' | 'credit_usd'> {
  if (!team) return { mode: 'postpaid', credit_usd: '0' };
  const { team_alias, team_id, max_budget, budget_duration: span, spend } = team;
  const what = `team "${team_alias || team_id}"`;
  noteOthers(what, team, teamRow, notes);
  if (!max_budget) return { mode: 'postpaid', credit_usd: '0' };
  if (span) {
    notes.push(`${what}: its budget of ${max_budget} USD every ${span} is left out; give its keys one`);
    return { mode: 'postpaid', credit_usd: '0' };
  }
  const left = toPico(max_budget) - toPico(spend ?? '0');
  return { mode: 'prepaid', credit_usd: formatUsd(left > 0n ? left : 0n) };
}

function movedKey(
  row: KeyRow,
  {
    group,
    known,
    notes,
    team,
  }: {
    readonly group: string;
    readonly known: ReadonlySet<string>;
    readonly notes: string[];
    readonly team: TeamRow | undefined;
  },
): MovedKey | undefined {
  const name = row.key_alias || row.key_name || row.token.slice(0, 8);
  const what = `key "${name}"`;
  if (!/^[0-9a-f]{64}$/.test(row.token)) {
    notes.push(`${what}: left out, it is not stored as a SHA-256`);
    return undefined;
  }
  noteOthers(what, row, keyRow, notes);
  const listed = listModels(row, team);
  const named = listed.filter((model) => !EVERY.has(model));
  const models = named.filter((model) => known.has(model));
  if (models.length < named.length)
    notes.push(
      `${what}: may no longer use ${named.filter((model) => !known.has(model)).join(', ')}, which did not come over`,
    );
  const isBarred = named.length > 0 && models.length === 0;
  if (isBarred) notes.push(`${what}: is disabled, for none of its models came over`);
  const isAll = listed.some((model) => EVERY.has(model)) || named.length === 0;
  return {
    key_hash: row.token,
    masked: (row.key_name || 'sk-...').slice(0, 40),
    name: name.slice(0, 100),
    group,
    status: row.blocked || isBarred ? 'disabled' : 'active',
    expires_at: row.expires?.toISOString() ?? null,
    budgets: budgetsOf(row, what, notes),
    limits: {
      ...(row.rpm_limit ? { requests_per_minute: row.rpm_limit } : {}),
      ...(row.tpm_limit ? { tokens_per_minute: row.tpm_limit } : {}),
      ...(row.max_parallel_requests ? { concurrent_requests: row.max_parallel_requests } : {}),
    },
    models: isAll ? null : models.length > 0 ? models : null,
    allowed_addresses: null,
  };
}

/** What a key may use: where it says nothing, or all of its team, what its team may. */
function listModels({ models: own }: KeyRow, team: TeamRow | undefined): readonly string[] {
  const listed = own ?? [];
  const isOfTeam = listed.length === 0 || listed.includes('all-team-models');
  const ofTeam = team?.models ?? [];
  return isOfTeam && ofTeam.length > 0
    ? [...listed.filter((model) => model !== 'all-team-models'), ...ofTeam]
    : listed;
}

/** What is left of a budget for good; one that begins again each day or month begins again here. */
function budgetsOf(
  { max_budget, spend, budget_duration: span }: KeyRow,
  what: string,
  notes: string[],
): MovedKey['budgets'] {
  if (!max_budget) return { total_usd: null };
  const budget = toPico(max_budget);
  const repeated = span ? findOwn(SPANS, span) : undefined;
  if (repeated) return { total_usd: null, [repeated]: formatUsd(budget) };
  if (span) notes.push(`${what}: its budget of every ${span} is left out; give it one for a day or a month`);
  if (span) return { total_usd: null };
  const left = budget - toPico(spend ?? '0');
  return { total_usd: formatUsd(left > 0n ? left : 0n) };
}
