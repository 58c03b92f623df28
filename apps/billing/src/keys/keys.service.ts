import { Inject, Injectable } from '@nestjs/common';
import type { keys, RequestOf } from '@tollgate/api';
import type { BudgetWindow, Session } from '@tollgate/contracts';
import { parseUsd } from '@tollgate/money';
import { httpError, normaliseAddressRange, type RequestReplyClient } from '@tollgate/platform';
import { type AuditAction, isAllowed } from '@tollgate/vocabulary';
import { type DataSource, type EntityManager, In, IsNull } from 'typeorm';
import { AccountEntity } from '../accounts/account.entity.ts';
import { uuidv7 } from '../accounts/uuid.ts';
import { audit } from '../audit-log/audit.ts';
import type { CreditChanges } from '../credit/credit-changes.ts';
import { CREDIT, DATABASE, KEY_CHANGES, KEY_RULES, PRICING } from '../provided.ts';
import { ApiKeyEntity } from './api-key.entity.ts';
import { requireInCatalogue } from './catalogue-names.ts';
import { describeKey } from './described-key.ts';
import { addFormerSecret, countWorking, requireNewSecret, workingHashes } from './former-secrets.ts';
import type { KeyChanges } from './key-changes.ts';
import { canManageAllAccounts, requireOwner, seesKey } from './key-access.ts';
import { findKeyPage } from './key-list.ts';
import { hashKey, maskKey, newKey } from './key-secret.ts';
import { explicitBudgets } from './key-spend.ts';
import { allowedGroups, type KeyRules, requireRoomForKey, usualGroup } from './key-rules.ts';
import { limitColumns } from './limits.ts';
import { holdFields, requireWithinOperatorFields, explicitFields } from './operator-fields.ts';

type CreateKey = RequestOf<typeof keys.createKey>['body'];
type ImportKey = RequestOf<typeof keys.importKey>['body'];
type ChangeKey = RequestOf<typeof keys.changeKey>['body'];

/** The column of each budget. */
const BUDGET_COLUMNS = {
  total: 'budgetPico',
  daily: 'budgetDailyPico',
  monthly: 'budgetMonthlyPico',
} as const satisfies Record<BudgetWindow, keyof ApiKeyEntity>;

type AddedKey = CreateKey & Pick<ApiKeyEntity, 'keyHash' | 'masked' | 'status'>;

/** Sets what is stated and leaves the rest. */
function setBudgets(entity: ApiKeyEntity, budgets: CreateKey['budgets']): void {
  for (const [window, usd] of explicitBudgets(budgets))
    entity[BUDGET_COLUMNS[window]] = usd === null ? null : parseUsd(usd).toString();
}

/** Secrets of one key that work at the same time. */
const MAX_SECRETS = 5;

/** Makes, lists, changes, rotates and deletes API keys. */
@Injectable()
export class KeysService {
  constructor(
    @Inject(DATABASE) private readonly database: DataSource,
    @Inject(KEY_CHANGES) private readonly changes: KeyChanges,
    @Inject(PRICING) private readonly pricing: RequestReplyClient,
    @Inject(CREDIT) private readonly credit: CreditChanges,
    @Inject(KEY_RULES) private readonly rules: KeyRules,
  ) {}

  /** Beside {@link rotate} the only answer that ever holds the key itself. */
  async create(person: Session, input: CreateKey): Promise<{ key: string; entity: ApiKeyEntity }> {
    const key = newKey();
    const entity = await this.#add(person, { ...input, ...secretOf(key), status: 'active' }, 'key.create');
    return { key, entity };
  }

  /**
   * Takes over a key that another relay gave out, secret and all. For owners, who know where it comes from.
   *
   * @throws HttpException 409 for a key that is here already, whosever it is.
   */
  async importKey(person: Session, input: ImportKey): Promise<ApiKeyEntity> {
    const { key, key_hash: keyHash = '', masked = '', ...rest } = input;
    const secret = key === undefined ? { keyHash, masked } : secretOf(key);
    return this.#add(person, { ...rest, ...secret, temporary: false }, 'key.import');
  }

