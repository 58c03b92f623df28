import type { CredentialWay, Provider } from './provider.ts';
import { listFields, type ProviderSettings } from './to-upstream.ts';

/** A provider that the environment holds a credential of. */
export interface EnvironmentProvider {
  readonly provider: Provider;
  /** Null where it lacks something that `missing` names. */
  readonly settings: ProviderSettings | null;
  /** The variable that it was found by. */
  readonly variable: string;
  /** Variables that it needs beside it. */
  readonly missing: readonly string[];
}

/** What an environment says of providers: each is found by the variable in which its own clients look for a secret. */
export const findEnvironmentProviders = (
  providers: readonly Provider[],
  environment: Readonly<Record<string, string | undefined>>,
): EnvironmentProvider[] =>
  providers.flatMap((provider) => {
    const found = provider.ways.find(({ env }) => env !== undefined && environment[env]);
    return found?.env === undefined ? [] : [readSettings(provider, found, found.env, environment)];
  });

function readSettings(
  provider: Provider,
  way: CredentialWay,
  variable: string,
  environment: Readonly<Record<string, string | undefined>>,
): EnvironmentProvider {
  const base_url = provider.base_url_env === undefined ? undefined : environment[provider.base_url_env];
  const fields = Object.fromEntries(
    listFields(provider, way).flatMap(({ name, env }) => {
      const value = env === undefined ? undefined : environment[env];
      return value ? [[name, value]] : [];
    }),
  );
  const missing = base_url
    ? []
    : listFields(provider, way)
        .filter(({ name }) => fields[name] === undefined)
        .map(({ name, env }) => env ?? name);
  const settings = {
    way: way.name,
    fields,
    secret: environment[variable],
    base_url: base_url || undefined,
    // Whoever starts it says where its requests go: such as to a proxy on the same machine.
    ...(base_url && { allow_private_addresses: true }),
  };
  return { provider, variable, missing, settings: missing.length > 0 ? null : settings };
}

/** The variables that say anything of a provider. */
export function pickProviderVariables(
  providers: readonly Provider[],
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const names = providers.flatMap(({ ways, fields = [], base_url_env }) => [
    ...ways.flatMap(({ env, fields: own = [] }) => [env, ...own.map((field) => field.env)]),
    ...fields.map(({ env }) => env),
    base_url_env,
  ]);
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = name === undefined ? undefined : environment[name];
      return name !== undefined && value ? [[name, value]] : [];
    }),
  );
}
