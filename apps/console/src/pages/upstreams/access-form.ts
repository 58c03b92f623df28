import { PROTOCOLS, type Protocol, OTHER_OPERATIONS } from '@tollgate/vocabulary';
import type { Upstream } from '../../api/catalogue.ts';

type Auth = NonNullable<Upstream['auth']>;
type Paths = NonNullable<Upstream['paths']>;

/** `own` is the header in which the format's own clients send their key. */
export const AUTH_KINDS = ['own', 'static', 'aws', 'google', 'azure'] as const;
export const AWS_SERVICES = ['bedrock', 'bedrock-mantle', 'aws-external-anthropic'] as const;
/** Paths of conversations, which have words of their own here; the other operations have the names that all pages use. */
export const CONVERSATION_PATHS = ['generate', 'stream', 'count', 'models'] as const;
export const OPERATIONS = [...CONVERSATION_PATHS, ...OTHER_OPERATIONS] as const;

/** How a cloud may carry Anthropic's format. */
export const WRAPPINGS = ['none', 'bedrock', 'vertex', 'foundry', 'mantle'] as const;

/** What each way to prove who asks has to say; all of it may be empty but what is required. */
export const AUTH_FIELDS = {
  own: [],
  static: ['header', 'prefix'],
  aws: ['region', 'service', 'role_arn', 'external_id'],
  google: ['scope', 'quota_project'],
  azure: ['tenant_id', 'client_id', 'scope', 'authority'],
} as const satisfies Readonly<Record<(typeof AUTH_KINDS)[number], readonly string[]>>;
type AuthField = (typeof AUTH_FIELDS)[keyof typeof AUTH_FIELDS][number];

const REQUIRED: ReadonlySet<string> = new Set<AuthField>(['header', 'region']);
export const isRequired = (field: AuthField): boolean => REQUIRED.has(field);

type PathForm = Readonly<Record<(typeof OPERATIONS)[number], string>>;

/** How an upstream is reached, as its form holds it. */
export interface AccessForm {
  readonly authKind: (typeof AUTH_KINDS)[number];
  readonly auth: Readonly<Record<AuthField, string>>;
  readonly paths: Readonly<Record<Protocol, PathForm>>;
  /** One address a line. */
  readonly modelLists: string;
  readonly wrapping: (typeof WRAPPINGS)[number];
}

const ALL_FIELDS = [...new Set(Object.values(AUTH_FIELDS).flat())];

export function toAccessForm({ auth, paths, model_lists, wrapping }: Partial<Upstream>): AccessForm {
  const stated: Partial<Record<AuthField, string>> = auth ?? {};
  return {
    authKind: auth?.kind ?? 'own',
    auth: toRecord(ALL_FIELDS, (field) => stated[field] ?? ''),
    paths: toRecord(PROTOCOLS, (protocol) => toRecord(OPERATIONS, (each) => paths?.[protocol]?.[each] ?? '')),
    modelLists: (model_lists ?? []).join('\n'),
    wrapping: wrapping?.['anthropic-messages'] ?? 'none',
  };
}

/** What a form without faults states, of formats that the upstream speaks; nothing that is empty. */
export function toAccess(
  { authKind, auth, paths, modelLists, wrapping }: AccessForm,
  protocols: readonly Protocol[],
): Pick<Upstream, 'auth' | 'paths' | 'model_lists' | 'wrapping'> {
  // A blank at the end of a prefix is meant.
  const fields = AUTH_FIELDS[authKind].map((field): [string, string] => [
    field,
    field === 'prefix' ? auth[field] : auth[field].trim(),
  ]);
  const stated = { kind: authKind, ...fromFilled(fields) } as Auth;
  const templates = protocols.flatMap((protocol): [string, Paths[string]][] => {
    const filled = fromFilled(OPERATIONS.map((each) => [each, paths[protocol][each].trim()]));
    return Object.keys(filled).length === 0 ? [] : [[protocol, filled]];
  });
  const lists = readLines(modelLists);
  return {
    ...(authKind === 'own' ? {} : { auth: stated }),
    ...(templates.length === 0 ? {} : { paths: Object.fromEntries(templates) }),
    ...(lists.length === 0 ? {} : { model_lists: lists }),
    ...(wrapping !== 'none' && protocols.includes('anthropic-messages')
      ? { wrapping: { 'anthropic-messages': wrapping } }
      : {}),
  };
}

const readLines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

export type AccessFault = 'fieldRequired' | 'pathRequired' | 'urlRequired';

/** What is wrong in a form, by the path of the field; what a cloud takes is looked at when it is published. */
export function accessFaults(form: AccessForm, protocols: readonly Protocol[]): Record<string, AccessFault> {
  const faults: Record<string, AccessFault> = {};
  for (const field of AUTH_FIELDS[form.authKind])
    if (isRequired(field) && form.auth[field].trim() === '') faults[`auth.${field}`] = 'fieldRequired';
  if (readLines(form.modelLists).some((line) => !/^https?:\/\//.test(line) || !URL.canParse(line)))
    faults['modelLists'] = 'urlRequired';
  for (const protocol of protocols)
    for (const operation of OPERATIONS)
      if (!/^(\/\S*)?$/.test(form.paths[protocol][operation].trim()))
        faults[`paths.${protocol}.${operation}`] = 'pathRequired';
  return faults;
}

/** Whether secrets that are kept would be sent to somebody else, or in another way: they are asked for again then. */
export function movesSecrets(
  before: Pick<Upstream, 'base_url' | 'auth' | 'model_lists'>,
  after: typeof before,
): boolean {
  const findOrigin = (url: string | undefined) => (url === undefined ? undefined : URL.parse(url)?.origin);
  const findAuthority = ({ auth }: typeof before) =>
    findOrigin(auth?.kind === 'azure' ? auth.authority : undefined);
  const known = [before.base_url, ...(before.model_lists ?? [])].map(findOrigin);
  return (
    findOrigin(before.base_url) !== findOrigin(after.base_url) ||
    (after.model_lists ?? []).some((list) => !known.includes(findOrigin(list))) ||
    (before.auth?.kind ?? 'static') !== (after.auth?.kind ?? 'static') ||
    findAuthority(before) !== findAuthority(after)
  );
}

const fromFilled = (entries: readonly (readonly [string, string])[]): Record<string, string> =>
  Object.fromEntries(entries.filter(([, text]) => text !== ''));

const toRecord = <K extends string, V>(keys: readonly K[], valueOf: (key: K) => V): Record<K, V> =>
  Object.fromEntries(keys.map((key) => [key, valueOf(key)])) as Record<K, V>;
