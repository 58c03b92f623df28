import { decimal, formatUsd, PICO_PER_USD } from '@tollgate/money';
import pg from 'pg';
import { z } from 'zod';
import { Failure } from '../../failure.ts';
import type { MovedAccount, MovedKey } from '../move.ts';

const amount = z.coerce.string().nullish();
const count = z.coerce.number().int().nullish();
const keyRow = z.object({
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
const teamRow = z.object({ team_id: z.string(), team_alias: z.string().nullish() });
type KeyRow = z.infer<typeof keyRow>;

export interface VirtualKeys {
  readonly keys: readonly KeyRow[];
  /** What each team is called. */
  readonly teams: ReadonlyMap<string, string>;
}

/** Reads the keys and teams of a LiteLLM proxy's PostgreSQL, and changes nothing in it. @throws Failure where it is none. */
export async function readVirtualKeys(url: string): Promise<VirtualKeys> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  try {
    await client.connect();
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const rows = async (table: string): Promise<unknown> =>
      (await client.query(`SELECT * FROM "${table}"`)).rows;
    const teams = z.array(teamRow).parse(await rows('LiteLLM_TeamTable'));
    return {
      keys: z.array(keyRow).parse(await rows('LiteLLM_VerificationToken')),
      teams: new Map(teams.map(({ team_id, team_alias }) => [team_id, team_alias || team_id])),
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

/** Each team, and each person without one, as an account that is billed afterwards, with its keys. */
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
      ? `${teams.get(team_id) ?? team_id} (litellm team ${team_id})`
      : `${user_id || 'keys of nobody'} (litellm)`;
  return [...Map.groupBy(keys, ownerOf)].map(([name, own]) => ({
    name: name.slice(0, 100),
    mode: 'postpaid',
    status: 'active',
    credit_usd: '0',
    keys: own.flatMap((row) => movedKey(row, { group, known, notes }) ?? []),
  }));
}

function movedKey(
  row: KeyRow,
  {
    group,
    known,
    notes,
  }: { readonly group: string; readonly known: ReadonlySet<string>; readonly notes: string[] },
): MovedKey | undefined {
  const name = row.key_alias || row.key_name || row.token.slice(0, 8);
  const what = `key "${name}"`;
  if (!/^[0-9a-f]{64}$/.test(row.token)) {
    notes.push(`${what}: left out, it is not stored as a SHA-256`);
    return undefined;
  }
  const named = (row.models ?? []).filter((model) => !EVERY.has(model));
  const models = named.filter((model) => known.has(model));
  if (models.length < named.length)
    notes.push(
      `${what}: may no longer use ${named.filter((model) => !known.has(model)).join(', ')}, which did not come over`,
    );
  const isBarred = named.length > 0 && models.length === 0;
  if (isBarred) notes.push(`${what}: is disabled, for none of its models came over`);
  const isAll = (row.models ?? []).some((model) => EVERY.has(model)) || named.length === 0;
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

/** What is left of a budget for good; one that begins again each day or month begins again here. */
function budgetsOf(
  { max_budget, spend, budget_duration: span }: KeyRow,
  what: string,
  notes: string[],
): MovedKey['budgets'] {
  if (!max_budget) return { total_usd: null };
  const budget = toPico(max_budget);
  const repeated = span ? SPANS[span] : undefined;
  if (repeated) return { total_usd: null, [repeated]: formatUsd(budget) };
  if (span) notes.push(`${what}: its budget of every ${span} is left out; give it one for a day or a month`);
  if (span) return { total_usd: null };
  const left = budget - toPico(spend ?? '0');
  return { total_usd: formatUsd(left > 0n ? left : 0n) };
}
