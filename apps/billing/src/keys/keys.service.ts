import { Inject, Injectable } from '@nestjs/common';
import { type BudgetWindow, MESSAGE, priceSnapshotSchema, type Session } from '@tollgate/contracts';
import { parseUsd } from '@tollgate/money';
import { httpError, type RequestReplyClient } from '@tollgate/platform';
import { type DataSource, IsNull } from 'typeorm';
import { accountFor, actsForAll } from '../accounts/account-scope.ts';
import { AccountEntity } from '../accounts/account.entity.ts';
import { uuidv7 } from '../accounts/uuid.ts';
import type { CreditChanges } from '../credit/credit-changes.ts';
import { CREDIT, DATABASE, KEY_CHANGES, PRICING } from '../provided.ts';
import { ApiKeyEntity } from './api-key.entity.ts';
import type { KeyChanges } from './key-changes.ts';
import type { ChangeKey, CreateKey } from './key-bodies.ts';
import { hashKey, maskKey, newKey } from './key-secret.ts';
import { statedBudgets } from './key-spend.ts';

/** The column of each budget. */
const BUDGET_COLUMNS = {
  total: 'budgetPico',
  daily: 'budgetDailyPico',
  monthly: 'budgetMonthlyPico',
} as const satisfies Record<BudgetWindow, keyof ApiKeyEntity>;

/** Sets what is stated and leaves the rest. */
function setBudgets(entity: ApiKeyEntity, budgets: CreateKey['budgets']): void {
  for (const [window, usd] of statedBudgets(budgets))
    entity[BUDGET_COLUMNS[window]] = usd === null ? null : parseUsd(usd).toString();
}

/** Makes, lists, changes and deletes API keys. */
@Injectable()
export class KeysService {
  constructor(
    @Inject(DATABASE) private readonly database: DataSource,
    @Inject(KEY_CHANGES) private readonly changes: KeyChanges,
    @Inject(PRICING) private readonly pricing: RequestReplyClient,
    @Inject(CREDIT) private readonly credit: CreditChanges,
  ) {}

  /** The only answer that ever holds the key itself. */
  async create(person: Session, wanted: CreateKey): Promise<{ key: string; entity: ApiKeyEntity }> {
    const accountId = accountFor(person, wanted.account_id);
    if (!(await this.database.getRepository(AccountEntity).existsBy({ id: accountId }))) {
      throw httpError(400, 'account_id: there is no such account.', 'account_id');
    }
    await this.#mustBeGroup(wanted.group);
    const key = newKey();
    const entity = this.database.getRepository(ApiKeyEntity).create({
      id: uuidv7(),
      accountId,
      name: wanted.name,
      keyHash: hashKey(key),
      masked: maskKey(key),
      group: wanted.group,
      status: 'active',
      expiresAt: wanted.expires_at === null ? null : new Date(wanted.expires_at),
      budgetPico: null,
      budgetDailyPico: null,
      budgetMonthlyPico: null,
      spentPico: '0',
      requestsPerMinute: wanted.limits.requests_per_minute ?? null,
      tokensPerMinute: wanted.limits.tokens_per_minute ?? null,
      strict: wanted.strict,
      revision: 1,
      createdAt: new Date(),
      lastUsedAt: null,
      deletedAt: null,
    });
    setBudgets(entity, wanted.budgets);
    await this.#write(entity);
    return { key, entity };
  }

  async list(
    person: Session,
    page: { accountId?: string; limit: number; offset: number },
  ): Promise<{ items: ApiKeyEntity[]; total: number }> {
    const accountId = accountFor(person, page.accountId);
    const [items, total] = await this.database.getRepository(ApiKeyEntity).findAndCount({
      where: { accountId, deletedAt: IsNull() },
      order: { createdAt: 'DESC', id: 'DESC' },
      take: page.limit,
      skip: page.offset,
    });
    return { items, total };
  }

  async change(person: Session, id: string, change: ChangeKey): Promise<ApiKeyEntity> {
    const entity = await this.#find(person, id);
    if (change.group !== undefined) await this.#mustBeGroup(change.group);
    entity.name = change.name ?? entity.name;
    entity.group = change.group ?? entity.group;
    entity.status = change.status ?? entity.status;
    if (change.expires_at !== undefined)
      entity.expiresAt = change.expires_at === null ? null : new Date(change.expires_at);
    if (change.budgets !== undefined) setBudgets(entity, change.budgets);
    if (change.limits !== undefined) {
      entity.requestsPerMinute = change.limits.requests_per_minute ?? null;
      entity.tokensPerMinute = change.limits.tokens_per_minute ?? null;
    }
    entity.strict = change.strict ?? entity.strict;
    await this.#write(entity);
    return entity;
  }

  async remove(person: Session, id: string): Promise<void> {
    const entity = await this.#find(person, id);
    entity.deletedAt = new Date();
    await this.#write(entity);
  }

  async #find(person: Session, id: string): Promise<ApiKeyEntity> {
    const entity = await this.database.getRepository(ApiKeyEntity).findOneBy({ id, deletedAt: IsNull() });
    if (!entity || (entity.accountId !== person.account_id && !actsForAll(person))) {
      throw httpError(404, 'There is no such key.', 'id');
    }
    return entity;
  }

  /** Leaves `spent_pico` and `last_used_at` alone: the usage worker writes those. */
  async #write(entity: ApiKeyEntity): Promise<void> {
    await this.database.transaction(async (manager) => {
      const { spentPico, lastUsedAt, revision, ...owned } = entity;
      const updated = await manager
        .createQueryBuilder()
        .update(ApiKeyEntity)
        .set({ ...owned, revision: () => 'revision + 1' })
        .where({ id: entity.id })
        .execute();
      if (updated.affected === 0)
        await manager.insert(ApiKeyEntity, { ...owned, spentPico, lastUsedAt, revision });
      await this.changes.note(manager, [entity.keyHash]);
    });
    await this.changes.announce();
    this.credit.changed([], [entity.id]);
  }

  async #mustBeGroup(name: string): Promise<void> {
    let snapshot;
    try {
      snapshot = await this.pricing.request(
        MESSAGE.snapshotGet,
        { version: 'current' },
        priceSnapshotSchema.nullable(),
      );
    } catch {
      throw httpError(503, 'The groups cannot be looked up at the moment. Try again shortly.');
    }
    const groups = snapshot?.catalogue.groups.map((group) => group.name) ?? [];
    if (!groups.includes(name)) {
      throw httpError(400, `group: there is no group "${name}". There are: ${groups.join(', ')}.`, 'group');
    }
  }
}
