import { Inject, Injectable } from '@nestjs/common';
import type { accounts, RequestOf } from '@tollgate/api';
import type { Session } from '@tollgate/contracts';
import { parseUsd } from '@tollgate/money';
import { column, hasRows, httpError, readRows, requireRow } from '@tollgate/platform';
import { type DataSource, type EntityManager, In } from 'typeorm';
import { z } from 'zod';
import type { CreditChanges } from '../credit/credit-changes.ts';
import { audit } from '../audit-log/audit.ts';
import { workingHashes } from '../keys/former-secrets.ts';
import { toOrder } from '../database/order.ts';
import type { KeyChanges } from '../keys/key-changes.ts';
import { limitColumns } from '../keys/limits.ts';
import { CREDIT, DATABASE, JOURNAL, KEY_CHANGES } from '../provided.ts';
import { rebuildMonths } from '../periods/month-sums.ts';
import { rebuildAccountHours, rebuildHours } from '../usage/usage-hours.ts';
import { holdJournal } from '../ledger/journal.ts';
import { AccountEntity } from './account.entity.ts';
import { SessionEntity } from '../auth/session.entity.ts';
import { revokeLinksBy, revokeLinksFor } from '../members/one-time-links.ts';
import { holdOwners, listActiveOwners } from './active-people.ts';
import { describeAccount } from './described-account.ts';
import { toFoundCondition } from './found-accounts.ts';
import { uuidv7 } from './uuid.ts';

type CreateAccount = RequestOf<typeof accounts.createAccount>['body'];
type ChangeAccount = RequestOf<typeof accounts.changeAccount>['body'];

type AccountSort = NonNullable<RequestOf<typeof accounts.listAccounts>['query']['sort']>;
const ORDERS = {
  name: 'lower(account.name)',
  balance: 'coalesce(balance.balance_pico, 0)',
  created: 'account.created_at',
} as const;
const accountIdRow = z.object({ id: column.uuid });
const sumRow = z.object({ accounts: column.int, balance_pico: column.bigint });

/** Makes, lists and changes accounts. */
@Injectable()
export class AccountsService {
  constructor(
    @Inject(DATABASE) private readonly database: DataSource,
    @Inject(JOURNAL) private readonly journal: DataSource,
    @Inject(KEY_CHANGES) private readonly changes: KeyChanges,
    @Inject(CREDIT) private readonly credit: CreditChanges,
  ) {}

  /** Those that are named, else the newest first, or in the order that is asked for: then pages begin at a place of it and not behind an id. */
  async list(
    page: RequestOf<typeof accounts.listAccounts>['query'],
  ): Promise<{ items: AccountEntity[]; next: string | null }> {
    if (page.ids !== undefined) {
      const items = await this.database.getRepository(AccountEntity).findBy({ id: In(page.ids.split(',')) });
      return { items, next: null };
    }
    if (page.sort !== undefined) return this.#listInOrder({ ...page, sort: page.sort });
    const query = this.database.getRepository(AccountEntity).createQueryBuilder('account');
    if (page.cursor !== undefined) query.andWhere('account.id < :cursor', { cursor: page.cursor });
    if (page.find) query.andWhere(toFoundCondition(':find'), { find: page.find });
    const found = await query
      .orderBy('account.id', 'DESC')
      .take(page.limit + 1)
      .getMany();
    const items = found.slice(0, page.limit);
    return { items, next: found.length > page.limit ? (items.at(-1)?.id ?? null) : null };
  }

