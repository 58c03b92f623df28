import { canonicalJson, type Catalogue, diffCatalogues, type EntryDifference } from '@tollgate/catalogue';
import type { CatalogueFile, FileCredential } from './file-schema.ts';
import { toTargetCatalogue } from './target-catalogue.ts';

/** What makes of the live catalogue the one of a file. */
export interface CataloguePlan {
  readonly differences: readonly EntryDifference[];
  /** As a draft takes them. */
  readonly changes: readonly object[];
  /** Environment variables whose secrets the changes need, and what for. */
  readonly secrets: readonly { readonly variable: string | undefined; readonly credential: string }[];
}

export interface PlanOptions {
  /** Looks a secret up; plans that are only looked at leave it out. */
  readonly secretOf?: (variable: string) => string;
  /** Sends every secret that the file refers to again, not only those of new credentials. */
  readonly allSecrets?: boolean;
}

const NAMED = ['vendors', 'models', 'groups', 'upstreams', 'pools'] as const;
type Named = (typeof NAMED)[number];

/** Compares a file with what is live. Nothing is sent anywhere. */
export function computePlan(file: CatalogueFile, live: Catalogue, options: PlanOptions = {}): CataloguePlan {
  const target = toTargetCatalogue(file, live);
  const secrets = secretsNeeded(file, live, options.allSecrets ?? false);
  const stated = (upstream: Catalogue['upstreams'][0]) =>
    toUpstreamInput(upstream, secrets, options.secretOf);
  const rewritten = new Set(secrets.map(({ upstream }) => upstream));
  return {
    differences: diffCatalogues(live, target),
    secrets: secrets.map(({ upstream, name, secret_env }) => ({
      variable: secret_env,
      credential: `${upstream}/${name}`,
    })),
    changes: [
      ...NAMED.flatMap((section) => entryChanges(section, target, live, { stated, rewritten })),
      ...discountChanges(target, live),
      ...(same(target.auto_groups, live.auto_groups)
        ? []
        : [{ op: 'auto-groups', groups: target.auto_groups }]),
      ...(same(target.limits, live.limits) ? [] : [{ op: 'limits', limits: target.limits }]),
    ],
  };
}

type Needed = FileCredential & { readonly upstream: string };

function secretsNeeded(file: CatalogueFile, live: Catalogue, all: boolean): Needed[] {
  return (file.upstreams ?? []).flatMap(({ name: upstream, credentials = [] }) => {
    const existing = live.upstreams.find(({ name }) => name === upstream)?.credentials ?? [];
    return credentials
      .filter(({ name, secret_env }) =>
        all && secret_env !== undefined ? true : !existing.some((each) => each.name === name),
      )
      .map((credential) => ({ ...credential, upstream }));
  });
}

function toUpstreamInput(
  { credentials, ...upstream }: Catalogue['upstreams'][0],
  secrets: readonly Needed[],
  secretOf: PlanOptions['secretOf'],
): object {
  return {
    ...upstream,
    credentials: credentials.map(({ sealed: _sealed, ...credential }) => {
      const variable = secrets.find(
        (each) => each.upstream === upstream.name && each.name === credential.name,
      )?.secret_env;
      return variable === undefined || !secretOf ? credential : { ...credential, secret: secretOf(variable) };
    }),
  };
}

function entryChanges(
  section: Named,
  target: Catalogue,
  live: Catalogue,
  upstreams: { stated: (upstream: Catalogue['upstreams'][0]) => object; rewritten: ReadonlySet<string> },
): object[] {
  const before = new Map(live[section].map((entry) => [entry.name, entry]));
  const names = new Set(target[section].map(({ name }) => name));
  const removals = [...before.keys()]
    .filter((name) => !names.has(name))
    .map((name) => ({ op: 'delete', section, name }));
  const entryOf = (entry: Catalogue[Named][0]): object =>
    section === 'upstreams' ? upstreams.stated(entry as Catalogue['upstreams'][0]) : entry;
  const put = (entry: Catalogue[Named][0]) => ({ op: 'put', section, entry: entryOf(entry) });
  const changed = target[section].filter(
    (entry) =>
      !same(entry, before.get(entry.name)) ||
      (section === 'upstreams' && upstreams.rewritten.has(entry.name)),
  );
  const kept = [...before.keys()].filter((name) => names.has(name));
  const added = [...names].filter((name) => !before.has(name));
  if (same([...kept, ...added], [...names])) return [...removals, ...changed.map(put)];
  // The order differs too, which only that of pools may: all are taken out and put back in their order.
  return [
    ...[...before.keys()].map((name) => ({ op: 'delete', section, name })),
    ...target[section].map(put),
  ];
}

function discountChanges(target: Catalogue, live: Catalogue): object[] {
  const accounts = [...live.discounts, ...target.discounts].map(({ account_id }) => account_id);
  const of = ({ discounts }: Catalogue, account: string) =>
    discounts
      .filter(({ account_id }) => account_id === account)
      .map(({ account_id: _account, ...discount }) => discount);
  return [...new Set(accounts)]
    .filter((account) => !same(of(target, account), of(live, account)))
    .map((account_id) => ({ op: 'discounts', account_id, discounts: of(target, account_id) }));
}

const same = (a: unknown, b: unknown): boolean => canonicalJson(a ?? null) === canonicalJson(b ?? null);
