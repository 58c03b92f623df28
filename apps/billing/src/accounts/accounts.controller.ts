import { Controller, Inject } from '@nestjs/common';
import { accounts, members, type RequestOf } from '@tollgate/api';
import type { Session } from '@tollgate/contracts';
import { formatUsd } from '@tollgate/money';
import { Caller, Handles, Input } from '@tollgate/platform';
import type { DataSource } from 'typeorm';
import { allowedGroups, type KeyRules } from '../keys/key-rules.ts';
import { readBalance, readBalances } from '../ledger/transactions.ts';
import { DATABASE, KEY_RULES } from '../provided.ts';
import type { AccountEntity } from './account.entity.ts';
import { AccountsService } from './accounts.service.ts';
import { describeAccount } from './described-account.ts';
import type { UserEntity } from './user.entity.ts';
import { UsersService } from './users.service.ts';

@Controller()
export class AccountsController {
  constructor(
    @Inject(DATABASE) private readonly database: DataSource,
    @Inject(AccountsService) private readonly accounts: AccountsService,
    @Inject(UsersService) private readonly users: UsersService,
    @Inject(KEY_RULES) private readonly rules: KeyRules,
  ) {}

  @Handles(accounts.listAccounts)
  async list(@Input() { query }: RequestOf<typeof accounts.listAccounts>) {
    const [{ items, next }, totals] = await Promise.all([
      this.accounts.list(query),
      query.sum === 'true' ? this.accounts.sum(query.find) : null,
    ]);
    const balances = await readBalances(
      this.database,
      items.map(({ id }) => id),
    );
    return {
      items: items.map((account) => ({
        ...describe(account),
        balance_usd: formatUsd(balances.get(account.id) ?? 0n),
      })),
      next,
      totals: totals && { accounts: totals.accounts, balance_usd: formatUsd(totals.balancePico) },
    };
  }

  @Handles(accounts.createAccount)
  async create(@Input() { body }: RequestOf<typeof accounts.createAccount>) {
    return describe(await this.accounts.create(body));
  }

  @Handles(accounts.getAccount)
  async show(@Input() { params: { id } }: RequestOf<typeof accounts.getAccount>) {
    const [account, { balancePico }] = await Promise.all([
      this.accounts.find(id),
      readBalance(this.database, id),
    ]);
    return {
      ...describe(account),
      balance_usd: formatUsd(balancePico),
      usable_groups: allowedGroups(account, this.rules),
    };
  }

  @Handles(accounts.changeAccount)
  async change(
    @Input() { params, body }: RequestOf<typeof accounts.changeAccount>,
    @Caller() caller: Session,
  ) {
    return describe(await this.accounts.change(caller, params.id, body));
  }

  @Handles(members.listMembers)
  async listMembers(@Input() { params }: RequestOf<typeof members.listMembers>) {
    const account = await this.accounts.find(params.id);
    const { users, lastSeen } = await this.users.list(account.id);
    return { items: users.map((user) => describeMember(user, lastSeen.get(user.id))) };
  }

  @Handles(members.createMember)
  async createMember(
    @Input() { params, body }: RequestOf<typeof members.createMember>,
    @Caller() caller: Session,
  ) {
    return describeMember(await this.users.create(caller, params.id, body));
  }

  @Handles(members.changeMember)
  async changeMember(
    @Input() { params, body }: RequestOf<typeof members.changeMember>,
    @Caller() caller: Session,
  ) {
    return describeMember(await this.users.change(caller, params.id, params.user, body));
  }

  @Handles(members.removeMember)
  removeMember(@Input() { params }: RequestOf<typeof members.removeMember>, @Caller() caller: Session) {
    return this.users.remove(caller, params.id, params.user);
  }

  @Handles(members.setMemberPassword)
  setPassword(
    @Input() { params, body }: RequestOf<typeof members.setMemberPassword>,
    @Caller() caller: Session,
  ) {
    return this.users.setPassword(caller, params.id, params.user, body.password);
  }
}

const describe = (account: AccountEntity) => ({
  id: account.id,
  ...describeAccount(account),
  closed_until: account.closedUntil?.toISOString() ?? null,
  created_at: account.createdAt.toISOString(),
});

const describeMember = (user: UserEntity, lastSeen?: Date) => ({
  id: user.id,
  account_id: user.accountId,
  email: user.email,
  name: user.name,
  role: user.role,
  status: user.status,
  last_seen_at: lastSeen?.toISOString() ?? null,
  created_at: user.createdAt.toISOString(),
});
