import {
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Inject,
  Param,
  Patch,
  Post,
  Put,
  Query,
  Req,
  UseGuards,
} from '@nestjs/common';
import { Allow } from '@tollgate/platform';
import { formatUsd } from '@tollgate/money';
import type { DataSource } from 'typeorm';
import type { z } from 'zod';
import { SignedInGuard, type SignedInRequest } from '../auth/signed-in.guard.ts';
import { readBalance, readBalances } from '../ledger/transactions.ts';
import { DATABASE, KEY_RULES } from '../provided.ts';
import {
  accountListQuery,
  type ChangeAccount,
  changeAccountBody,
  type ChangeUser,
  changeUserBody,
  type CreateAccount,
  createAccountBody,
  type CreateUser,
  createUserBody,
  passwordBody,
} from './account-bodies.ts';
import { allowedGroups, type KeyRules } from '../keys/key-rules.ts';
import { accountToRead } from './account-scope.ts';
import type { AccountEntity } from './account.entity.ts';
import { AccountsService } from './accounts.service.ts';
import type { UserEntity } from './user.entity.ts';
import { describeAccount } from './described-account.ts';
import { idOf } from './id-of.ts';
import { UsersService } from './users.service.ts';

@Controller('api/accounts')
@UseGuards(SignedInGuard)
export class AccountsController {
  constructor(
    @Inject(DATABASE) private readonly database: DataSource,
    @Inject(AccountsService) private readonly accounts: AccountsService,
    @Inject(UsersService) private readonly users: UsersService,
    @Inject(KEY_RULES) private readonly rules: KeyRules,
  ) {}

  /** Accounts with their balances, the newest first. */
  @Get()
  @Allow('accounts:read-all')
  async list(@Query({ schema: accountListQuery }) query: z.infer<typeof accountListQuery>): Promise<object> {
    const { items, next } = await this.accounts.list(query);
    const balances = await readBalances(
      this.database,
      items.map(({ id }) => id),
    );
    return {
      items: items.map((account) => ({
        ...shown(account),
        balance_usd: formatUsd(balances.get(account.id) ?? 0n),
      })),
      next,
    };
  }

  @Post()
  @Allow('accounts:write')
  async create(@Body({ schema: createAccountBody }) body: CreateAccount): Promise<object> {
    return shown(await this.accounts.create(body));
  }

  /** An account with its balance. */
  @Get(':id')
  @Allow('accounts:read')
  async show(@Req() { person }: SignedInRequest, @Param('id') text: string): Promise<object> {
    const id = accountToRead(person, idOf(text, 'account'));
    const [account, { balancePico }] = await Promise.all([
      this.accounts.find(id),
      readBalance(this.database, id),
    ]);
    return {
      ...shown(account),
      balance_usd: formatUsd(balancePico),
      usable_groups: allowedGroups(account, this.rules),
    };
  }

  /** Who is disabled is out: the account's keys work no more, and its people are signed out everywhere. */
  @Patch(':id')
  @Allow('accounts:write')
  async change(
    @Req() { person }: SignedInRequest,
    @Param('id') id: string,
    @Body({ schema: changeAccountBody }) body: ChangeAccount,
  ): Promise<object> {
    return shown(await this.accounts.change(person, idOf(id, 'account'), body));
  }

  @Get(':id/users')
  @Allow('members:write')
  async people(@Param('id') id: string): Promise<object> {
    const account = await this.accounts.find(idOf(id, 'account'));
    const { users, lastSeen } = await this.users.list(account.id);
    return { items: users.map((user) => shownUser(user, lastSeen.get(user.id))) };
  }

  @Post(':id/users')
  @Allow('members:write')
  async addUser(
    @Req() { person }: SignedInRequest,
    @Param('id') id: string,
    @Body({ schema: createUserBody }) body: CreateUser,
  ): Promise<object> {
    return shownUser(await this.users.create(person, idOf(id, 'account'), body));
  }

  /** Another role, or whether they may sign in: who is disabled is signed out everywhere. */
  @Patch(':id/users/:user')
  @Allow('members:write')
  async changeUser(
    @Req() { person }: SignedInRequest,
    @Param('id') id: string,
    @Param('user') user: string,
    @Body({ schema: changeUserBody }) change: ChangeUser,
  ): Promise<object> {
    return shownUser(await this.users.change(person, idOf(id, 'account'), idOf(user, 'person'), change));
  }

  @Delete(':id/users/:user')
  @Allow('members:write')
  @HttpCode(204)
  removeUser(
    @Req() { person }: SignedInRequest,
    @Param('id') id: string,
    @Param('user') user: string,
  ): Promise<void> {
    return this.users.remove(person, idOf(id, 'account'), idOf(user, 'person'));
  }

  /** Sets a new password, which signs that person out everywhere. */
  @Put(':id/users/:user/password')
  @Allow('members:write')
  @HttpCode(204)
  setPassword(
    @Req() { person }: SignedInRequest,
    @Param('id') id: string,
    @Param('user') user: string,
    @Body({ schema: passwordBody }) { password }: z.infer<typeof passwordBody>,
  ): Promise<void> {
    return this.users.setPassword(person, idOf(id, 'account'), idOf(user, 'person'), password);
  }
}

const shown = (account: AccountEntity) => ({
  id: account.id,
  ...describeAccount(account),
  closed_until: account.closedUntil?.toISOString() ?? null,
  created_at: account.createdAt.toISOString(),
});

const shownUser = (user: UserEntity, lastSeen?: Date) => ({
  id: user.id,
  account_id: user.accountId,
  email: user.email,
  name: user.name,
  role: user.role,
  status: user.status,
  last_seen_at: lastSeen?.toISOString() ?? null,
  created_at: user.createdAt.toISOString(),
});
