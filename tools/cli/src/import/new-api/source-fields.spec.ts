import { planNewApi } from './plan-new-api.ts';
import { channelRow, type NewApi, tokenRow, userRow } from './rows.ts';
import { NEEDLESS_COLUMNS, noteLeftOptions, noteUnreadColumns } from './source-fields.ts';

/** The columns of new-api's own tables, of all its versions and of one-api's. */
const COLUMNS = {
  channels: `id type key open_ai_organization openai_organization test_model status name weight created_time test_time
    response_time base_url other balance balance_updated_time models group used_quota model_mapping status_code_mapping priority
    auto_ban other_info tag setting param_override header_override remark channel_info settings`,
  tokens: `id user_id key status name created_time accessed_time expired_time remain_quota unlimited_quota
    model_limits_enabled model_limits models subnet allow_ips used_quota group cross_group_retry deleted_at`,
  users: `id username password display_name role status email github_id discord_id oidc_id wechat_id telegram_id lark_id
    access_token verification_code quota used_quota request_count group aff_code aff_count aff_quota aff_history inviter_id
    deleted_at linux_do_id setting remark stripe_customer created_at last_login_at auth_version
    invite_rebate_eligible`,
} as const;
const ROWS = { channels: channelRow, tokens: tokenRow, users: userRow };

test.each(Object.keys(COLUMNS) as (keyof typeof COLUMNS)[])(
  'every column of %s is read, or needless',
  (table) => {
    const read = Object.keys(ROWS[table].shape);
    const known = COLUMNS[table].split(/\s+/);
    const needless = NEEDLESS_COLUMNS[table] ?? [];
    expect(known.filter((name) => !read.includes(name) && !needless.includes(name))).toEqual([]);
    expect(read.filter((name) => needless.includes(name))).toEqual([]);
  },
);

test('a column that nobody knows is noted when it says something', () => {
  const records = [
    { id: 1, new_limit: 0, surprise: null },
    { id: 2, new_limit: 5, surprise: '' },
  ];
  expect(noteUnreadColumns('tokens', records, ['id'])).toEqual([
    'tokens: what stands in the column new_limit is left out',
  ]);
});

/** What new-api stores when an admin saves its pages, with what it changes of requests and their prices. */
test.each([
  'GroupGroupRatio',
  'UserUsableGroups',
  'DefaultUseAutoGroup',
  'ModelRequestRateLimitEnabled',
  'ModelRequestRateLimitCount',
  'ModelRequestRateLimitDurationMinutes',
  'ModelRequestRateLimitSuccessCount',
  'ModelRequestRateLimitGroup',
  'RetryTimes',
  'CheckSensitiveEnabled',
  'SensitiveWords',
  'StopOnSensitiveEnabled',
  'WorkerUrl',
  'claude.model_headers_settings',
  'gemini.safety_settings',
  'global.pass_through_request_enabled',
  'group_ratio_setting.group_special_usable_group',
  'channel_affinity_setting.rules',
  'something_of_tomorrow',
])('the option %s is noted', (name) => {
  expect(noteLeftOptions({ options: new Map([[name, '5']]) })).toEqual([`option ${name}: is left out`]);
});

test.each([
  'ModelRatio',
  'QuotaPerUnit',
  'SMTPServer',
  'Logo',
  'StripePriceId',
  'QuotaForNewUser',
  'oidc.client_id',
])('the option %s is carried, or about people and pages', (name) => {
  expect(noteLeftOptions({ options: new Map([[name, '5']]) })).toEqual([]);
});

const source = (channel: object, more: Partial<NewApi> = {}): NewApi => ({
  channels: [
    channelRow.parse({ id: 1, type: 1, key: 'k', name: 'C', models: 'gpt-4o', group: 'default', ...channel }),
  ],
  users: [],
  tokens: [],
  options: new Map([
    ['ModelRatio', '{"gpt-4o":1.25}'],
    ['GroupRatio', '{"default":1}'],
  ]),
  ...more,
});

test('what a channel does otherwise than its type is noted by its name', () => {
  const setting = JSON.stringify({
    proxy: 'socks5://10.0.0.1:1080',
    system_prompt: 'Be brief.',
    force_format: true,
    thinking_to_content: false,
  });
  const settings = Buffer.from('{"azure_responses_version":"preview"}');
  const { notes } = planNewApi(source({ setting, settings }));
  const noted = notes.filter((note) => note.includes('its setting'));
  expect(noted).toEqual([
    'channel 1 "C": its setting proxy is left out: its upstream is asked without that proxy, so from another address',
    'channel 1 "C": its setting system_prompt is left out: no text is put before what clients ask',
    'channel 1 "C": its setting azure_responses_version is left out',
  ]);
});

test('the organization of a channel is sent, whichever of two columns holds it', () => {
  for (const column of ['open_ai_organization', 'openai_organization'])
    expect(planNewApi(source({ [column]: 'org-1' })).catalogue.upstreams).toMatchObject([
      { set_headers: { 'openai-organization': 'org-1' } },
    ]);
});

test('money that was earned by invitations is noted, and keys of other forms come over', () => {
  const user = userRow.parse({
    id: 1,
    username: 'ada',
    quota: 500_000,
    aff_quota: '250000',
    group: 'default',
  });
  const token = (id: number, key: string) =>
    tokenRow.parse({ id, user_id: 1, key, name: `t${id}`, unlimited_quota: 1 });
  const { accounts, notes } = planNewApi(
    source(
      {},
      {
        users: [user],
        tokens: [token(1, 'x'.repeat(128)), token(2, 'own_key-of-16ch'), token(3, 'own_key-of-16chr')],
      },
    ),
  );
  expect(notes.join('\n')).toContain('user 1 "ada": 0.50 USD earned by invitations');
  expect(accounts[0]?.keys.map((each) => 'key' in each && each.key)).toEqual([
    `sk-${'x'.repeat(128)}`,
    'sk-own_key-of-16chr',
  ]);
  expect(notes.join('\n')).toMatch(/token 2 "t2": left out, its key is not/);
});

test.each([
  ['claude-sonnet-4-5-thinking', true],
  ['claude-opus-4-8-xhigh', true],
  ['gemini-2.5-pro-thinking-128', true],
  ['gemini-2.5-flash-nothinking', true],
  ['o3-mini-high', true],
  ['gpt-5-minimal', true],
  ['gemini-2.0-flash-thinking-exp', false],
  ['gpt-5-mini', false],
])('that the end of the name %s is read by new-api itself is noted: %s', (model, isNoted) => {
  const note = `channel 1 "C": ${model} is asked for by that very name`;
  const { notes } = planNewApi(source({ models: model }));
  expect(notes.some((each) => each.startsWith(note))).toBe(isNoted);
  const mapped = planNewApi(source({ models: model, model_mapping: JSON.stringify({ [model]: 'real' }) }));
  expect(mapped.notes.some((each) => each.includes('by that very name'))).toBe(false);
});
