import {
  Body,
  Controller,
  Delete,
  Get,
  Headers,
  HttpCode,
  Inject,
  Param,
  Post,
  Put,
  Query,
  Req,
  UseGuards,
} from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import { vendorSchema } from '@tollgate/catalogue';
import { Allow, httpError, toKeyring } from '@tollgate/platform';
import type { z } from 'zod';
import { AdminGuard, type AdminRequest } from '../admin/admin.guard.ts';
import { expectedNumber, refusalOf } from '../admin/refusal.ts';
import { shownDifferences } from '../admin/shown.ts';
import { EMPTY_CATALOGUE } from '../catalogue/change.ts';
import { changesTo } from '../catalogue/restore.ts';
import type { PricingConfig } from '../config.ts';
import { CONFIG } from '../provided.ts';
import { resealedChanges } from '../reseal/reseal.ts';
import { SnapshotStore } from '../snapshots/snapshot-store.ts';
import {
  changesFrom,
  type DraftBody,
  draftBody,
  draftsQuery,
  publishBody,
  restoreBody,
  scheduleBody,
  shownChanges,
} from './draft-bodies.ts';
import { faultsAt, previewOf } from './draft-preview.ts';
import { type Draft, DraftStore, noSuchDraft } from './draft-store.ts';
import { publishDraft } from './publish-drafts.ts';

/** Price books that are written before they hold: published by hand, or on their day. */
@Controller('api/catalogue/drafts')
@UseGuards(AdminGuard)
export class DraftsController {
  constructor(
    @Inject(DraftStore) private readonly drafts: DraftStore,
    @Inject(SnapshotStore) private readonly snapshots: SnapshotStore,
    @Inject(CONFIG) private readonly config: PricingConfig,
  ) {}

  /** All drafts without their changes, by name. */
  @Get()
  @Allow('catalogue:write')
  async list(
    @Query({ schema: draftsQuery }) { limit, ...filter }: z.infer<typeof draftsQuery>,
  ): Promise<object> {
    const found = await this.drafts.list(filter, limit + 1);
    const items = found.slice(0, limit);
    return {
      items: items.map((draft) => ({ ...shown(draft), changes: draft.changes.length })),
      next: found.length > limit ? items.at(-1)?.name : null,
    };
  }

  /** A draft, what it would change now, and what is wrong with it. */
  @Get(':name')
  @Allow('catalogue:write')
  async one(@Param('name') name: string): Promise<object> {
    return this.#withPreview(await this.#find(name));
  }

  /** Makes a draft or replaces it. */
  @ApiHeader({
    name: 'if-match',
    required: false,
    description: 'The revision that is replaced, 0 for none; another one is answered with 412',
  })
  @Put(':name')
  @Allow('catalogue:write')
  async write(
    @Req() request: AdminRequest,
    @Param('name') name: string,
    @Body({ schema: draftBody }) { reason, changes }: DraftBody,
    @Headers('if-match') expected?: string,
  ): Promise<object> {
    mustBeName(name);
    const changesOn = (earlier: Draft['changes']) => changesFrom(changes, earlier, this.config.SEAL_KEY);
    const by = { actor: actorOf(request), expected: expectedNumber(expected) };
    return this.#withPreview(await this.drafts.write(name, { reason, changesOn }, by));
  }

  /** Makes a draft that brings back what an earlier version said, all of it or some sections. */
  @Post(':name/restore')
  @Allow('catalogue:write')
  @HttpCode(200)
  async restore(
    @Req() request: AdminRequest,
    @Param('name') name: string,
    @Body({ schema: restoreBody }) { version, reason, sections }: z.infer<typeof restoreBody>,
  ): Promise<object> {
    mustBeName(name);
    const wanted = await this.snapshots.byVersion(version);
    if (!wanted) throw httpError(404, `There is no version "${version}".`, 'version');
    const current = await this.snapshots.current();
    const former = changesTo(wanted.catalogue, current?.catalogue ?? EMPTY_CATALOGUE, sections);
    const changes = resealedChanges(former, toKeyring(this.config));
    const stated = { reason: reason ?? `Back to version ${version}`, changesOn: () => changes };
    return this.#withPreview(await this.drafts.write(name, stated, { actor: actorOf(request), expected: 0 }));
  }

  @Delete(':name')
  @Allow('catalogue:write')
  @HttpCode(204)
  remove(@Param('name') name: string): Promise<void> {
    return this.drafts.remove(name);
  }

  /** Publishes a draft now, on top of what is current. */
  @Post(':name/publish')
  @Allow('catalogue:write')
  @HttpCode(200)
  async publish(
    @Req() request: AdminRequest,
    @Param('name') name: string,
    @Body({ schema: publishBody }) { revision }: z.infer<typeof publishBody>,
  ): Promise<object> {
    try {
      const { version, hash } = await publishDraft(this.snapshots, name, {
        actor: actorOf(request),
        revision,
      });
      return { name, status: 'published', version, hash };
    } catch (error) {
      throw refusalOf(error);
    }
  }

  /** Lets a draft be published by itself at a time that is still to come. */
  @Put(':name/schedule')
  @Allow('catalogue:write')
  async schedule(
    @Req() request: AdminRequest,
    @Param('name') name: string,
    @Body({ schema: scheduleBody }) body: z.infer<typeof scheduleBody>,
  ): Promise<object> {
    const draft = await this.#find(name);
    const effectiveAt = new Date(body.effective_at);
    if (effectiveAt.getTime() <= Date.now()) {
      const message = 'effective_at: must be in the future; to publish now use POST …/publish.';
      throw httpError(400, message, 'effective_at');
    }
    const faults = await faultsAt(draft, effectiveAt, this.drafts, this.snapshots);
    if (faults.length > 0) throw httpError(400, faults.join('; '));
    return shown(await this.drafts.schedule(name, draft.revision, effectiveAt, actorOf(request)));
  }

  @Delete(':name/schedule')
  @Allow('catalogue:write')
  async unschedule(@Req() request: AdminRequest, @Param('name') name: string): Promise<object> {
    return shown(await this.drafts.unschedule(name, actorOf(request)));
  }

  async #find(name: string): Promise<Draft> {
    const draft = await this.drafts.find(name);
    if (!draft) throw noSuchDraft(name);
    return draft;
  }

  async #withPreview(draft: Draft): Promise<object> {
    const { baseVersion, faults, differences } = await previewOf(draft, this.snapshots);
    return {
      ...shown(draft),
      changes: shownChanges(draft.changes),
      base_version: baseVersion,
      faults,
      differences: shownDifferences(differences),
    };
  }
}

/** @throws HttpException 400 */
function mustBeName(name: string): void {
  const named = vendorSchema.shape.name.safeParse(name);
  if (!named.success) throw httpError(400, `name: ${named.error.issues[0]?.message}.`, 'name');
}

const actorOf = (request: AdminRequest): string => request.admin?.email ?? 'unknown';

const shown = (draft: Draft) => ({
  name: draft.name,
  reason: draft.reason,
  revision: draft.revision,
  status: draft.status,
  effective_at: draft.effectiveAt?.toISOString() ?? null,
  actor: draft.actor,
  changed_at: draft.changedAt.toISOString(),
  version: draft.version,
  failure: draft.failure,
});
