import { closed, each, toList, type Shape, tagged } from './shape.ts';

const cacheControl = tagged('type', { ephemeral: closed('type ttl') });
const cached = { cache_control: cacheControl };
const source = tagged('type', {
  base64: closed('type media_type data'),
  url: closed('type url'),
  file: closed('type file_id'),
  text: closed('type media_type data'),
  content: closed('type content'),
});

const text = closed('type text cache_control citations', cached);
const image = closed('type source cache_control transformations', { ...cached, source });
const document = closed('type source title context citations cache_control', {
  ...cached,
  source,
  citations: closed('enabled'),
});
const searchResult = closed('type source title content citations cache_control', cached);

const toolResult = closed('type tool_use_id content is_error cache_control toolset_name', {
  ...cached,
  content: toList(
    tagged('type', {
      text,
      image,
      document,
      search_result: searchResult,
      ...each('tool_reference browser_state', 'any'),
    }),
  ),
});

const BLOCKS: Readonly<Record<string, Shape>> = {
  text,
  image,
  document,
  search_result: searchResult,
  thinking: closed('type thinking signature'),
  redacted_thinking: closed('type data'),
  tool_use: closed('type id name input cache_control caller toolset_name', cached),
  tool_result: toolResult,
  ...each(
    `server_tool_use web_search_tool_result web_fetch_tool_result code_execution_tool_result bash_code_execution_tool_result
    text_editor_code_execution_tool_result tool_search_tool_result container_upload mid_conv_system mcp_tool_use
    mcp_tool_result compaction`,
    'any',
  ),
};

const tool = closed(
  `type name description input_schema strict cache_control defer_loading eager_input_streaming input_examples
  allowed_callers`,
  cached,
);

/** A tool without a type, or of type custom, is the caller's own; the others are versions of the vendor's. */
const tools = toList({ tag: 'type', of: { custom: tool }, absent: tool });

const choice = tagged('type', {
  ...each('auto any', closed('type disable_parallel_tool_use')),
  tool: closed('type name disable_parallel_tool_use'),
  none: closed('type'),
});

const thinking = tagged('type', {
  enabled: closed('type budget_tokens display'),
  adaptive: closed('type display'),
  disabled: closed('type'),
  between_tools: closed('type'),
});

const OPTIONS = {
  messages: toList(closed('role content', { content: toList(tagged('type', BLOCKS)) })),
  system: toList(text),
  cache_control: cacheControl,
  metadata: closed('user_id'),
  output_config: closed('effort format task_budget', {
    format: tagged('type', { json_schema: closed('type schema') }),
  }),
  thinking,
  tool_choice: choice,
  tools,
};

/** What the vendor knows of a request for an answer, from its SDK of version 1.11. */
export const MESSAGES_SHAPE: Shape = closed(
  `model max_tokens stream stop_sequences temperature top_p top_k service_tier speed inference_geo container diagnostics
  user_profile_id workspace_id`,
  OPTIONS,
);

/** What it knows of a request that only counts. */
export const COUNT_SHAPE: Shape = closed('model speed', OPTIONS);

/** Members that are only known with a beta's name in the header `anthropic-beta`, by their place. */
export const BETA_MEMBERS: readonly string[] = [
  'messages.output_config',
  'context_management',
  'mcp_servers',
  'output_format',
  'compaction',
  'fallbacks',
  'fallback_credit_token',
  'billing_policy',
  'thread',
];
