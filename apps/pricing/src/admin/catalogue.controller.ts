import {
  Body,
  Controller,
  Delete,
  Get,
  Headers,
  Inject,
  Param,
  Put,
  Query,
  Req,
  UseGuards,
} from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import { discountSchema } from '@tollgate/catalogue';
import { Allow, httpError } from '@tollgate/platform';
import type { z } from 'zod';
import { type CatalogueChange, type Section, SECTIONS } from '../catalogue/change.ts';
import type { PricingConfig } from '../config.ts';
import { CONFIG } from '../provided.ts';
import { SnapshotStore } from '../snapshots/snapshot-store.ts';
import { AdminGuard, type AdminRequest } from './admin.guard.ts';
import { expectedNumber, refusalOf } from './refusal.ts';
import {
  autoGroupsBody,
  discountsBody,
  groupBody,
  limitsBody,
  modelBody,
  poolBody,
  poolQuery,
  upstreamBody,
  vendorBody,
} from './schemas.ts';
import { shownSnapshot } from './shown.ts';
import { modelFrom, poolChange, upstreamFrom } from './stated-entries.ts';

const IF_MATCH = {
  name: 'if-match',
  required: false,
  description: 'The version that the change is made on top of; another one is answered with 412',
};

/** The catalogue for its admins: every change that is accepted is a new version at once. */
@Controller('api/catalogue')
@UseGuards(AdminGuard)
export class CatalogueController {
  constructor(
    @Inject(SnapshotStore) private readonly snapshots: SnapshotStore,
    @Inject(CONFIG) private readonly config: PricingConfig,
  ) {}

  @Get()
  @Allow('catalogue:write')
  async newest(): Promise<object> {
    const snapshot = await this.snapshots.current();
    if (!snapshot) throw httpError(404, 'Nothing is published yet.');
    return shownSnapshot(snapshot);
  }

  @ApiHeader(IF_MATCH)
  @Put('vendors/:name')
  @Allow('catalogue:write')
  putVendor(
    @Req() request: AdminRequest,
    @Param('name') name: string,
    @Body({ schema: vendorBody }) body: z.infer<typeof vendorBody>,
    @Headers('if-match') expected?: string,
  ): Promise<object> {
    const entry = { ...body, name };
    return this.#publish(request, `vendor ${name}`, expected, { op: 'put', section: 'vendors', entry });
  }

  @ApiHeader(IF_MATCH)
  @Put('models/:name')
  @Allow('catalogue:write')
  putModel(
    @Req() request: AdminRequest,
    @Param('name') name: string,
    @Body({ schema: modelBody }) body: z.infer<typeof modelBody>,
    @Headers('if-match') expected?: string,
  ): Promise<object> {
    const entry = modelFrom({ ...body, name });
    return this.#publish(request, `model ${name}`, expected, { op: 'put', section: 'models', entry });
  }

  @ApiHeader(IF_MATCH)
  @Put('groups/:name')
  @Allow('catalogue:write')
  putGroup(
    @Req() request: AdminRequest,
    @Param('name') name: string,
    @Body({ schema: groupBody }) body: z.infer<typeof groupBody>,
    @Headers('if-match') expected?: string,
  ): Promise<object> {
    const entry = { ...body, name };
    return this.#publish(request, `group ${name}`, expected, { op: 'put', section: 'groups', entry });
  }

  @ApiHeader(IF_MATCH)
  @Put('pools/:name')
  @Allow('catalogue:write')
  putPool(
    @Req() request: AdminRequest,
    @Param('name') name: string,
    @Body({ schema: poolBody }) body: z.infer<typeof poolBody>,
    @Query({ schema: poolQuery }) { before }: z.infer<typeof poolQuery>,
    @Headers('if-match') expected?: string,
  ): Promise<object> {
    return this.#publish(request, `pool ${name}`, expected, poolChange({ ...body, name }, before));
  }

  @ApiHeader(IF_MATCH)
  @Put('upstreams/:name')
  @Allow('catalogue:write')
  putUpstream(
    @Req() request: AdminRequest,
    @Param('name') name: string,
    @Body({ schema: upstreamBody }) body: z.infer<typeof upstreamBody>,
    @Headers('if-match') expected?: string,
  ): Promise<object> {
    const entry = upstreamFrom({ ...body, name }, this.config.SEAL_KEY);
    return this.#publish(request, `upstream ${name}`, expected, { op: 'put', section: 'upstreams', entry });
  }

  @ApiHeader(IF_MATCH)
  @Put('discounts/:account_id')
  @Allow('catalogue:write')
  putDiscounts(
    @Req() request: AdminRequest,
    @Param('account_id') accountId: string,
    @Body({ schema: discountsBody }) { discounts }: z.infer<typeof discountsBody>,
    @Headers('if-match') expected?: string,
  ): Promise<object> {
    return this.#publish(request, `discounts of ${accountId}`, expected, {
      op: 'discounts',
      account_id: accountOf(accountId),
      discounts,
    });
  }

  @ApiHeader(IF_MATCH)
  @Delete('discounts/:account_id')
  @Allow('catalogue:write')
  removeDiscounts(
    @Req() request: AdminRequest,
    @Param('account_id') accountId: string,
    @Headers('if-match') expected?: string,
  ): Promise<object> {
    return this.#publish(request, `delete discounts of ${accountId}`, expected, {
      op: 'discounts',
      account_id: accountOf(accountId),
      discounts: [],
    });
  }

  @ApiHeader(IF_MATCH)
  @Put('limits')
  @Allow('catalogue:write')
  putLimits(
    @Req() request: AdminRequest,
    @Body({ schema: limitsBody }) limits: z.infer<typeof limitsBody>,
    @Headers('if-match') expected?: string,
  ): Promise<object> {
    return this.#publish(request, 'limits', expected, { op: 'limits', limits });
  }

  @ApiHeader(IF_MATCH)
  @Put('auto-groups')
  @Allow('catalogue:write')
  putAutoGroups(
    @Req() request: AdminRequest,
    @Body({ schema: autoGroupsBody }) { groups }: z.infer<typeof autoGroupsBody>,
    @Headers('if-match') expected?: string,
  ): Promise<object> {
    return this.#publish(request, 'auto groups', expected, { op: 'auto-groups', groups });
  }

  @ApiHeader(IF_MATCH)
  @Delete(':section/:name')
  @Allow('catalogue:write')
  remove(
    @Req() request: AdminRequest,
    @Param('section') section: string,
    @Param('name') name: string,
    @Headers('if-match') expected?: string,
  ): Promise<object> {
    const known = SECTIONS.find((each): each is Section => each === section);
    if (!known) throw httpError(404, `There is no section "${section}".`);
    return this.#publish(request, `delete ${section} ${name}`, expected, {
      op: 'delete',
      section: known,
      name,
    });
  }

  async #publish(
    request: AdminRequest,
    reason: string,
    expected: string | undefined,
    change: CatalogueChange,
  ): Promise<object> {
    try {
      const { snapshot, changed } = await this.snapshots.publish([change], {
        actor: request.admin?.email ?? 'unknown',
        reason,
        expected: expectedNumber(expected),
      });
      return { version: snapshot.version, hash: snapshot.hash, changed };
    } catch (error) {
      throw refusalOf(error);
    }
  }
}

function accountOf(id: string): string {
  if (!discountSchema.shape.account_id.safeParse(id).success)
    throw httpError(400, 'account_id: must be the UUID of an account.', 'account_id');
  return id.toLowerCase();
}
