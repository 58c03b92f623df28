import { Controller, HttpCode, Inject, Post, Req, UseGuards } from '@nestjs/common';
import { Allow, toKeyring } from '@tollgate/platform';
import { AdminGuard, type AdminRequest } from '../admin/admin.guard.ts';
import { refusalOf } from '../admin/refusal.ts';
import type { PricingConfig } from '../config.ts';
import { CONFIG } from '../provided.ts';
import { SnapshotStore } from '../snapshots/snapshot-store.ts';
import { type Resealed, resealEverything } from './reseal.ts';

/** The last step of a change of `SEAL_KEY`. */
@Controller('api/catalogue/reseal')
@UseGuards(AdminGuard)
export class ResealController {
  constructor(
    @Inject(SnapshotStore) private readonly snapshots: SnapshotStore,
    @Inject(CONFIG) private readonly config: PricingConfig,
  ) {}

  /** Seals all upstream credentials anew with `SEAL_KEY`; nothing changes where that has been done. */
  @Post()
  @Allow('catalogue:write')
  @HttpCode(200)
  async reseal(@Req() request: AdminRequest): Promise<Resealed> {
    try {
      return await resealEverything(this.snapshots, toKeyring(this.config), {
        actor: request.admin?.email ?? 'unknown',
      });
    } catch (error) {
      throw refusalOf(error);
    }
  }
}
