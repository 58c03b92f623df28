import type { Model, ModelDialect, PricesInput, Upstream } from '@tollgate/catalogue';
import type { Protocol } from '@tollgate/vocabulary';

/** Where a fact was read, and when: whoever pays by it can look. */
export interface Source {
  readonly url: string;
  /** A day, such as "2026-08-21". */
  readonly date: string;
}

/** A model of a provider at its list price, in whole micro-USD per million tokens. */
export interface ProviderModel extends Partial<
  Pick<Model, 'request_price' | 'unit_prices' | 'features' | 'dialect' | 'operations'>
> {
  /** What callers name it by. */
  readonly name: string;
  /** Its name at the provider, where that differs. */
  readonly upstream_name?: string;
  readonly context_window: number | null;
  readonly max_output_tokens: number | null;
  readonly prices: PricesInput;
  readonly tiers?: readonly { readonly above_input_tokens: number; readonly prices: PricesInput }[];
  readonly source: Source;
}

/** What an operator must say of their own part of a provider, such as its region. */
export interface ProviderField {
  /** Stands as `{name}` in the templates of the provider. */
  readonly name: string;
  readonly title: string;
  readonly example: string;
  /** The variable that holds it on many machines. */
  readonly env?: string;
  readonly pattern: string;
}

/** One way to prove to a provider who asks. */
export interface CredentialWay {
  readonly name: string;
  readonly title: string;
  /** The variable that holds the secret on many machines. */
  readonly env?: string;
  /** Absent where the secret is sent as the format's own clients send theirs. */
  readonly auth?: Upstream['auth'];
  /** What this way asks for beside what the provider does. */
  readonly fields?: readonly ProviderField[];
  /** What a secret looks like. */
  readonly hint?: string;
  /** `none` where no secret is sent, `ambient` where the gateway's own identity proves who asks. */
  readonly secret?: 'none' | 'ambient';
}

/** A text that depends on a field, such as the host of a location. */
export interface ProviderVariable {
  readonly field: string;
  readonly values: Readonly<Record<string, string>>;
  /** For every other value; may hold fields. */
  readonly otherwise: string;
}

/** What a provider takes of a format otherwise than its vendor does, and who says so. */
export interface Quirk {
  readonly format: Protocol;
  readonly takes: ModelDialect;
  /** A page, or threads whose errors were seen, such as "groq/groq-python#31". */
  readonly source: string;
}

/** Everything that is known of a provider before anybody says anything of their own: data, no code. */
export interface Provider extends Partial<
  Pick<
    Upstream,
    'paths' | 'task_formats' | 'max_inputs' | 'model_lists' | 'wrapping' | 'set_headers' | 'set_parameters'
  >
> {
  /** The name that its upstream and its pool take. */
  readonly name: string;
  readonly title: string;
  /** The vendor of its models in the catalogue; its own name where it is left out. */
  readonly vendor?: string;
  /** A template, as `set_headers` and `auth` are: `{region}` is what the field says. */
  readonly base_url: string;
  readonly fields?: readonly ProviderField[];
  readonly variables?: Readonly<Record<string, ProviderVariable>>;
  readonly protocols: Upstream['protocols'];
  /** At least one; the first is offered first. */
  readonly ways: readonly CredentialWay[];
  /** The variable by which its own clients are sent to another address. */
  readonly base_url_env?: string;
  /** Where the provider gives out credentials. */
  readonly key_page?: string;
  /** Where the provider says its prices. */
  readonly price_page?: string;
  readonly note?: string;
  /** It runs on machines of one's own: its address may be a private one, and it has no list prices. */
  readonly own_machine?: boolean;
  readonly quirks?: readonly Quirk[];
  /** What all of its models charge beside tokens. */
  readonly model_defaults?: Partial<Pick<ProviderModel, 'unit_prices' | 'features'>>;
  readonly models: readonly ProviderModel[];
}
