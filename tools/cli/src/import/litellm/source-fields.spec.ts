import { parseYaml } from '../../catalogue/read-file.ts';
import { liteLlmConfig } from './config.ts';
import { planLiteLlm } from './plan-litellm.ts';

const PRICES = 'input_cost_per_token: 1e-6, output_cost_per_token: 2e-6';
const planOf = (text: string, env: Record<string, string> = {}) =>
  planLiteLlm(parseYaml(text, 'config.yaml', liteLlmConfig), 'team', env);
const withModel = (params = '', info = '', rest = '') =>
  planOf(
    `model_list: [{ model_name: m, litellm_params: { model: openai/m, api_key: k, ${PRICES}${params} }, model_info: {${info}} }]\n${rest}`,
  );

test('a plain deployment leaves nothing to tell', () => {
  expect(withModel().notes).toEqual([]);
});

test('aliases are models of the same prices in the same pool', () => {
  const { catalogue, notes } = withModel(
    '',
    '',
    'router_settings: { model_group_alias: { gpt-4: m, old: { model: m, hidden: true }, lost: nothing } }',
  );
  expect(catalogue.models.map(({ name, prices }) => [name, prices])).toEqual(
    ['m', 'gpt-4', 'old'].map((name) => [name, { input: 1_000_000, output: 2_000_000 }]),
  );
  expect(catalogue.pools).toMatchObject([
    { models: ['m', 'gpt-4', 'old'], members: [{ model_map: { 'gpt-4': 'm', old: 'm' } }] },
  ]);
  expect(notes).toEqual(['alias lost: left out, for nothing did not come over']);
});

test('fallbacks of all kinds come over or are noted', () => {
  const models = ['a', 'b', 'c']
    .map(
      (name) =>
        `  - { model_name: ${name}, litellm_params: { model: openai/${name}, api_key: k, ${PRICES} } }`,
    )
    .join('\n');
  const { catalogue, notes } = planOf(`model_list:\n${models}
litellm_settings: { fallbacks: [{ a: [b, gone] }], default_fallbacks: [c], context_window_fallbacks: [{ a: [c] }] }
router_settings: { content_policy_fallbacks: [{ b: [c] }] }
`);
  expect(catalogue.groups[0]?.fallbacks).toEqual({ a: ['b'], b: ['c'] });
  expect(notes).toEqual([
    'context_window_fallbacks of a: are left out; here fallbacks are asked whatever the reason',
    'content_policy_fallbacks of b: are left out; here fallbacks are asked whatever the reason',
    'fallbacks of a: without gone, which did not come over',
  ]);
});

test('the organization, headers and the number of requests at a time are those of the upstream', () => {
  const { catalogue, notes } = withModel(
    ', organization: org-1, max_parallel_requests: 7, extra_headers: { x-team: blue, x-api-key: secret }',
  );
  expect(catalogue.upstreams).toMatchObject([
    {
      set_headers: { 'openai-organization': 'org-1', 'x-team': 'blue' },
      limits: { concurrent_requests: 7 },
    },
  ]);
  expect(notes).toEqual(['deployment 1 "m": its header x-api-key is left out; make its value a credential']);
});

test.each([
  ['openai/m', 'OPENAI_API_KEY'],
  ['gpt-5', 'OPENAI_API_KEY'],
  ['claude-x', 'ANTHROPIC_API_KEY'],
  ['deepseek/deepseek-chat', 'DEEPSEEK_API_KEY'],
])('%s without an api_key has that of %s', (model, variable) => {
  const text = `model_list: [{ model_name: m, litellm_params: { model: ${model}, ${PRICES} } }]`;
  expect(planOf(text, { [variable]: 'k' }).catalogue.upstreams).toMatchObject([
    { credentials: [{ secret_env: variable }] },
  ]);
  expect(planOf(text).notes).toEqual(['deployment 1 "m": names no api_key, so its upstream is sent none']);
});

