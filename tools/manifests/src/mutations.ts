import { type Manifest, toName } from './manifest.ts';
import type { Policy } from './policy.ts';
import { readDocumentedSecrets } from './documented-secrets.ts';
import { render } from './render.ts';

/** Changes documents so that they break a rule. */
export type Mutation = (documents: readonly Manifest[]) => readonly Manifest[];

/** A way to break a rule: its first words, a folder of `k8s`, the mutation, and what is said of it. */
export type MutationCase = readonly [policy: string, folder: string, mutate: Mutation, said: RegExp];

/** Puts a value at a path of the document whose name begins so; without a value it takes away what is there. */
export const put =
  (document: string, path: string, value?: unknown): Mutation =>
  (documents) => {
    const copies = structuredClone(documents);
    const found = copies.find((one) => toName(one).startsWith(document));
    if (!found) throw new Error(`there is no ${document}`);
    const keys = path.split('/');
    const last = keys.pop() ?? '';
    let parent = found as unknown as Record<string, unknown>;
    for (const key of keys) {
      const next = parent[key];
      if (typeof next !== 'object' || next === null) throw new Error(`${document} has no ${path}`);
      parent = next as Record<string, unknown>;
    }
    if (value === undefined && !(last in parent)) throw new Error(`${document} has no ${path}`);
    if (value === undefined) delete parent[last];
    else parent[last] = value;
    return copies;
  };

/** Takes the document away whose name begins so. */
export const without =
  (document: string): Mutation =>
  (documents) =>
    documents.filter((one) => !toName(one).startsWith(document));

/**
 * Changes a folder's documents as the case says.
 *
 * @returns what the rule says before and after it.
 */
export async function tryMutation(
  policies: readonly Policy[],
  [policy, folder, mutate]: MutationCase,
): Promise<{ before: readonly string[]; after: readonly string[] }> {
  const found = policies.find(({ name }) => name.startsWith(policy));
  if (!found) throw new Error(`no rule begins with "${policy}"`);
  const documented = readDocumentedSecrets();
  const documents = await render(folder);
  return {
    before: found.faults({ documents, documented }),
    after: found.faults({ documents: mutate(documents), documented }),
  };
}