  async #listInOrder(
    page: RequestOf<typeof accounts.listAccounts>['query'] & { readonly sort: AccountSort },
  ): Promise<{ items: AccountEntity[]; next: string | null }> {
    const start = Number(page.cursor ?? 0);
    if (Number.isNaN(start)) throw httpError(400, 'cursor: is of another order.', 'cursor', 'not_a_cursor');
    const rows = await readRows(
      this.database,
      accountIdRow,
      `SELECT account.id FROM billing.account LEFT JOIN billing.account_balance balance ON balance.account_id = account.id
       WHERE $1::text IS NULL OR ${toFoundCondition('$1')}
       ORDER BY ${toOrder(ORDERS, page.sort)}, account.id DESC LIMIT $2 OFFSET $3`,
      [page.find || null, page.limit + 1, start],
    );
    const ids = rows.slice(0, page.limit).map(({ id }) => id);
    const found = await this.database.getRepository(AccountEntity).findBy({ id: In(ids) });
    const byId = new Map(found.map((account) => [account.id, account]));
    return {
      items: ids.flatMap((id) => byId.get(id) ?? []),
      next: rows.length > page.limit ? String(start + page.limit) : null,
    };
  }

  /** How many accounts a text finds, and what their balances add up to. */
  async sum(find: string | undefined): Promise<{ accounts: number; balancePico: bigint }> {
    const { accounts, balance_pico } = await requireRow(
      this.database,
      sumRow,
      `SELECT count(*)::int AS accounts, coalesce(sum(balance.balance_pico), 0) AS balance_pico
       FROM billing.account LEFT JOIN billing.account_balance balance ON balance.account_id = account.id
       WHERE $1::text IS NULL OR ${toFoundCondition('$1')}`,
      [find || null],
    );
    return { accounts, balancePico: BigInt(balance_pico) };
  }

  async create(input: CreateAccount): Promise<AccountEntity> {
    const accounts = this.database.getRepository(AccountEntity);
    await requireTimeZone(accounts.manager, input.time_zone);
    const account = accounts.create({
      id: uuidv7(),
      name: input.name,
      status: 'active',
      mode: input.mode,
      creditLimitPico: limitOf(input.mode, input.credit_limit_usd),
      timeZone: input.time_zone,
      ...limitColumns(input.limits),
      allowedGroups: input.allowed_groups,
      maxKeys: input.max_keys,
      closedUntil: null,
    });
    await this.database.transaction(async (manager) => {
      await manager.insert(AccountEntity, account);
      await audit(manager, { ...about(account), action: 'account.create', after: describeAccount(account) });
    });
    return account;
  }

  /** @throws HttpException 404 */
  async find(id: string): Promise<AccountEntity> {
    const account = await this.database.getRepository(AccountEntity).findOneBy({ id });
    if (!account) throw noSuchAccount();
    return account;
  }

  /** Gateways hear of it with the records of the account's keys. */
  async change(person: Session, id: string, change: ChangeAccount): Promise<AccountEntity> {
    const { database, journal } = this;
    const account = await (change.time_zone === undefined ? database : journal).transaction(
      async (manager) => {
        // Before the account, as whoever posts does it.
        if (change.time_zone !== undefined) await holdJournal(manager);
        if (change.status === 'disabled') await requireOwnersRemain(manager, person, id);
        const found = await manager.findOne(AccountEntity, {
          where: { id },
          lock: { mode: 'pessimistic_write' },
        });
        if (!found) throw noSuchAccount();
        if (change.time_zone !== undefined) await requireTimeZone(manager, change.time_zone);
        const before = describeAccount(found);
        const zone = found.timeZone;
        const changed = await manager.save(applied(found, change));
        if (changed.status === 'disabled') await shutOut(manager, id);
        if (changed.timeZone !== zone) {
          await rebuildHours(manager, id);
          await rebuildAccountHours(manager, id);
          await rebuildMonths(manager, id);
        }
        await audit(manager, {
          ...about(changed),
          action: 'account.change',
          before,
          after: describeAccount(changed),
        });
        await this.changes.note(manager, await touchKeys(manager, id));
        return changed;
      },
    );
    await this.changes.announce();
    this.credit.changed([id]);
    return account;
  }
}

