import { closed, each, toList, toMap, type Shape, tagged } from './shape.ts';

const breakpoint = { prompt_cache_breakpoint: closed('mode ttl') };
const annotation = tagged('type', {
  file_citation: closed('type file_id filename index'),
  url_citation: closed('type url title start_index end_index'),
  container_file_citation: closed('type container_id file_id filename start_index end_index'),
  file_path: closed('type file_id index'),
});

const INPUT_PARTS = {
  input_text: closed('type text prompt_cache_breakpoint', breakpoint),
  input_image: closed('type detail file_id image_url prompt_cache_breakpoint', breakpoint),
  input_file: closed('type detail file_data file_id file_url filename prompt_cache_breakpoint', breakpoint),
};
const OUTPUT_PARTS = {
  output_text: closed('type text annotations logprobs', { annotations: toList(annotation) }),
  refusal: closed('type refusal'),
};
const OTHER_PARTS = {
  summary_text: closed('type text'),
  computer_screenshot: closed('type detail file_id image_url'),
};

/** What an assistant said has no parts of an input. */
const message = tagged('role', {
  ...each(
    'user system developer',
    closed('type role content status phase id', {
      content: toList(tagged('type', { ...INPUT_PARTS, ...OUTPUT_PARTS, ...OTHER_PARTS })),
    }),
  ),
  assistant: closed('type role content status phase id', { content: toList(tagged('type', OUTPUT_PARTS)) }),
});

const output = toList(tagged('type', INPUT_PARTS));
const func = closed(
  'type name parameters strict description defer_loading async allowed_callers output_schema',
);
const custom = closed('type name description format defer_loading async allowed_callers');

const tools: Shape = toList(
  tagged('type', {
    function: func,
    custom,
    namespace: closed('type name description tools', {
      tools: toList(tagged('type', { function: func, custom })),
    }),
    ...each(
      `file_search computer computer_use_preview web_search web_search_2025_08_26 web_search_preview
      web_search_preview_2025_03_11 mcp code_interpreter programmatic_tool_calling image_generation local_shell shell
      apply_patch tool_search`,
      'any',
    ),
  }),
);

/** The items of an input, by their type; one without a type is a message. */
const ITEMS: Readonly<Record<string, Shape>> = {
  message,
  function_call: closed('type id call_id name arguments status namespace caller async'),
  function_call_output: closed('type id call_id output status name namespace caller', { output }),
  custom_tool_call: closed('type id call_id name input namespace caller async'),
  custom_tool_call_output: closed('type id call_id output caller', { output }),
  // Its `status` is only in answers: https://github.com/openai/openai-python/pull/3053
  reasoning: closed('type id summary content encrypted_content', {
    summary: toList(closed('type text')),
    content: toList(closed('type text')),
  }),
  item_reference: closed('type id'),
  additional_tools: closed('type id role tools', { tools }),
  compaction: closed('type id encrypted_content'),
  compaction_trigger: closed('type id'),
  ...each(
    `file_search_call computer_call computer_call_output web_search_call tool_search_call tool_search_output
    configuration_update image_generation_call code_interpreter_call local_shell_call local_shell_call_output shell_call
    shell_call_output apply_patch_call apply_patch_call_output mcp_list_tools mcp_approval_request mcp_approval_response
    mcp_call program program_output`,
    'any',
  ),
};

/** What OpenAI knows of a request, from its SDK of version 7.55, and `client_metadata`, which Codex sends. */
export const RESPONSES_SHAPE: Shape = closed(
  `model stream access_programs background context_management conversation include instructions max_output_tokens
  max_tool_calls metadata moderation parallel_tool_calls previous_response_id prompt_cache_key prompt_cache_retention
  safety_identifier service_tier store temperature tool_choice top_logprobs top_p truncation user client_metadata`,
  {
    input: toList(tagged('type', ITEMS, message)),
    image: closed('context_compression'),
    prompt: closed('id version variables', { variables: toMap('any') }),
    prompt_cache_options: closed('comparison_response_id mode prewarm ttl'),
    reasoning: closed('context effort generate_summary mode summary'),
    stream_options: closed('include_obfuscation'),
    text: closed('verbosity format', {
      format: tagged('type', {
        text: closed('type'),
        json_object: closed('type'),
        json_schema: closed('type name schema strict description'),
      }),
    }),
    tools,
  },
);
