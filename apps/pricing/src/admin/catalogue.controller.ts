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
import { type Catalogue, type PriceSnapshot, type Upstream } from '@tollgate/contracts';
import { httpError, seal } from '@tollgate/platform';
import type { z } from 'zod';
import { type CatalogueChange, type Section, SECTIONS } from '../catalogue/change.ts';
import { completePrices } from '../catalogue/complete-prices.ts';
import type { PricingConfig } from '../config.ts';
import { CONFIG } from '../provided.ts';
import { type Publication, PublishError, SnapshotStore } from '../snapshots/snapshot-store.ts';
import { AdminGuard, type AdminRequest } from './admin.guard.ts';
import { groupBody, limitsBody, modelBody, poolBody, upstreamBody, vendorBody } from './schemas.ts';

/** The catalogue for its admins: every change that is accepted is a new version at once. */
@Controller('api/catalogue')
@UseGuards(AdminGuard)
export class CatalogueController {
  constructor(
    @Inject(SnapshotStore) private readonly snapshots: SnapshotStore,
    @Inject(CONFIG) private readonly config: PricingConfig,
  ) {}

  @Get()
  async newest(): Promise<object> {
    const snapshot = await this.snapshots.current();
    if (!snapshot) throw httpError(404, 'Nothing is published yet.');
    return shown(snapshot);
  }

  @Get('versions')
  async versions(@Query('before') before?: string, @Query('limit') limit?: string): Promise<object> {
    const rows = await this.snapshots.list(
      before === undefined ? undefined : Number.parseInt(before, 10) || 0,
      Math.min(100, Math.max(1, Number.parseInt(limit ?? '20', 10) || 20)),
    );
    return {
      items: rows.map(({ version, hash, publishedAt, actor, reason }) => ({
        version,
        hash,
        published_at: publishedAt.toISOString(),
        actor,
        reason,
      })),
      next: rows.at(-1)?.version ?? null,
    };
  }

  @Put('vendors/:name')
  putVendor(
    @Req() request: AdminRequest,
    @Param('name') name: string,
    @Body({ schema: vendorBody }) body: z.infer<typeof vendorBody>,
    @Headers('if-match') expected?: string,
  ): Promise<object> {
    return this.#publish(request, `vendor ${name}`, expected, () => ({
      op: 'put',
      section: 'vendors',
      entry: { ...body, name },
    }));
  }

  @Put('models/:name')
  putModel(
    @Req() request: AdminRequest,
    @Param('name') name: string,
    @Body({ schema: modelBody }) body: z.infer<typeof modelBody>,
    @Headers('if-match') expected?: string,
  ): Promise<object> {
    const entry = { ...body, name, prices: completePrices(body.prices) };
    return this.#publish(request, `model ${name}`, expected, () => ({ op: 'put', section: 'models', entry }));
  }

  @Put('groups/:name')
  putGroup(
    @Req() request: AdminRequest,
    @Param('name') name: string,
    @Body({ schema: groupBody }) body: z.infer<typeof groupBody>,
    @Headers('if-match') expected?: string,
  ): Promise<object> {
    return this.#publish(request, `group ${name}`, expected, () => ({
      op: 'put',
      section: 'groups',
      entry: { ...body, name },
    }));
  }

  @Put('pools/:name')
  putPool(
    @Req() request: AdminRequest,
    @Param('name') name: string,
    @Body({ schema: poolBody }) body: z.infer<typeof poolBody>,
    @Headers('if-match') expected?: string,
  ): Promise<object> {
    return this.#publish(request, `pool ${name}`, expected, () => ({
      op: 'put',
      section: 'pools',
      entry: { ...body, name },
    }));
  }

  @Put('upstreams/:name')
  putUpstream(
    @Req() request: AdminRequest,
    @Param('name') name: string,
    @Body({ schema: upstreamBody }) body: z.infer<typeof upstreamBody>,
    @Headers('if-match') expected?: string,
  ): Promise<object> {
    const { credential, ...rest } = body;
    return this.#publish(request, `upstream ${name}`, expected, (catalogue) => {
      const before =
        catalogue.upstreams.find((upstream) => upstream.name === name)?.sealed_credential ?? null;
      const sealed_credential =
        credential === undefined
          ? before
          : credential === null
            ? null
            : seal(credential, this.config.SEAL_KEY);
      const entry: Upstream = { ...rest, name, sealed_credential };
      return { op: 'put', section: 'upstreams', entry };
    });
  }

  @Put('limits')
  putLimits(
    @Req() request: AdminRequest,
    @Body({ schema: limitsBody }) limits: z.infer<typeof limitsBody>,
    @Headers('if-match') expected?: string,
  ): Promise<object> {
    return this.#publish(request, 'limits', expected, () => ({ op: 'limits', limits }));
  }

  @Delete(':section/:name')
  remove(
    @Req() request: AdminRequest,
    @Param('section') section: string,
    @Param('name') name: string,
    @Headers('if-match') expected?: string,
  ): Promise<object> {
    const known = SECTIONS.find((each): each is Section => each === section);
    if (!known) throw httpError(404, `There is no section "${section}".`);
    return this.#publish(request, `delete ${section} ${name}`, expected, () => ({
      op: 'delete',
      section: known,
      name,
    }));
  }

  async #publish(
    request: AdminRequest,
    reason: string,
    expected: string | undefined,
    makeChange: (catalogue: Catalogue) => CatalogueChange,
  ): Promise<object> {
    try {
      const { snapshot, changed }: Publication = await this.snapshots.publish(makeChange, {
        actor: request.session?.email ?? 'unknown',
        reason,
        expected: expected === undefined ? undefined : Number.parseInt(expected.replaceAll('"', ''), 10),
      });
      return { version: snapshot.version, hash: snapshot.hash, changed };
    } catch (error) {
      if (!(error instanceof PublishError)) throw error;
      const status = error.kind === 'conflict' ? 412 : 400;
      throw httpError(status, error.message);
    }
  }
}

/** A snapshot without its credentials. */
const shown = ({ version, hash, published_at, catalogue }: PriceSnapshot) => ({
  version,
  hash,
  published_at,
  catalogue: {
    ...catalogue,
    upstreams: catalogue.upstreams.map(({ sealed_credential, ...upstream }) => ({
      ...upstream,
      has_credential: sealed_credential !== null,
    })),
  },
});
