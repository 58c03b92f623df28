import { findOwn } from '@tollgate/vocabulary';
import type { LiteLlmConfig } from './config.ts';

/** Of a deployment: what its upstream, its prices and its place in the pool are made of. */
const CARRIED_PARAMS = new Set([
  ...['model', 'api_base', 'api_key', 'weight', 'order', 'rpm', 'tpm', 'max_parallel_requests', 'mode'],
  ...['organization', 'extra_headers', 'custom_llm_provider', 'api_version'],
  ...['tenant_id', 'client_id', 'client_secret', 'azure_ad_token'],
  ...['aws_region_name', 'aws_access_key_id', 'aws_secret_access_key', 'aws_session_token', 'aws_role_name'],
  ...[
    'aws_external_id',
    'aws_bedrock_runtime_endpoint',
    'vertex_credentials',
    'vertex_project',
    'vertex_location',
  ],
  // These are noted by the cloud that they are of.
  ...['aws_profile_name', 'aws_web_identity_token', 'aws_session_name', 'aws_sts_endpoint'],
]);
/** Prices are noted where they are read; the rest describes a model and changes nothing. */
const IS_PRICE = /cost|price|pricing/;
const NEEDLESS_INFO = new Set([
  ...['id', 'db_model', 'base_model', 'mode', 'max_tokens', 'max_input_tokens', 'max_output_tokens', 'key'],
  ...[
    'litellm_provider',
    'output_vector_size',
    'description',
    'created_at',
    'updated_at',
    'created_by',
    'updated_by',
  ],
  ...['deprecation_date', 'source', 'comment', 'metadata', 'supported_endpoints', 'supported_modalities'],
  ...[
    'supported_output_modalities',
    'supported_regions',
    'supported_openai_params',
    'provider_specific_entry',
    'rpm',
    'tpm',
  ],
]);

/** Fields of the other sections that are carried, or say nothing of what is served, to whom or at which price. */
const KNOWN_SETTINGS: Readonly<Record<string, ReadonlySet<string>>> = {
  litellm_settings: new Set([
    ...['fallbacks', 'default_fallbacks', 'context_window_fallbacks', 'content_policy_fallbacks'],
    // What is logged, where to, and how it is shown.
    ...['set_verbose', 'json_logs', 'callbacks', 'success_callback', 'failure_callback', 'service_callback'],
    ...[
      'turn_off_message_logging',
      'redact_user_api_key_info',
      'langfuse_default_tags',
      'public_model_groups',
    ],
    ...['telemetry', 'suppress_debug_info', 'require_auth_for_metrics_endpoint'],
  ]),
  router_settings: new Set([
    ...[
      'fallbacks',
      'default_fallbacks',
      'context_window_fallbacks',
      'content_policy_fallbacks',
      'model_group_alias',
    ],
    // Its own Redis, and how it logs.
    ...[
      'redis_host',
      'redis_port',
      'redis_password',
      'redis_url',
      'cache_responses',
      'debug_level',
      'set_verbose',
    ],
  ]),
  general_settings: new Set([
    // Its own database, secrets, tasks and pages.
    ...[
      'database_url',
      'database_connection_pool_limit',
      'database_connection_timeout',
      'salt_key',
      'ui_access_mode',
    ],
    ...[
      'store_model_in_db',
      'store_prompts_in_spend_logs',
      'disable_spend_logs',
      'proxy_batch_write_at',
      'alerting',
    ],
    ...[
      'alerting_threshold',
      'alert_types',
      'alert_to_webhook_url',
      'health_check_interval',
      'background_health_checks',
    ],
    ...[
      'allow_requests_on_db_unavailable',
      'disable_master_key_return',
      'disable_error_logs',
      'completion_model',
    ],
  ]),
};
/** Sections that are read, or run nothing. */
const KNOWN_SECTIONS = new Set([
  'model_list',
  ...Object.keys(KNOWN_SETTINGS),
  'environment_variables',
  'include',
]);

/** Why something is left out that people count on. */
const MEANINGS: Readonly<Record<string, string>> = {
  master_key: 'clients that use it as their key need a key of their own',
  drop_params:
    'parameters that an upstream does not know are dropped here anyway, or refused where they matter',
  max_budget: 'give accounts and keys their budgets here',
  provider_budget_config: 'give accounts and keys their budgets here',
  routing_strategy: 'the pools are weighted; change their strategy where it is to be another',
  num_retries: 'pools try three members; change their attempts where it is to be another number',
};
const because = (name: string): string => (Object.hasOwn(MEANINGS, name) ? `: ${MEANINGS[name]}` : '');

const isSet = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== false && value !== '' && JSON.stringify(value) !== '[]';

/** A note for every field of the file that is neither carried over nor known to change nothing. */
export function noteLeftFields(config: LiteLlmConfig): string[] {
  const notes: string[] = [];
  for (const [section, value] of Object.entries(config)) {
    const known = findOwn(KNOWN_SETTINGS, section);
    if (known === undefined) {
      if (!KNOWN_SECTIONS.has(section) && isSet(value)) notes.push(`section ${section}: is left out`);
      continue;
    }
    for (const [name, inner] of Object.entries(value ?? {}))
      if (!known.has(name) && isSet(inner)) notes.push(`${section}.${name}: is left out${because(name)}`);
  }
  for (const [index, { model_name, litellm_params, model_info }] of config.model_list.entries()) {
    const what = `deployment ${index + 1} "${model_name}"`;
    const params = Object.entries(litellm_params).filter(
      ([name, value]) => !CARRIED_PARAMS.has(name) && !IS_PRICE.test(name) && isSet(value),
    );
    // There a client's own value comes first; what is set here would come before it.
    for (const [name] of params)
      notes.push(`${what}: its default ${name} is left out; set_parameters would hold for every request`);
    for (const [name, value] of Object.entries(model_info ?? {}))
      if (!NEEDLESS_INFO.has(name) && !IS_PRICE.test(name) && !name.startsWith('supports_') && isSet(value))
        notes.push(`${what}: model_info.${name} is left out`);
  }
  return notes;
}
