import type { Catalogue } from '@tollgate/catalogue';
import { sealKey as sealKeySchema, unseal } from '@tollgate/platform';
import { fail, type Finding, ok } from './finding.ts';

/** Whether the credentials of the catalogue can be opened with the key that the gateways have. */
export function checkSeal({ upstreams }: Pick<Catalogue, 'upstreams'>, text: string): Finding {
  const key = sealKeySchema.safeParse(text);
  if (!key.success) return fail('seal key', 'it is none', `SEAL_KEY ${key.error.issues[0]?.message ?? ''}.`);
  const all = upstreams.flatMap(({ name, credentials }) =>
    credentials.map((credential) => ({ name: `${name}/${credential.name}`, sealed: credential.sealed })),
  );
  const closed = all.filter(({ sealed }) => !isOpened(sealed, key.data)).map(({ name }) => name);
  return closed.length === 0
    ? ok('seal key', `opens all of ${all.length} credentials`)
    : fail(
        'seal key',
        `does not open ${closed.join(', ')}`,
        'Give pricing and the gateways the same SEAL_KEY, or write those secrets again.',
      );
}

function isOpened(sealed: string, key: Buffer): boolean {
  try {
    unseal(sealed, key);
    return true;
  } catch {
    return false;
  }
}
