/**
 * What a field must be, by the code of the refusal that says it is not: schemas are written with these words, and who reads another
 * language is told by the code.
 */
export const FIELD_RULES = {
  not_usd: 'must be decimal USD of at most 12 places, such as "12.50"',
  not_positive_usd: 'must be decimal USD above zero, such as "12.50"',
  not_nonzero_usd: 'must be decimal USD above or below zero, such as "-2.50"',
  not_in_time_zones: 'must be a time zone of the IANA database, such as "Europe/Berlin"',
  not_an_action: 'must be an action such as "key.rotate", or its beginning such as "key."',
  not_an_idempotency_key: 'must be a header of up to 200 visible ASCII characters, such as a UUID',
  not_a_version_number: 'must be the number of a version',
  not_a_version: 'must be a version number or a hash of 64 hexadecimal digits',
  not_a_cursor: 'must be `next` of the page before',
  only_months_close: 'only months are closed',
  not_first_of_month: 'must be the first day of a month',
  ends_before_it_begins: 'must be later than from',
  ledger_has_no_models: 'the ledger knows no models; leave it out',
  ledger_has_no_keys: 'the ledger knows no keys; leave it out',
  not_an_address_range: 'must be an IP address or a range such as "192.0.2.0/24" or "2001:db8::/32"',
  holds_nul: 'must not hold the character NUL',
  temporary_without_end: 'goes with expires_at',
  not_a_key_hash: 'must be the lower-case hexadecimal SHA-256 of the key',
  not_a_masked_key: 'must be 1 to 40 characters',
  key_or_hash: 'send either key or key_hash',
  masked_without_hash: 'goes with key_hash, and only with it',
  request_or_transaction: 'name either a request_id or a transaction',
  account_or_all: 'give either "account_id" or "all": true',
  version_or_draft: 'name either a version (a number or "as-booked") or a draft',
  not_a_percentage: 'must be a decimal such as "0.5"',
  not_a_path: 'must be a path of the console',
  not_base64url: 'must be base64url',
  password_too_short: 'must have at least 12 characters',
  not_a_month: 'must be a month such as "2026-11"',
  not_a_moment: 'must be a time of the years 1900 to 9999, in UTC',
  not_a_day: 'must be a day of the years 1900 to 9999',
  not_a_catalogue_name: 'letters, digits and ._:/@- only, at most 128',
  not_a_ratio: 'a decimal such as "1" or "0.85"',
  not_a_token_ratio: 'a decimal such as "2" or "0.5"',
  not_printable_ascii: 'printable ASCII only',
} as const;
export type FieldRule = keyof typeof FIELD_RULES;

const RULES: ReadonlyMap<string, string> = new Map(
  Object.entries(FIELD_RULES).map(([rule, words]) => [words, rule]),
);
export const findFieldRule = (words: string): FieldRule | undefined =>
  RULES.get(words) as FieldRule | undefined;

/** What zod finds by itself, with the figures and names that go with it. */
export const FIELD_FAULTS = {
  field_missing: [],
  field_of_another_kind: ['kind'],
  field_too_short: ['min'],
  field_too_long: ['max'],
  field_too_small: ['min'],
  field_too_great: ['max'],
  field_lacks_entries: ['min'],
  field_has_more_entries: ['max'],
  field_of_another_form: ['form'],
  field_not_offered: ['offered'],
  field_unknown: ['names'],
  field_wrong: [],
} as const;
export type FieldFault = keyof typeof FIELD_FAULTS;
