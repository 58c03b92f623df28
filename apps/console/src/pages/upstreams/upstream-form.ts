import type { Upstream } from '../../api/catalogue.ts';
import type { CredentialInput, UpstreamInput } from '../../api/upstreams.ts';
import { isRatio } from '../catalogue/group-form.ts';
import { type LimitForm, toLimitForm, toLimit } from '../limits/limit-form.ts';
import {
  type AccessFault,
  accessFaults,
  type AccessForm,
  movesSecrets,
  toAccess,
  toAccessForm,
} from './access-form.ts';
import { type CostForm, toCostForms, toCosts } from './cost-form.ts';
import { toCredentialInputs, toUpstreamInput } from './upstream-input.ts';

/** An upstream as its form holds it; what the form does not show stays what it is. */
export interface UpstreamForm extends AccessForm {
  readonly name: string;
  readonly baseUrl: string;
  readonly protocols: Upstream['protocols'];
  readonly tags: readonly string[];
  readonly costRatio: string;
  readonly allowPrivate: boolean;
  readonly connectMs: number | string;
  readonly firstByteMs: number | string;
  readonly idleMs: number | string;
  readonly probeS: number | string;
  readonly limits: LimitForm;
  readonly costs: readonly CostForm[];
  readonly reportsCost: boolean;
  /** Secrets that are stated just now, in the order of the credentials. */
  readonly secrets: readonly string[];
}

/** The one credential of an upstream that is new. */
const FIRST_CREDENTIAL: CredentialInput = { name: 'default', weight: 1, limits: {} };

export const toUpstreamForm = (upstream: Upstream | undefined): UpstreamForm => ({
  name: upstream?.name ?? '',
  baseUrl: upstream?.base_url ?? '',
  protocols: upstream?.protocols ?? ['openai-chat'],
  tags: upstream?.tags ?? [],
  costRatio: upstream?.cost_ratio ?? '',
  allowPrivate: upstream?.allow_private_addresses ?? false,
  connectMs: upstream?.connect_timeout_ms ?? 5_000,
  firstByteMs: upstream?.first_byte_timeout_ms ?? 300_000,
  idleMs: upstream?.idle_timeout_ms ?? 120_000,
  probeS: upstream?.probe_interval_s ?? '',
  limits: toLimitForm(upstream?.limits),
  ...toAccessForm(upstream ?? {}),
  costs: toCostForms(upstream?.costs ?? {}),
  reportsCost: upstream?.reports_cost ?? false,
  secrets: (upstream?.credentials ?? [FIRST_CREDENTIAL]).map(() => ''),
});

/** The upstream that a form states, on top of what stands; credentials without a new secret are kept. */
export function toUpstream(form: UpstreamForm, existing: Upstream | undefined): UpstreamInput {
  const stated = {
    name: form.name.trim(),
    base_url: form.baseUrl.trim(),
    protocols: [...form.protocols],
    tags: [...form.tags],
    cost_ratio: form.costRatio.trim() === '' ? null : form.costRatio.trim(),
    allow_private_addresses: form.allowPrivate,
    connect_timeout_ms: Number(form.connectMs),
    first_byte_timeout_ms: Number(form.firstByteMs),
    idle_timeout_ms: Number(form.idleMs),
    probe_interval_s: form.probeS === '' ? null : Number(form.probeS),
    limits: toLimit(form.limits),
    ...toAccess(form, form.protocols),
    costs: toCosts(form.costs),
    ...(form.reportsCost || existing?.reports_cost !== undefined ? { reports_cost: form.reportsCost } : {}),
    ...toCredentials(form, existing),
  };
  // What a form may leave out does not stay by being left out.
  const {
    auth: _auth,
    paths: _paths,
    model_lists: _lists,
    wrapping: _wrapping,
    ...kept
  } = existing ? toUpstreamInput(existing) : {};
  return { total_timeout_ms: 3_600_000, ...kept, ...stated };
}

/** Secrets that were stated for the credentials that there were, in the order of those that there are now. */
export const alignSecrets = (
  now: Pick<Upstream, 'credentials'>,
  secrets: readonly string[],
  before: Pick<Upstream, 'credentials'>,
): string[] =>
  now.credentials.map(
    ({ name }) => secrets[before.credentials.findIndex((each) => each.name === name)] ?? '',
  );

/** Nothing where all credentials stay as they are. */
function toCredentials(
  { secrets }: UpstreamForm,
  existing: Upstream | undefined,
): Pick<UpstreamInput, 'credentials'> {
  const known = existing ? toCredentialInputs(existing) : [FIRST_CREDENTIAL];
  const isStated = secrets.some((secret) => secret.trim() !== '');
  if (!isStated) return {};
  return {
    credentials: known.map((credential, index) => {
      const secret = secrets[index]?.trim() ?? '';
      return secret === '' ? credential : { ...credential, secret };
    }),
  };
}

/** Whether the secrets have to be stated once more, for they would go elsewhere. */
export const asksForSecrets = (form: UpstreamForm, existing: Upstream | undefined): boolean =>
  existing !== undefined &&
  existing.credentials.length > 0 &&
  movesSecrets(existing, {
    base_url: form.baseUrl.trim(),
    ...toAccess(form, form.protocols),
  });

export type Fault =
  | 'nameRequired'
  | 'nameTaken'
  | 'urlRequired'
  | 'oneRequired'
  | 'ratioRequired'
  | 'numberRequired'
  | 'secretRequired';

const isUrl = (text: string): boolean => /^https?:\/\//.test(text) && URL.canParse(text);

export function nameFault(name: string, taken: ReadonlySet<string>): { name?: Fault } {
  if (name.trim() === '') return { name: 'nameRequired' };
  return taken.has(name.trim()) ? { name: 'nameTaken' } : {};
}

/** What is wrong in a form, by the path of the field. */
export function upstreamFaults(
  form: UpstreamForm,
  taken: ReadonlySet<string>,
  existing?: Upstream,
): Record<string, Fault | AccessFault> {
  const asked = asksForSecrets(form, existing) || (existing === undefined && form.authKind !== 'own');
  const missing = form.secrets.flatMap((secret, index) => (asked && secret.trim() === '' ? [index] : []));
  const numbers = (['connectMs', 'firstByteMs', 'idleMs'] as const).filter((field) => form[field] === '');
  return {
    ...nameFault(form.name, taken),
    ...(isUrl(form.baseUrl.trim()) ? {} : { baseUrl: 'urlRequired' as const }),
    ...(form.protocols.length > 0 ? {} : { protocols: 'oneRequired' as const }),
    ...(form.costRatio.trim() === '' || isRatio(form.costRatio)
      ? {}
      : { costRatio: 'ratioRequired' as const }),
    ...Object.fromEntries(numbers.map((field) => [field, 'numberRequired' as const])),
    ...Object.fromEntries(missing.map((index) => [`secrets.${index}`, 'secretRequired' as const])),
    ...accessFaults(form, form.protocols),
  };
}
