import { Controller, Inject } from '@nestjs/common';
import { catalogueEntries } from '@tollgate/api';
import type { Session } from '@tollgate/contracts';
import { Caller, Handles, Input, toKeyring } from '@tollgate/platform';
import { toRefusal } from '../admin/refusal.ts';
import type { PricingConfig } from '../config.ts';
import { CONFIG } from '../provided.ts';
import { SnapshotStore } from '../snapshots/snapshot-store.ts';
import { resealEverything } from './reseal.ts';

/** The last step of a change of `SEAL_KEY`. */
@Controller()
export class ResealController {
  constructor(
    @Inject(SnapshotStore) private readonly snapshots: SnapshotStore,
    @Inject(CONFIG) private readonly config: PricingConfig,
  ) {}

  @Handles(catalogueEntries.resealCredentials)
  async reseal(@Input() _input: unknown, @Caller() caller: Session) {
    try {
      return await resealEverything(this.snapshots, toKeyring(this.config), { actor: caller.email });
    } catch (error) {
      throw toRefusal(error);
    }
  }
}
