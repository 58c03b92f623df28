import { randomBytes } from 'node:crypto';
import { type BodyOf, drafts } from '@tollgate/api';
import type { Api } from '../api/client.ts';
import { Failure } from '../failure.ts';

const MAX_CHANGES = 2_000;
/** Made of entries of the catalogue; pricing checks them. */
type Changes = BodyOf<typeof drafts.writeDraft>['changes'];

/**
 * Publishes changes as one version: as a draft, so that they hold together or not at all. A draft that cannot be
 * published is taken away again.
 *
 * @returns the version's number.
 * @throws Failure with what the catalogue would say that cannot be meant.
 */
export async function publishChanges(api: Api, changes: readonly object[], reason: string): Promise<number> {
  if (changes.length > MAX_CHANGES)
    throw new Failure(
      `${changes.length} changes are more than the ${MAX_CHANGES} that one version takes.`,
      'Apply the file in parts: a section that is left out is left as it is.',
    );
  const name = `cli-${new Date().toISOString().slice(0, 19).replaceAll(':', '')}-${randomBytes(3).toString('hex')}`;
  const params = { name };
  const draft = await api.ask(drafts.writeDraft, {
    params,
    headers: { 'if-match': '0' },
    body: { reason, changes: changes as Changes },
  });
  try {
    if (draft.faults.length > 0)
      throw new Failure(
        `This catalogue cannot hold:\n${draft.faults.map((fault) => `  ${fault}`).join('\n')}`,
      );
    const body = { revision: draft.revision };
    return (await api.ask(drafts.publishDraft, { params, body })).version;
  } catch (error) {
    await api.open(drafts.removeDraft, { params }).catch(() => undefined);
    throw error;
  }
}