/** @throws HttpException 409 where the asker, or the last owner, would be shut out; 403 where only an owner may do it. */
async function requireOwnersRemain(manager: EntityManager, person: Session, id: string): Promise<void> {
  if (id === person.account_id)
    throw httpError(
      409,
      'You cannot disable your own account: nobody of it could undo that.',
      'status',
      'own_access',
    );
  await holdOwners(manager);
  const owners = await listActiveOwners(manager);
  if (!owners.some((owner) => owner.account_id === id)) return;
  if (person.role !== 'owner')
    throw httpError(403, 'Only an owner disables the account of an owner.', 'status', 'owners_only');
  if (owners.every((owner) => owner.account_id === id))
    throw httpError(
      409,
      'The last owner is of this account: make somebody else an owner first.',
      'status',
      'last_owner',
    );
}

const memberRow = z.object({ id: column.uuid });

/** Ends what people of an account have begun, and what they handed out. */
async function shutOut(manager: EntityManager, accountId: string): Promise<void> {
  const people = await readRows(manager, memberRow, 'SELECT id FROM billing.app_user WHERE account_id = $1', [
    accountId,
  ]);
  const ids = people.map(({ id }) => id);
  await manager.delete(SessionEntity, { userId: In(ids) });
  await revokeLinksBy(manager, ids);
  await revokeLinksFor(manager, ids);
}

function applied(account: AccountEntity, change: ChangeAccount): AccountEntity {
  if (change.time_zone !== undefined && change.time_zone !== account.timeZone && account.closedUntil) {
    throw httpError(
      409,
      `time_zone: periods of this account are closed in ${account.timeZone}. Make a new account for another zone.`,
      'time_zone',
      'time_zone_fixed',
    );
  }
  const mode = change.mode ?? account.mode;
  account.name = change.name ?? account.name;
  account.status = change.status ?? account.status;
  account.timeZone = change.time_zone ?? account.timeZone;
  if (change.credit_limit_usd !== undefined) account.creditLimitPico = limitOf(mode, change.credit_limit_usd);
  else if (mode === 'prepaid') account.creditLimitPico = null;
  account.mode = mode;
  if (change.allowed_groups !== undefined) account.allowedGroups = change.allowed_groups;
  if (change.max_keys !== undefined) account.maxKeys = change.max_keys;
  if (change.limits !== undefined) Object.assign(account, limitColumns(change.limits));
  return account;
}

function limitOf(mode: AccountEntity['mode'], usd: string | null): string | null {
  if (usd === null) return null;
  if (mode === 'prepaid') {
    throw httpError(
      400,
      'credit_limit_usd: a prepaid account owes nothing, so it has no limit. Send null.',
      'credit_limit_usd',
      'prepaid_without_limit',
    );
  }
  return parseUsd(usd).toString();
}

/** Days and months are worked out by PostgreSQL, whose list of time zones may be another than Node's. */
async function requireTimeZone(manager: EntityManager, name: string): Promise<void> {
  if (await hasRows(manager, 'SELECT 1 FROM pg_timezone_names WHERE name = $1', [name])) return;
  throw httpError(
    400,
    'time_zone: must be a time zone of the IANA database as it is written there, such as "Europe/Berlin".',
    'time_zone',
    'unknown_time_zone',
  );
}

const touchedKeyRow = z.object({ id: column.uuid });

/** The hashes of the secrets of an account's keys, whose records hold what was changed. */
async function touchKeys(manager: EntityManager, accountId: string): Promise<string[]> {
  const rows = await readRows(
    manager,
    touchedKeyRow,
    `UPDATE billing.api_key SET revision = revision + 1
     WHERE account_id = $1 AND deleted_at IS NULL RETURNING id`,
    [accountId],
  );
  return workingHashes(
    manager,
    rows.map(({ id }) => id),
  );
}

const about = ({ id }: AccountEntity) => ({ object: `account ${id}`, accountId: id });

const noSuchAccount = () => httpError(404, 'There is no such account.', 'id', 'not_found');
