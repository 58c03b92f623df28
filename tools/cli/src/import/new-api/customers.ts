import { formatUsd, PICO_PER_USD } from '@tollgate/money';
import { API_KEY_FORM, API_KEY_FORM_TEXT } from '@tollgate/vocabulary';
import type { MovedAccount, MovedKey } from '../move.ts';
import { parseList } from './channels.ts';
import { quotaPerUsd } from './prices.ts';
import type { NewApi, Token, User } from './rows.ts';

const ENABLED = 1;
const USUAL = 'default';

interface ImportContext {
  /** Groups by what new-api calls them. */
  readonly groupNames: ReadonlyMap<string, string>;
  readonly known: ReadonlySet<string>;
  readonly notes: string[];
}

/** Each user that has keys or quota as a prepaid account with the keys that clients have. */
export function movedAccounts(source: NewApi, context: ImportContext): MovedAccount[] {
  const picoPerQuota = PICO_PER_USD / quotaPerUsd(source);
  const usd = (quota: number): string => formatUsd(BigInt(Math.max(0, quota)) * picoPerQuota);
  const tokens = Map.groupBy(source.tokens, ({ user_id }) => user_id);
  const users = new Set(source.users.map(({ id }) => id));
  for (const { id, name, user_id } of source.tokens)
    if (!users.has(user_id))
      context.notes.push(`token ${id} "${name}": left out, its user ${user_id} is gone`);
  const idle = source.users.filter(({ id, quota }) => quota === 0 && !tokens.has(id));
  if (idle.length > 0) context.notes.push(`${idle.length} users without tokens and quota are left out`);
  return source.users
    .filter((user) => !idle.includes(user))
    .map((user) => {
      if (user.quota < 0)
        context.notes.push(
          `user ${user.id} "${user.username}": owes ${-user.quota} quota, which is left out`,
        );
      if (user.aff_quota > 0)
        context.notes.push(
          `user ${user.id} "${user.username}": ${usd(user.aff_quota)} USD earned by invitations and not moved to their quota are left out; have them moved there first`,
        );
      return {
        name: `${(user.display_name || user.username).slice(0, 70)} (new-api ${user.id})`,
        status: user.status === ENABLED ? 'active' : 'disabled',
        credit_usd: usd(user.quota),
        keys: (tokens.get(user.id) ?? []).flatMap((token) => movedKey(token, user, usd, context) ?? []),
      };
    });
}

function movedKey(
  token: Token,
  user: User,
  usd: (quota: number) => string,
  { groupNames, known, notes }: ImportContext,
): MovedKey | undefined {
  const what = `token ${token.id} "${token.name}"`;
  const secret = token.key.trim().replace(/^sk-/, '');
  if (!API_KEY_FORM.test(`sk-${secret}`)) {
    notes.push(`${what}: left out, its key is not ${API_KEY_FORM_TEXT}; give its client a new one`);
    return undefined;
  }
  const group = token.group || user.group || USUAL;
  const groupName = group === 'auto' ? 'auto' : groupNames.get(group);
  if (groupName === undefined) {
    notes.push(`${what}: left out, its group "${group}" serves no model that came over`);
    return undefined;
  }
  const named = token.model_limits_enabled ? parseList(token.model_limits) : parseList(token.models);
  const models = named.filter((model) => known.has(model));
  if (models.length < named.length)
    notes.push(
      `${what}: may no longer use ${named.filter((model) => !known.has(model)).join(', ')}, which did not come over`,
    );
  const isBarred = named.length > 0 && models.length === 0;
  if (isBarred) notes.push(`${what}: is disabled, for none of its models came over`);
  if (token.cross_group_retry) notes.push(`${what}: no other group is tried when its own fails`);
  const addresses = `${token.allow_ips}\n${token.subnet}`.split(/[\s,]+/).filter((part) => part !== '');
  return {
    key: `sk-${secret}`,
    name: token.name.trim().slice(0, 100) || `token ${token.id}`,
    group: groupName,
    status: token.status === 2 || isBarred ? 'disabled' : 'active',
    expires_at: token.expired_time > 0 ? new Date(token.expired_time * 1_000).toISOString() : null,
    budgets: { total_usd: token.unlimited_quota ? null : usd(token.remain_quota) },
    models: models.length > 0 ? models : null,
    allowed_addresses: addresses.length > 0 ? addresses : null,
  };
}
