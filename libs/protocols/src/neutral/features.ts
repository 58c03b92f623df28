/**
 * What a request may ask for beyond plain text, and what it means. Each wire format says in its own folder which of
 * its fields ask for a feature, and how it serves the feature as an upstream.
 */
export const FEATURES = {
  max_output_tokens: 'Limit of output tokens',
  temperature: 'Temperature',
  top_p: 'Nucleus sampling',
  top_k: 'Top-k sampling',
  stop: 'Stop sequences',
  n: 'Several answers at once',
  seed: 'Seed',
  penalties: 'Presence and frequency penalties',
  logit_bias: 'Bias of single tokens',
  logprobs: 'Log probabilities',
  system_in_conversation: 'System or developer text between turns',
  image_data: 'Inline images',
  image_url: 'Images by URL',
  file_data: 'Inline documents',
  file_url: 'Documents by URL',
  file_id: 'Files uploaded to a vendor',
  audio_input: 'Audio input',
  audio_output: 'Audio output',
  image_output: 'Pictures in the answer',
  video_input: 'Video input',
  media_of_assistant: 'Images and files in turns of the assistant',
  tools: 'Function tools',
  custom_tools: 'Free-form (custom) tools',
  tool_namespaces: 'Tools in namespaces',
  hosted_tools: 'Tools that a vendor runs itself',
  tool_choice: 'Choice of a tool',
  allowed_tools: 'Choice among some tools',
  parallel_tool_calls_off: 'No parallel tool calls',
  tool_result_error: 'Failed tool results',
  tool_result_media: 'Images and files in tool results',
  json_object: 'Any JSON as the answer',
  json_schema: 'An answer by a JSON schema',
  reasoning_effort: 'Reasoning effort',
  reasoning_budget: 'Reasoning budget in tokens',
  cache_control: 'Marks for the prompt cache',
  prompt_cache_key: 'Key of the prompt cache',
  cached_content: 'A prompt cached at a vendor',
  metadata: 'Metadata',
  user: 'Id of the end user',
  service_tier: 'Service tier',
  store: 'Storing of the answer at a vendor',
  verbosity: 'Verbosity',
  prediction: 'Predicted output',
  web_search_options: 'Web search',
  server_state: 'Conversations, prompts and answers kept at a vendor',
  background: 'Background work',
  safety_settings: 'Safety settings',
  context_management: 'Editing of the context by the vendor',
  vendor_hint: 'Other hints of one vendor',
} as const;

export type Feature = keyof typeof FEATURES;

/**
 * `carried`: means the same there. `emulated`: done in another way, and named in `x-tollgate-emulated`. `dropped`: a
 * hint that changes no meaning, left out and named in `x-tollgate-dropped`. `refused`: 400 with the field's name.
 */
export type Support = 'carried' | 'emulated' | 'dropped' | 'refused';
export type SupportTable = Readonly<Record<Feature, Support>>;

/** The feature that a request's field asks for, unless it has a value that asks for nothing. */
export interface FieldRule {
  readonly feature: Feature;
  readonly unless?: readonly unknown[];
}
/** Fields by path, such as `generationConfig.seed`; null for those that every format carries in its own way. */
export type FieldRules = Readonly<Record<string, FieldRule | null>>;
