import { Controller, Inject } from '@nestjs/common';
import { keys, type RequestOf } from '@tollgate/api';
import type { Session } from '@tollgate/contracts';
import { formatUsd } from '@tollgate/money';
import { Caller, Handles, Input } from '@tollgate/platform';
import type { DataSource } from 'typeorm';
import { DATABASE } from '../provided.ts';
import type { ApiKeyEntity } from './api-key.entity.ts';
import { describeKey } from './described-key.ts';
import { type FormerSecret, lastSecrets } from './former-secrets.ts';
import { type KeySpend, readSpend } from './key-spend.ts';
import { readOwners } from './key-list.ts';
import { KeysService } from './keys.service.ts';

@Controller()
export class KeysController {
  constructor(
    @Inject(KeysService) private readonly keys: KeysService,
    @Inject(DATABASE) private readonly database: DataSource,
  ) {}

  @Handles(keys.createKey)
  async create(@Input() { body }: RequestOf<typeof keys.createKey>, @Caller() caller: Session) {
    const { key, entity } = await this.keys.create(caller, body);
    return { key, ...(await this.#describe(entity)) };
  }

  @Handles(keys.importKey)
  async import(@Input() { body }: RequestOf<typeof keys.importKey>, @Caller() caller: Session) {
    return this.#describe(await this.keys.importKey(caller, body));
  }

  @Handles(keys.listKeys)
  async list(@Input() { query }: RequestOf<typeof keys.listKeys>, @Caller() caller: Session) {
    const { items, total } = await this.keys.list(caller, query);
    return { items: await this.#describeAll(items), total };
  }

  @Handles(keys.changeKey)
  async change(@Input() { params, body }: RequestOf<typeof keys.changeKey>, @Caller() caller: Session) {
    return this.#describe(await this.keys.change(caller, params.id, body));
  }

  @Handles(keys.rotateKey)
  async rotate(@Input() { params, body }: RequestOf<typeof keys.rotateKey>, @Caller() caller: Session) {
    const { key, entity } = await this.keys.rotate(caller, params.id, body.overlap_s);
    return { key, ...(await this.#describe(entity)) };
  }

  @Handles(keys.removeKey)
  remove(@Input() { params }: RequestOf<typeof keys.removeKey>, @Caller() caller: Session) {
    return this.keys.remove(caller, params.id);
  }

  async #describe(entity: ApiKeyEntity) {
    const [described] = await this.#describeAll([entity]);
    if (!described) throw new Error('A key has no description.');
    return described;
  }

  async #describeAll(entities: readonly ApiKeyEntity[]) {
    const [spend, former, owners] = await Promise.all([
      readSpend(this.database, entities),
      lastSecrets(
        this.database,
        entities.map(({ id }) => id),
      ),
      readOwners(
        this.database,
        entities.map(({ ownerId }) => ownerId),
      ),
    ]);
    return entities.map((key) => ({
      ...describe(key, spend.get(key.id) ?? NOTHING, former.get(key.id)),
      owner: owners.get(key.ownerId) ?? null,
    }));
  }
}

const NOTHING: KeySpend = { total: 0n, daily: 0n, monthly: 0n };

/** A key as lists show it. */
const describe = (key: ApiKeyEntity, spend: KeySpend, former: FormerSecret | undefined) => ({
  id: key.id,
  account_id: key.accountId,
  ...describeKey(key),
  spent: {
    total_usd: formatUsd(spend.total),
    today_usd: formatUsd(spend.daily),
    this_month_usd: formatUsd(spend.monthly),
  },
  /** The secret before this one, and how long it works. */
  rotated_from: former ? { masked: former.masked, works_until: former.worksUntil.toISOString() } : null,
  created_at: key.createdAt?.toISOString() ?? null,
  last_used_at: key.lastUsedAt?.toISOString() ?? null,
});
