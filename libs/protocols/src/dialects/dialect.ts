import type { Effort } from '../neutral/request.ts';

/** What a model at an upstream takes of its wire format. A catalogue states these members by the same names. */
export interface Dialect {
  /** Which of temperature, top-p, top-k and penalties: `without_reasoning` takes them while it does not reason. */
  readonly sampling: 'all' | 'without_penalties' | 'temperature_or_top_p' | 'without_reasoning' | 'none';
  /** How it is told to reason: by an effort (Anthropic: adaptive thinking), a budget of tokens, or either. */
  readonly reasoning: 'any' | 'effort' | 'budget' | 'none';
  /** From the least to the most. */
  readonly efforts: readonly Effort[];
  /** Whether it can be told not to reason. */
  readonly reasoning_off: boolean;
  /** Whether it reasons when nothing is said of it. */
  readonly reasons_unasked: boolean;
  /** Whether it reasons where it may call tools too; else it must be told not to. */
  readonly reasons_with_tools: boolean;
  /** Tokens. */
  readonly min_budget: number;
  readonly max_budget: number | null;
  /** Whether a budget may be left to the model. */
  readonly dynamic_budget: boolean;
  /** The name of the limit of output tokens in a Chat request. */
  readonly limit_field: 'max_tokens' | 'max_completion_tokens';
  /** The least limit of output tokens that it takes. */
  readonly min_output_tokens: number;
  /** The most that it takes: as the catalogue says, else as the rules do; null where neither does. */
  readonly max_output_tokens: number | null;
  /** Whether it gives its reasoning back encrypted, for the next turn. */
  readonly encrypted_reasoning: boolean;
  /** Whether the conversation may end with words of the assistant, which it goes on with. */
  readonly prefill: boolean;
  /** Whether it takes a JSON schema for its answer. */
  readonly structured_output: boolean;
  /** Whether it answers in JSON where it may call tools too. */
  readonly json_with_tools: boolean;
  /** Whether schemas of answers and of strict tools must be closed, and hold few keywords. */
  readonly closed_schemas: boolean;
  /** Whether a list in a schema must say what is in it, and what is strict must be closed and require all it names. */
  readonly whole_schemas: boolean;
  /** Where JSON of any shape is asked for: who must have said the word "json" beforehand. */
  readonly json_word: 'nobody' | 'anybody' | 'conversation';
  /** Characters of the id of the end user; null without a limit. */
  readonly user_min: number;
  readonly user_max: number | null;
  readonly user_alphabet: Alphabet;
  /** Characters of the id of a tool call. */
  readonly call_id_min: number;
  readonly call_id_max: number | null;
  readonly call_id_alphabet: Alphabet;
  /** Whether a Chat conversation may bring the reasoning of earlier turns back as text. */
  readonly reasoning_echo: boolean;
  /** Whether it must bring some where tools are at work. */
  readonly reasoning_required: boolean;
  /** Whether a user may speak right after the result of a tool. */
  readonly user_after_tool: boolean;
  /** Whether it knows free-form tools; else they are functions that take one text. */
  readonly custom_tools: boolean;
  /** Whether it can be told that it may call some of the tools alone; else only those are offered. */
  readonly allowed_tools: boolean;
  /** Whether a Chat message of the assistant may hold a refusal beside its content. */
  readonly refusals: boolean;
  /** How many stop sequences it takes; null without a limit. */
  readonly max_stops: number | null;
  /** Whether what the next request begins with again is marked for the vendor's cache. */
  readonly cache_marks: 'placed' | 'none';
  /** A shorter beginning is not cached. */
  readonly min_cache_tokens: number;
  /** Top-level fields that it refuses, though the format has them; those of all rules that match. */
  readonly refused_fields: readonly string[];
}

/** `word` is letters, digits, "_" and "-". */
export type Alphabet = 'any' | 'word' | 'alphanumeric';

/** What a catalogue may state of a model in place of the rules; its limit of output tokens stands beside that. */
export type ExplicitDialect = {
  readonly [Member in Exclude<keyof Dialect, 'max_output_tokens'>]?: Dialect[Member] | undefined;
};

/** Models whose name at the upstream matches take what `says` says; a later rule wins over an earlier one. */
export interface DialectRule {
  /** Matched with {@link plainName}. */
  readonly models: RegExp;
  readonly says: ExplicitDialect & { readonly max_output_tokens?: number };
  /** Where it is documented or was seen. */
  readonly source: string;
}

/** Where a format says what dialects are about, in top-level fields. */
export interface DialectFields {
  /** Ids of end users, and what is written like them. */
  readonly user: readonly string[];
  /** Temperature and top-p first. */
  readonly sampling: readonly string[];
  /** Of its limit of output tokens, where it has several names. */
  readonly limits: readonly ExplicitLimit[];
  /** Of messages of the assistant, what brings their reasoning back as text. */
  readonly reasoning: readonly string[];
}
type ExplicitLimit = Dialect['limit_field'];

/** A wire format's dialect, and that of its models. */
export interface FormatDialects {
  readonly fields: DialectFields;
  readonly usual: Omit<Dialect, 'max_output_tokens'>;
  readonly source: string;
  readonly rules: readonly DialectRule[];
}

/** A model's name without its vendor's, in small letters, its version written with "-": `claude-sonnet-4-5`. */
export const plainName = (model: string): string =>
  model
    .slice(model.lastIndexOf('/') + 1)
    .toLowerCase()
    .replaceAll('.', '-');