  async #add(person: Session, input: AddedKey, action: 'key.create' | 'key.import'): Promise<ApiKeyEntity> {
    const named = input.account_id ?? person.account_id;
    const account = await this.database.getRepository(AccountEntity).findOneBy({ id: named });
    if (!account)
      throw httpError(400, 'account_id: there is no such account.', 'account_id', 'no_such_account');
    // In its own letters: the caller may have written capitals.
    const accountId = account.id;
    const ownerId =
      input.owner_id === undefined
        ? accountId === person.account_id
          ? person.user_id
          : null
        : await requireOwner(this.database, person, accountId, input.owner_id);
    const groups = allowedGroups(account, this.rules);
    const group = input.group ?? usualGroup(groups);
    await requireInCatalogue(this.pricing, { ...input, group }, canManageAllAccounts(person) ? null : groups);
    const entity = this.database.getRepository(ApiKeyEntity).create({
      id: uuidv7(),
      accountId,
      ownerId,
      name: input.name,
      keyHash: input.keyHash,
      masked: input.masked,
      group,
      status: input.status,
      expiresAt: input.expires_at === null ? null : new Date(input.expires_at),
      budgetPico: null,
      budgetDailyPico: null,
      budgetMonthlyPico: null,
      spentPico: '0',
      ...limitColumns(input.limits),
      models: input.models,
      allowedAddresses: normalised(input.allowed_addresses),
      strict: input.strict,
      temporary: input.temporary,
      operatorFields: {},
      revision: 1,
      createdAt: new Date(),
      lastUsedAt: null,
      deletedAt: null,
    });
    setBudgets(entity, input.budgets);
    if (canManageAllAccounts(person))
      entity.operatorFields = holdFields(entity, {}, explicitFields(input), person.email);
    await this.database.transaction(async (manager) => {
      // Those who move in from another relay bring what they have.
      if (action === 'key.create') await requireRoomForKey(manager, account, this.rules);
      await requireNewSecret(manager, entity.keyHash);
      await manager.insert(ApiKeyEntity, entity);
      await audit(manager, { ...about(entity), action, after: describeKey(entity) });
      await this.changes.note(manager, [entity.keyHash]);
    });
    await this.#tell(entity.id);
    return entity;
  }

  async list(
    person: Session,
    { account_id, ...page }: RequestOf<typeof keys.listKeys>['query'],
  ): Promise<{ items: ApiKeyEntity[]; total: number | null }> {
    const { ids, total } = await findKeyPage(this.database, {
      ...page,
      accountId: account_id ?? person.account_id,
      ownerId: isAllowed(person.role, 'keys:read-all') ? undefined : person.user_id,
    });
    const found = await this.database.getRepository(ApiKeyEntity).findBy({ id: In(ids) });
    const byId = new Map(found.map((key) => [key.id, key]));
    return { items: ids.flatMap((id) => byId.get(id) ?? []), total };
  }

  async change(person: Session, id: string, change: ChangeKey): Promise<ApiKeyEntity> {
    const isOperator = canManageAllAccounts(person);
    if (!isOperator && change.operator_fields !== undefined)
      throw httpError(
        403,
        'operator_fields: this is for operators of this service.',
        'operator_fields',
        'operators_only',
      );
    const found = await this.#find(this.database.manager, person, id);
    await this.#requireOffered(found, change, isOperator);
    const ownerId =
      change.owner_id === undefined
        ? undefined
        : await requireOwner(this.database, person, found.accountId, change.owner_id);
    return this.#withKey(person, id, 'key.change', (entity) => {
      entity.name = change.name ?? entity.name;
      if (ownerId !== undefined) entity.ownerId = ownerId;
      entity.group = change.group ?? entity.group;
      entity.status = change.status ?? entity.status;
      if (change.expires_at !== undefined)
        entity.expiresAt = change.expires_at === null ? null : new Date(change.expires_at);
      if (change.budgets !== undefined) setBudgets(entity, change.budgets);
      if (change.limits !== undefined) Object.assign(entity, limitColumns(change.limits));
      if (change.models !== undefined) entity.models = change.models;
      if (change.allowed_addresses !== undefined)
        entity.allowedAddresses = normalised(change.allowed_addresses);
      entity.strict = change.strict ?? entity.strict;
      if (!isOperator) return requireWithinOperatorFields(entity, entity.operatorFields);
      const kept = change.operator_fields === undefined ? entity.operatorFields : {};
      const fields = change.operator_fields ?? explicitFields(change);
      entity.operatorFields = holdFields(entity, kept, fields, person.email);
    });
  }

  /** What stays as it is may stay, though the account would not get it any more. */
  async #requireOffered(key: ApiKeyEntity, change: ChangeKey, isOperator: boolean): Promise<void> {
    const account = await this.database.getRepository(AccountEntity).findOneByOrFail({ id: key.accountId });
    const group = change.group === key.group ? undefined : change.group;
    const models = change.models?.filter((model) => !key.models?.includes(model));
    const groups = allowedGroups(account, this.rules);
    // A key that an operator put into another group may be held to models of that one.
    const known = group === undefined ? [...groups, key.group] : groups;
    await requireInCatalogue(this.pricing, { group, models }, isOperator ? null : known);
  }

  /**
   * Gives a key a new secret. The one before works for `overlapS` seconds more: both are the same key, with the same
   * budgets, limits and usage.
   */
  async rotate(
    person: Session,
    id: string,
    overlapS: number,
  ): Promise<{ key: string; entity: ApiKeyEntity }> {
    const key = newKey();
    const entity = await this.#withKey(person, id, 'key.rotate', async (entity, manager) => {
      if ((await countWorking(manager, id)) + 2 > MAX_SECRETS) {
        throw httpError(
          409,
          `${MAX_SECRETS} secrets of this key work already. Wait for the overlap of one to end.`,
          'overlap_s',
          'too_many_secrets',
          { max: MAX_SECRETS },
        );
      }
      await addFormerSecret(manager, { keyId: id, keyHash: entity.keyHash, masked: entity.masked }, overlapS);
      // Gateways forget the one before at once, for it has another end now.
      await this.changes.note(manager, [entity.keyHash]);
      Object.assign(entity, secretOf(key));
    });
    return { key, entity };
  }

  async remove(person: Session, id: string): Promise<void> {
    await this.#withKey(person, id, 'key.delete', (entity) => void (entity.deletedAt = new Date()));
  }

  async #find(manager: EntityManager, person: Session, id: string, lock = false): Promise<ApiKeyEntity> {
    const entity = await manager.findOne(ApiKeyEntity, {
      where: { id, deletedAt: IsNull() },
      ...(lock ? { lock: { mode: 'pessimistic_write' as const } } : {}),
    });
    if (!entity || !seesKey(person, entity)) {
      throw httpError(404, 'There is no such key.', 'id', 'not_found');
    }
    return entity;
  }

  /** Changes a key that nobody else changes meanwhile, notes it in the audit log and tells gateways. */
  async #withKey(
    person: Session,
    id: string,
    action: AuditAction,
    work: (entity: ApiKeyEntity, manager: EntityManager) => void | Promise<void>,
  ): Promise<ApiKeyEntity> {
    const changed = await this.database.transaction(async (manager) => {
      const entity = await this.#find(manager, person, id, true);
      const before = describeKey(entity);
      await work(entity, manager);
      // `spent_pico` and `last_used_at` are left alone: the usage worker writes those.
      const { spentPico: _spent, lastUsedAt: _used, revision: _revision, ...owned } = entity;
      await manager
        .createQueryBuilder()
        .update(ApiKeyEntity)
        .set({ ...owned, revision: () => 'revision + 1' })
        .where({ id })
        .execute();
      await audit(manager, {
        ...about(entity),
        action,
        before,
        ...(entity.deletedAt === null ? { after: describeKey(entity) } : {}),
      });
      await this.changes.note(manager, await workingHashes(manager, [id]));
      return entity;
    });
    await this.#tell(id);
    return changed;
  }

  async #tell(keyId: string): Promise<void> {
    await this.changes.announce();
    this.credit.changed([], [keyId]);
  }
}

const normalised = (ranges: readonly string[] | null): string[] | null =>
  ranges && [...new Set(ranges.flatMap((range) => normaliseAddressRange(range) ?? []))];

const secretOf = (key: string) => ({ keyHash: hashKey(key), masked: maskKey(key) });

const about = ({ id, accountId }: ApiKeyEntity) => ({ object: `key ${id}`, accountId });
