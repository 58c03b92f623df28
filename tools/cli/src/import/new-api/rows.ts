import { z } from 'zod';

/** Numbers come as text out of PostgreSQL's bigint, truths as 0 and 1 out of SQLite. */
const whole = z.coerce.number().int();
const truth = z.preprocess(
  (value) => value === true || value === 1 || value === '1' || value === 't',
  z.boolean(),
);
const text = z.preprocess(
  (value) => (value === null || value === undefined ? '' : String(value)),
  z.string(),
);
const bytes = (value: unknown): unknown =>
  value instanceof Uint8Array ? Buffer.from(value).toString() : value;
const jsonText = z.preprocess((value) => {
  const plain = bytes(value);
  return plain === null || plain === undefined
    ? ''
    : typeof plain === 'string'
      ? plain
      : JSON.stringify(plain);
}, z.string());

export const channelRow = z.object({
  id: whole,
  type: whole,
  key: text,
  name: text,
  status: whole.default(1),
  weight: whole.nullish().transform((value) => value ?? 0),
  priority: whole.nullish().transform((value) => value ?? 0),
  base_url: text,
  models: text,
  group: text,
  model_mapping: jsonText,
  channel_info: jsonText,
  header_override: jsonText,
  param_override: jsonText,
  status_code_mapping: jsonText,
  /** What one-api and new-api call it. */
  openai_organization: text,
  open_ai_organization: text,
  /** Of Azure the version of its API, of Vertex the location, of Cloudflare the account. */
  other: text,
  /** What a channel does otherwise than its type. */
  setting: jsonText,
  /** What some types want to know beside `other`. */
  settings: jsonText,
});
export type Channel = z.infer<typeof channelRow>;

export const tokenRow = z.object({
  id: whole,
  user_id: whole,
  key: text,
  name: text,
  status: whole.default(1),
  expired_time: whole.default(-1),
  remain_quota: whole.default(0),
  unlimited_quota: truth,
  model_limits_enabled: truth,
  model_limits: text,
  /** What one-api calls it; null or nothing is every model. */
  models: text,
  allow_ips: text,
  /** What one-api calls it. */
  subnet: text,
  group: text,
  /** Whether another group of `auto` is tried when one fails. */
  cross_group_retry: truth,
});
export type Token = z.infer<typeof tokenRow>;

export const userRow = z.object({
  id: whole,
  username: text,
  display_name: text,
  status: whole.default(1),
  quota: whole.default(0),
  /** Earned by inviting others, and not yet moved to `quota`. */
  aff_quota: whole.nullish().transform((value) => value ?? 0),
  group: text,
});
export type User = z.infer<typeof userRow>;

export const optionRow = z.object({ key: z.string(), value: text });

/** Everything of a new-api or one-api that comes over. */
export interface NewApi {
  readonly channels: readonly Channel[];
  readonly tokens: readonly Token[];
  readonly users: readonly User[];
  readonly options: ReadonlyMap<string, string>;
  /** Columns that hold something and mean nothing to this import, in words. */
  readonly unread?: readonly string[];
}
