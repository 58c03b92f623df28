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
import { ApiHeader } from '@nestjs/swagger';
import type { z } from 'zod';
import { type CatalogueChange, type Section, SECTIONS } from '../catalogue/change.ts';
import { completePrices } from '../catalogue/complete-prices.ts';
import type { PricingConfig } from '../config.ts';
import { CONFIG } from '../provided.ts';
import { type Publication, PublishError, SnapshotStore } from '../snapshots/snapshot-store.ts';
import { AdminGuard, type AdminRequest } from './admin.guard.ts';
import {
  groupBody,
  limitsBody,
  modelBody,
  poolBody,
  poolQuery,
  upstreamBody,
  vendorBody,
  versionsQuery,
} from './schemas.ts';

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
  async newest(): Promise<object> {
    const snapshot = await this.snapshots.current();
    if (!snapshot) throw httpError(404, 'Nothing is published yet.');
    return shown(snapshot);
  }

  @Get('versions')
  async versions(
    @Query({ schema: versionsQuery }) { before, limit }: z.infer<typeof versionsQuery>,
  ): Promise<object> {
    const rows = await this.snapshots.list(before, limit);
    return {
      items: rows.map(({ version, hash, publishedAt, actor, reason }) => ({
        version,
        hash,
        published_at: publishedAt.toISOString(),
        actor,
        reason,
      })),
      next: nextOf(rows.at(-1)),
    };
  }

  @ApiHeader(IF_MATCH)
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

  @ApiHeader(IF_MATCH)
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

  @ApiHeader(IF_MATCH)
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

  @ApiHeader(IF_MATCH)
  @Put('pools/:name')
  putPool(
    @Req() request: AdminRequest,
    @Param('name') name: string,
    @Body({ schema: poolBody }) body: z.infer<typeof poolBody>,
    @Query({ schema: poolQuery }) { before }: z.infer<typeof poolQuery>,
    @Headers('if-match') expected?: string,
  ): Promise<object> {
    const pool = { ...body, name };
    return this.#publish(request, `pool ${name}`, expected, (catalogue) => {
      if (before === undefined) return { op: 'put', section: 'pools', entry: pool };
      if (before === name || !catalogue.pools.some((each) => each.name === before)) {
        throw new PublishError('invalid', `before: there is no other pool "${before}"`);
      }
      return { op: 'put-before', pool, before };
    });
  }

  @ApiHeader(IF_MATCH)
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

  @ApiHeader(IF_MATCH)
  @Put('limits')
  putLimits(
    @Req() request: AdminRequest,
    @Body({ schema: limitsBody }) limits: z.infer<typeof limitsBody>,
    @Headers('if-match') expected?: string,
  ): Promise<object> {
    return this.#publish(request, 'limits', expected, () => ({ op: 'limits', limits }));
  }

  @ApiHeader(IF_MATCH)
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
    const version = versionOf(expected);
    try {
      const { snapshot, changed }: Publication = await this.snapshots.publish(makeChange, {
        actor: request.session?.email ?? 'unknown',
        reason,
        expected: version,
      });
      return { version: snapshot.version, hash: snapshot.hash, changed };
    } catch (error) {
      if (!(error instanceof PublishError)) throw error;
      const status = error.kind === 'conflict' ? 412 : 400;
      throw httpError(status, error.message);
    }
  }
}

/** Versions have no gaps: below the first there is no page. */
const nextOf = (last: { version: number } | undefined): number | null =>
  last && last.version > 1 ? last.version : null;

/** The version that If-Match names; undefined when any will do. */
function versionOf(header: string | undefined): number | undefined {
  if (header === undefined || header === '*') return undefined;
  const digits = /^"?(\d{1,9})"?$/.exec(header)?.[1];
  if (digits === undefined) throw httpError(400, 'If-Match: must be the number of a version.', 'if-match');
  return Number(digits);
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
