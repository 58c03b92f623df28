import type { NewApi } from './rows.ts';

/** Columns that say nothing of what is served, to whom or at which price. */
export const NEEDLESS_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  channels: [
    ...[
      'created_time',
      'test_time',
      'response_time',
      'test_model',
      'auto_ban',
      'other_info',
      'remark',
      'tag',
    ],
    // What is left at the upstream and what went there are figures of the past.
    ...['balance', 'balance_updated_time', 'used_quota'],
  ],
  tokens: ['created_time', 'accessed_time', 'used_quota', 'deleted_at'],
  // People do not come over: how they sign in, who invited them, what they have used.
  users: [
    ...['password', 'role', 'email', 'access_token', 'verification_code', 'setting', 'remark', 'deleted_at'],
    ...['github_id', 'discord_id', 'oidc_id', 'wechat_id', 'telegram_id', 'linux_do_id', 'lark_id'],
    ...['aff_code', 'aff_count', 'aff_history', 'aff_history_quota', 'inviter_id', 'stripe_customer'],
    ...[
      'used_quota',
      'request_count',
      'created_at',
      'last_login_at',
      'auth_version',
      'invite_rebate_eligible',
    ],
  ],
  options: [],
};

/** Options that are read where prices, groups and amounts are. */
const CARRIED_OPTIONS = new Set([
  ...['ModelRatio', 'CompletionRatio', 'CacheRatio', 'CreateCacheRatio', 'ImageRatio', 'AudioRatio'],
  ...['AudioCompletionRatio', 'ModelPrice', 'GroupRatio', 'AutoGroups', 'QuotaPerUnit'],
  ...['tool_price_setting.prices', 'billing_setting.billing_mode', 'billing_setting.billing_expr'],
]);

/** Options about people who sign in and pay, what pages look like, mail, logs and checks: beginnings of their names. */
const NEEDLESS_OPTIONS = [
  ...[
    'Password',
    'Email',
    'GitHub',
    'LinuxDO',
    'Telegram',
    'WeChat',
    'Turnstile',
    'Register',
    'SMTP',
    'Quota',
    'Lark',
  ],
  ...[
    'File',
    'Image(?:Up|Down)load',
    'Epay',
    'Stripe',
    'Creem',
    'Waffo',
    'AllScale',
    'Pay',
    'Price$',
    'USDExchangeRate',
  ],
  ...[
    'TopUp',
    'Topup',
    'MinTopUp',
    'CustomCallbackAddress',
    'Notice',
    'About',
    'HomePageContent',
    'Footer',
    'SystemName',
  ],
  ...[
    'Logo',
    'ServerAddress',
    'Theme',
    'Chats?$',
    'ChatLink',
    'Display',
    'Default(?:Collapse|Channel)',
    'DataExport',
    'LogConsume',
  ],
  ...[
    'Drawing',
    'Task',
    'Mj',
    'DemoSite',
    'SelfUseMode',
    'ExposeRatio',
    'StreamCacheQueueLength',
    'PreConsumedQuota',
  ],
  ...['Automatic', 'ChannelDisableThreshold', 'CompletionRatio$', 'Approximate', 'Message', 'ApiInfo'],
  ...[
    '(?:console|general|theme|legal|oidc|passkey|discord|checkin|payment|performance|monitor|quota|attachment)',
  ],
].map((beginning) => new RegExp(`^${beginning}`));

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  ['', '0', '{}', '[]', 'null', 'false'].includes(
    (value instanceof Uint8Array ? Buffer.from(value).toString() : String(value)).trim(),
  );

/** A note for each column that says something which is not carried and not known to be needless. */
export function noteUnreadColumns(
  table: string,
  records: readonly Readonly<Record<string, unknown>>[],
  read: readonly string[],
): string[] {
  const known = new Set([...read, ...(NEEDLESS_COLUMNS[table] ?? [])]);
  const unread = new Set(
    records.flatMap((record) =>
      Object.entries(record).flatMap(([name, value]) => (known.has(name) || isEmpty(value) ? [] : [name])),
    ),
  );
  return [...unread].map((name) => `${table}: what stands in the column ${name} is left out`);
}

/** A note for each option that is stored, says something and has nothing like it here. */
export const noteLeftOptions = ({ options }: Pick<NewApi, 'options'>): string[] =>
  [...options]
    .filter(([name, value]) => !CARRIED_OPTIONS.has(name) && !isEmpty(value))
    .filter(([name]) => !NEEDLESS_OPTIONS.some((pattern) => pattern.test(name)))
    .map(([name]) => `option ${name}: is left out`);

/** What a channel's `setting` and `settings` change, in words; any other field is noted by its name. */
const MEANINGS: Readonly<Record<string, string>> = {
  proxy: 'its upstream is asked without that proxy, so from another address',
  system_prompt: 'no text is put before what clients ask',
  system_prompt_override: 'no text is put before what clients ask',
  thinking_to_content: 'thoughts stay where the format has them',
  pass_through_body_enabled: 'requests are read and written again where formats differ',
};
/** Answers are always in the format of the client. */
const NEEDLESS_SETTINGS = new Set(['force_format']);

/** A note for each thing that a channel does otherwise than its type. */
export function noteChannelSettings(
  settings: Readonly<Record<string, unknown>>,
  tell: (note: string) => void,
): void {
  for (const [name, value] of Object.entries(settings)) {
    if (NEEDLESS_SETTINGS.has(name) || isEmpty(typeof value === 'object' ? JSON.stringify(value) : value))
      continue;
    tell(`its setting ${name} is left out${Object.hasOwn(MEANINGS, name) ? `: ${MEANINGS[name]}` : ''}`);
  }
}
