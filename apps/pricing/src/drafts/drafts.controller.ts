import { Controller, Inject } from '@nestjs/common';
import { drafts, type RequestOf } from '@tollgate/api';
import { EMPTY_CATALOGUE, vendorSchema } from '@tollgate/catalogue';
import type { Session } from '@tollgate/contracts';
import { Caller, Handles, httpError, Input, toKeyring } from '@tollgate/platform';
import { toRefusal } from '../admin/refusal.ts';
import { shownDifferences } from '../admin/shown.ts';
import { changesTo } from '../catalogue/restore.ts';
import type { PricingConfig } from '../config.ts';
import { CONFIG } from '../provided.ts';
import { resealedChanges } from '../reseal/reseal.ts';
import { SnapshotStore } from '../snapshots/snapshot-store.ts';
import { changesFrom, shownChanges } from './draft-changes.ts';
import { faultsAt, computePreview } from './draft-preview.ts';
import { type Draft, DraftStore, noSuchDraft } from './draft-store.ts';
import { publishDraft } from './publish-drafts.ts';

type Drafts = typeof drafts;

/** Price books that are written before they hold: published by hand, or on their day. */
@Controller()
export class DraftsController {
  constructor(
    @Inject(DraftStore) private readonly drafts: DraftStore,
    @Inject(SnapshotStore) private readonly snapshots: SnapshotStore,
    @Inject(CONFIG) private readonly config: PricingConfig,
  ) {}

  @Handles(drafts.listDrafts)
  async list(@Input() { query: { limit, ...filter } }: RequestOf<Drafts['listDrafts']>) {
    const found = await this.drafts.list(filter, limit + 1);
    const items = found.slice(0, limit);
    return {
      items: items.map((draft) => ({ ...shown(draft), changes: draft.changes.length })),
      next: (found.length > limit ? items.at(-1)?.name : null) ?? null,
    };
  }

  @Handles(drafts.showDraft)
  async one(@Input() { params }: RequestOf<Drafts['showDraft']>) {
    return this.#withPreview(await this.#require(params.name));
  }

  @Handles(drafts.writeDraft)
  async write(
    @Input() { params, headers, body }: RequestOf<Drafts['writeDraft']>,
    @Caller() caller: Session,
  ) {
    requireDraftName(params.name);
    const changesOn = (earlier: Draft['changes']) => changesFrom(body.changes, earlier, this.config.SEAL_KEY);
    const draft = await this.drafts.write(
      params.name,
      { reason: body.reason, changesOn },
      { actor: caller.email, expected: headers['if-match'] },
    );
    return this.#withPreview(draft);
  }

  @Handles(drafts.restoreVersion)
  async restore(@Input() { params, body }: RequestOf<Drafts['restoreVersion']>, @Caller() caller: Session) {
    requireDraftName(params.name);
    const { version, reason = `Back to version ${version}`, sections } = body;
    const earlier = await this.snapshots.byVersion(version);
    if (!earlier)
      throw httpError(404, `There is no version "${version}".`, 'version', 'no_such_version', { version });
    const current = await this.snapshots.current();
    const former = changesTo(earlier.catalogue, current?.catalogue ?? EMPTY_CATALOGUE, sections);
    const changes = resealedChanges(former, toKeyring(this.config));
    const draft = await this.drafts.write(
      params.name,
      { reason, changesOn: () => changes },
      { actor: caller.email, expected: 0 },
    );
    return this.#withPreview(draft);
  }

  @Handles(drafts.removeDraft)
  remove(@Input() { params }: RequestOf<Drafts['removeDraft']>) {
    return this.drafts.remove(params.name);
  }

  @Handles(drafts.publishDraft)
  async publish(
    @Input() { params: { name }, body: { revision } }: RequestOf<Drafts['publishDraft']>,
    @Caller() caller: Session,
  ) {
    try {
      const by = { actor: caller.email, revision };
      const { version, hash } = await publishDraft(this.snapshots, name, by);
      return { name, status: 'published' as const, version, hash };
    } catch (error) {
      throw toRefusal(error);
    }
  }

  @Handles(drafts.scheduleDraft)
  async schedule(
    @Input() { params: { name }, body }: RequestOf<Drafts['scheduleDraft']>,
    @Caller() caller: Session,
  ) {
    const draft = await this.#require(name);
    const effectiveAt = new Date(body.effective_at);
    if (effectiveAt.getTime() <= Date.now()) {
      const message = 'effective_at: must be in the future; to publish now use POST …/publish.';
      throw httpError(400, message, 'effective_at', 'effective_at_past');
    }
    const faults = await faultsAt(draft, effectiveAt, this.drafts, this.snapshots);
    if (faults.length > 0) {
      const text = faults.join('; ');
      throw httpError(400, text, null, 'draft_has_faults', { faults: text });
    }
    const revision = body.revision ?? draft.revision;
    return shown(await this.drafts.schedule(name, revision, effectiveAt, caller.email));
  }

  @Handles(drafts.unscheduleDraft)
  async unschedule(@Input() { params }: RequestOf<Drafts['unscheduleDraft']>, @Caller() caller: Session) {
    return shown(await this.drafts.unschedule(params.name, caller.email));
  }

  async #require(name: string): Promise<Draft> {
    const draft = await this.drafts.find(name);
    if (!draft) throw noSuchDraft(name);
    return draft;
  }

  async #withPreview(draft: Draft) {
    const { baseVersion, faults, warnings, differences } = await computePreview(draft, this.snapshots);
    return {
      ...shown(draft),
      changes: shownChanges(draft.changes),
      base_version: baseVersion,
      faults: [...faults],
      warnings: [...warnings],
      differences: shownDifferences(differences),
    };
  }
}

/** @throws HttpException 400 */
function requireDraftName(name: string): void {
  const named = vendorSchema.shape.name.safeParse(name);
  if (!named.success)
    throw httpError(400, `name: ${named.error.issues[0]?.message}.`, 'name', 'not_a_catalogue_name');
}

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
