import { Controller, Inject } from '@nestjs/common';
import { catalogueEntries, type RequestOf } from '@tollgate/api';
import { discountSchema } from '@tollgate/catalogue';
import type { Session } from '@tollgate/contracts';
import { Caller, Handles, httpError, Input } from '@tollgate/platform';
import type { CatalogueChange } from '../catalogue/change.ts';
import type { PricingConfig } from '../config.ts';
import { CONFIG } from '../provided.ts';
import { SnapshotStore } from '../snapshots/snapshot-store.ts';
import { modelFrom, poolChange, upstreamFrom } from './complete-entries.ts';
import { toRefusal } from './refusal.ts';
import { shownSnapshot } from './shown.ts';

type Entries = typeof catalogueEntries;
type Headers = RequestOf<Entries['putLimits']>['headers'];

/** The catalogue for its admins: every change that is accepted is a new version at once. */
@Controller()
export class CatalogueController {
  constructor(
    @Inject(SnapshotStore) private readonly snapshots: SnapshotStore,
    @Inject(CONFIG) private readonly config: PricingConfig,
  ) {}

  @Handles(catalogueEntries.showCatalogue)
  async newest() {
    const snapshot = await this.snapshots.current();
    if (!snapshot) throw httpError(404, 'Nothing is published yet.', null, 'nothing_published');
    return shownSnapshot(snapshot);
  }

  @Handles(catalogueEntries.putVendor)
  putVendor(
    @Input() { params: { name }, headers, body }: RequestOf<Entries['putVendor']>,
    @Caller() caller: Session,
  ) {
    const entry = { ...body, name };
    return this.#publish(caller, headers, `vendor ${name}`, { op: 'put', section: 'vendors', entry });
  }

  @Handles(catalogueEntries.putModel)
  putModel(
    @Input() { params: { name }, headers, body }: RequestOf<Entries['putModel']>,
    @Caller() caller: Session,
  ) {
    const entry = modelFrom({ ...body, name });
    return this.#publish(caller, headers, `model ${name}`, { op: 'put', section: 'models', entry });
  }

  @Handles(catalogueEntries.putGroup)
  putGroup(
    @Input() { params: { name }, headers, body }: RequestOf<Entries['putGroup']>,
    @Caller() caller: Session,
  ) {
    const entry = { ...body, name };
    return this.#publish(caller, headers, `group ${name}`, { op: 'put', section: 'groups', entry });
  }

  @Handles(catalogueEntries.putPool)
  putPool(
    @Input() { params: { name }, query, headers, body }: RequestOf<Entries['putPool']>,
    @Caller() caller: Session,
  ) {
    return this.#publish(caller, headers, `pool ${name}`, poolChange({ ...body, name }, query.before));
  }

  @Handles(catalogueEntries.putUpstream)
  putUpstream(
    @Input() { params: { name }, headers, body }: RequestOf<Entries['putUpstream']>,
    @Caller() caller: Session,
  ) {
    const entry = upstreamFrom({ ...body, name }, this.config.SEAL_KEY);
    return this.#publish(caller, headers, `upstream ${name}`, { op: 'put', section: 'upstreams', entry });
  }

  @Handles(catalogueEntries.putDiscounts)
  putDiscounts(
    @Input() { params, headers, body }: RequestOf<Entries['putDiscounts']>,
    @Caller() caller: Session,
  ) {
    return this.#publish(caller, headers, `discounts of ${params.account_id}`, {
      op: 'discounts',
      account_id: requireAccountId(params.account_id),
      discounts: body.discounts,
    });
  }

  @Handles(catalogueEntries.removeDiscounts)
  removeDiscounts(
    @Input() { params, headers }: RequestOf<Entries['removeDiscounts']>,
    @Caller() caller: Session,
  ) {
    return this.#publish(caller, headers, `delete discounts of ${params.account_id}`, {
      op: 'discounts',
      account_id: requireAccountId(params.account_id),
      discounts: [],
    });
  }

  @Handles(catalogueEntries.putLimits)
  putLimits(@Input() { headers, body: limits }: RequestOf<Entries['putLimits']>, @Caller() caller: Session) {
    return this.#publish(caller, headers, 'limits', { op: 'limits', limits });
  }

  @Handles(catalogueEntries.putAutoGroups)
  putAutoGroups(@Input() { headers, body }: RequestOf<Entries['putAutoGroups']>, @Caller() caller: Session) {
    return this.#publish(caller, headers, 'auto groups', { op: 'auto-groups', groups: body.groups });
  }

  @Handles(catalogueEntries.removeEntry)
  remove(@Input() { params, headers }: RequestOf<Entries['removeEntry']>, @Caller() caller: Session) {
    const { section, name } = params;
    return this.#publish(caller, headers, `delete ${section} ${name}`, { op: 'delete', section, name });
  }

  async #publish(caller: Session, headers: Headers, reason: string, change: CatalogueChange) {
    try {
      const { snapshot, changed } = await this.snapshots.publish([change], {
        actor: caller.email,
        reason,
        expected: headers['if-match'],
      });
      return { version: snapshot.version, hash: snapshot.hash, changed };
    } catch (error) {
      throw toRefusal(error);
    }
  }
}

/** @throws HttpException 400 */
function requireAccountId(id: string): string {
  if (!discountSchema.shape.account_id.safeParse(id).success)
    throw httpError(400, 'account_id: must be the UUID of an account.', 'account_id', 'no_such_account');
  return id.toLowerCase();
}