test('variables of the file stand for what the environment has', () => {
  const { catalogue, secrets, notes } = planOf(`
environment_variables: { OWN_KEY: from-the-file, OWN_BASE: "https://llm.example.com/v1" }
model_list: [{ model_name: m, litellm_params: { model: openai/m, api_key: os.environ/OWN_KEY, api_base: os.environ/OWN_BASE, ${PRICES} } }]`);
  expect(catalogue.upstreams).toMatchObject([
    { base_url: 'https://llm.example.com/v1', credentials: [{ secret_env: 'OWN_KEY' }] },
  ]);
  expect([secrets.get('OWN_KEY'), notes]).toEqual(['from-the-file', []]);
});

/** Fields of its documented configuration that are not carried: each is noted by its name. */
test.each([
  ...[
    'max_tokens: 5',
    'temperature: 0.2',
    'thinking: { type: enabled }',
    'timeout: 30',
    'stream_timeout: 5',
    'max_retries: 2',
  ],
  ...['max_budget: 5', 'budget_duration: 1d', 'tags: [free]', 'extra_body: { a: 1 }', 'drop_params: true'],
  ...[
    'additional_drop_params: [x]',
    'cooldown_time: 5',
    'litellm_credential_name: x',
    'cache_control_injection_points: [{}]',
  ],
])('of a deployment %s is noted', (field) => {
  const [name = ''] = field.split(':');
  expect(withModel(`, ${field}`).notes).toEqual([expect.stringContaining(`its default ${name} is left out`)]);
});

test.each([...['access_groups: [beta]', 'team_id: t', 'health_check_model: x', 'tier: free']])(
  'of model_info %s is noted',
  (field) => {
    expect(withModel('', field).notes).toEqual([
      expect.stringContaining(`model_info.${field.split(':')[0]}`),
    ]);
  },
);

test.each([
  ...[
    'litellm_settings: { max_budget: 5 }',
    'litellm_settings: { drop_params: true }',
    'litellm_settings: { cache: true }',
  ],
  ...[
    'litellm_settings: { num_retries: 3 }',
    'litellm_settings: { request_timeout: 3 }',
    'litellm_settings: { modify_params: true }',
  ],
  ...[
    'litellm_settings: { default_internal_user_params: { a: 1 } }',
    'litellm_settings: { max_internal_user_budget: 1 }',
  ],
  ...[
    'router_settings: { provider_budget_config: { openai: {} } }',
    'router_settings: { routing_strategy: latency-based-routing }',
  ],
  ...[
    'router_settings: { allowed_fails: 3 }',
    'router_settings: { cooldown_time: 3 }',
    'router_settings: { retry_policy: { x: 1 } }',
  ],
  ...['router_settings: { enable_pre_call_checks: true }', 'router_settings: { max_fallbacks: 2 }'],
  ...[
    'general_settings: { master_key: sk-1 }',
    'general_settings: { max_parallel_requests: 3 }',
    'general_settings: { global_max_parallel_requests: 3 }',
  ],
  ...[
    'general_settings: { pass_through_endpoints: [{}] }',
    'general_settings: { allowed_routes: [x] }',
    'general_settings: { enable_jwt_auth: true }',
  ],
  ...[
    'guardrails: [{}]',
    'prompts: [{}]',
    'mcp_servers: { a: {} }',
    'vector_store_registry: [{}]',
    'credential_list: [{}]',
  ],
  ...[
    'finetune_settings: [{}]',
    'files_settings: [{}]',
    'callback_settings: { a: 1 }',
    'assistant_settings: { a: 1 }',
  ],
])('%s is noted', (section) => {
  const [name = '', field] = section.split(/: ?\{? ?/);
  const said = section.includes('[{}]') && !section.includes('settings: {') ? name : field;
  expect(withModel('', '', section).notes).toEqual([
    expect.stringMatching(new RegExp(`^(?:section ${name}|${name}\\.${said ?? ''}): is left out`)),
  ]);
});
