import {
  type Catalogue,
  type Credential,
  type Discount,
  type EntrySection,
  type Group,
  listAddresses,
  type Model,
  type Pool,
  type Upstream,
  type Vendor,
} from '@tollgate/catalogue';

/** A credential whose secret, when it is left out, stays that of the same name. */
type CredentialInput = Omit<Credential, 'sealed'> & Partial<Pick<Credential, 'sealed'>>;

/** An upstream whose credentials, when they are left out, stay those that stand in the catalogue. */
export type UpstreamInput = Omit<Upstream, 'credentials'> & {
  readonly credentials?: readonly CredentialInput[];
};

interface Entries extends Record<EntrySection, object> {
  readonly vendors: Vendor;
  readonly models: Model;
  readonly groups: Group;
  readonly upstreams: UpstreamInput;
  readonly pools: Pool;
}

/** A discount without its account. */
export type AccountDiscount = Omit<Discount, 'account_id'>;

/** One change of the catalogue; pools keep their order, for the first that matches serves. */
export type CatalogueChange =
  | {
      [S in EntrySection]: { readonly op: 'put'; readonly section: S; readonly entry: Entries[S] };
    }[EntrySection]
  /** A pool put in front of another one, wherever it stood. */
  | { readonly op: 'put-before'; readonly pool: Pool; readonly before: string }
  | { readonly op: 'delete'; readonly section: EntrySection; readonly name: string }
  | { readonly op: 'limits'; readonly limits: Catalogue['limits'] }
  | { readonly op: 'auto-groups'; readonly groups: readonly string[] }
  /** All discounts of an account, in the order in which they are tried; none takes them away. */
  | {
      readonly op: 'discounts';
      readonly account_id: string;
      readonly discounts: readonly AccountDiscount[];
    }
  | { readonly op: 'replace'; readonly catalogue: Catalogue };

/** A change that cannot be made on the catalogue that it meets. */
export class ImpossibleChange extends Error {}

/**
 * The catalogue after a change; an entry of the same name is replaced where it stands.
 *
 * @throws ImpossibleChange for a pool to be put in front of one that is not there, for a new credential without a secret,
 * and for one whose secret would go to another host than it was given for.
 */
export function applyChange(catalogue: Catalogue, change: CatalogueChange): Catalogue {
  switch (change.op) {
    case 'replace':
      return change.catalogue;
    case 'limits':
      return { ...catalogue, limits: change.limits };
    case 'auto-groups':
      return { ...catalogue, auto_groups: [...change.groups] };
    case 'delete':
      return {
        ...catalogue,
        [change.section]: catalogue[change.section].filter(({ name }) => name !== change.name),
      };
    case 'put-before': {
      const others = catalogue.pools.filter(({ name }) => name !== change.pool.name);
      const at = others.findIndex(({ name }) => name === change.before);
      if (at < 0) throw new ImpossibleChange(`before: there is no other pool "${change.before}"`);
      return { ...catalogue, pools: others.toSpliced(at, 0, change.pool) };
    }
    case 'discounts':
      return { ...catalogue, discounts: withDiscounts(catalogue.discounts, change) };
    case 'put': {
      const entry =
        change.section === 'upstreams' ? withSecrets(change.entry, catalogue.upstreams) : change.entry;
      const list: readonly { name: string }[] = catalogue[change.section];
      const at = list.findIndex(({ name }) => name === entry.name);
      return { ...catalogue, [change.section]: at < 0 ? [...list, entry] : list.with(at, entry) };
    }
  }
}

/** The catalogue after all changes, each made on top of the one before. @throws ImpossibleChange */
export const applyChanges = (catalogue: Catalogue, changes: readonly CatalogueChange[]): Catalogue =>
  changes.reduce(applyChange, catalogue);

function withSecrets(stated: UpstreamInput, upstreams: readonly Upstream[]): Upstream {
  const existing = upstreams.find(({ name }) => name === stated.name);
  const known = existing?.credentials ?? [];
  const moves = existing !== undefined && !leadsToSameHost(existing, stated);
  if (moves && stated.credentials === undefined && known.length > 0) throw movedSecret(stated.name);
  return {
    ...stated,
    credentials:
      stated.credentials?.map((credential) => {
        const kept = known.find(({ name }) => name === credential.name)?.sealed;
        if (credential.sealed === undefined && kept !== undefined && moves)
          throw movedSecret(`${stated.name}.credentials.${credential.name}`);
        const sealed = credential.sealed ?? kept;
        if (sealed === undefined) {
          throw new ImpossibleChange(
            `upstreams.${stated.name}.credentials.${credential.name}: a new credential needs its secret`,
          );
        }
        return { ...credential, sealed };
      }) ?? known,
  };
}

/** Whoever may change an address may not see a secret, and would by having it sent to a host of theirs. */
const movedSecret = (place: string): ImpossibleChange =>
  new ImpossibleChange(
    `upstreams.${place}: base_url, model_lists or auth.authority leads to another scheme, host or port than before, or auth.kind is another; state every credential with its secret again`,
  );

type Destination = Pick<Upstream, 'base_url' | 'model_lists' | 'auth'>;

/** Whether secrets that were stored for one upstream may be used for the other: who gets to see them is the same. */
export const leadsToSameHost = (before: Destination, after: Destination): boolean =>
  isSameOrigin(before.base_url, after.base_url) &&
  listAddresses(after).every((to) => listAddresses(before).some((known) => isSameOrigin(known, to))) &&
  // An access key that signs is never sent; as a static one it would be.
  (before.auth?.kind ?? 'static') === (after.auth?.kind ?? 'static') &&
  isSameAuthority(authorityOf(before), authorityOf(after));

const authorityOf = ({ auth }: Destination) => (auth?.kind === 'azure' ? auth.authority : undefined);

const isSameAuthority = (before: string | undefined, after: string | undefined): boolean =>
  before === after || (before !== undefined && after !== undefined && isSameOrigin(before, after));

function isSameOrigin(before: string, after: string): boolean {
  const origin = URL.parse(before)?.origin;
  return origin !== undefined && origin !== 'null' && origin === URL.parse(after)?.origin;
}

/** The discounts of an account stand together, where its first one stood. */
function withDiscounts(
  before: readonly Discount[],
  { account_id, discounts }: { readonly account_id: string; readonly discounts: readonly AccountDiscount[] },
): Discount[] {
  const others = before.filter((discount) => discount.account_id !== account_id);
  const first = before.findIndex((discount) => discount.account_id === account_id);
  const own = discounts.map((discount) => ({ account_id, ...discount }));
  return others.toSpliced(first < 0 ? others.length : first, 0, ...own);
}
