import { closed, each, toList, type Shape, tagged } from './shape.ts';

const breakpoint = closed('mode ttl');
const text = closed('type text prompt_cache_breakpoint', { prompt_cache_breakpoint: breakpoint });
const parts = toList(
  tagged('type', {
    text,
    image_url: closed('type image_url prompt_cache_breakpoint', { image_url: closed('url detail') }),
    input_audio: closed('type input_audio prompt_cache_breakpoint', { input_audio: closed('data format') }),
    file: closed('type file prompt_cache_breakpoint', { file: closed('file_data file_id filename') }),
    refusal: closed('type refusal'),
  }),
);

const call = tagged(
  'type',
  {
    function: closed('id type function', { function: closed('name arguments') }),
    custom: closed('id type custom', { custom: closed('name input') }),
  },
  closed('id function', { function: closed('name arguments') }),
);

const said = { content: parts };

/** The members of a message, by its role. */
const MESSAGES: Readonly<Record<string, Shape>> = {
  ...each('system developer', closed('role content name', said)),
  user: closed('role content name', said),
  assistant: closed('role content name refusal audio tool_calls function_call', {
    ...said,
    audio: closed('id'),
    function_call: closed('name arguments'),
    tool_calls: toList(call),
  }),
  tool: closed('role content tool_call_id', said),
  function: closed('role content name'),
};

const tools = toList(
  tagged('type', {
    function: closed('type function', { function: closed('name description parameters strict') }),
    custom: closed('type custom', { custom: closed('name description format') }),
  }),
);

const responseFormat = tagged('type', {
  text: closed('type'),
  json_object: closed('type'),
  json_schema: closed('type json_schema', { json_schema: closed('name description schema strict') }),
});

/** What OpenAI's own endpoint knows of a request, from its SDK of version 7.55. */
export const CHAT_SHAPE: Shape = closed(
  `model stream frequency_penalty functions function_call logit_bias logprobs max_completion_tokens max_tokens metadata
  modalities n parallel_tool_calls presence_penalty prompt_cache_key prompt_cache_retention reasoning_effort
  safety_identifier seed service_tier stop store temperature top_logprobs top_p user verbosity moderation
  prompt_cache_options`,
  {
    messages: toList(tagged('role', MESSAGES)),
    audio: closed('format voice'),
    prediction: closed('type content'),
    response_format: responseFormat,
    stream_options: closed('include_usage include_obfuscation'),
    tool_choice: tagged('type', {
      function: closed('type function', { function: closed('name') }),
      custom: closed('type custom', { custom: closed('name') }),
      allowed_tools: closed('type allowed_tools', { allowed_tools: closed('mode tools') }),
    }),
    tools,
    web_search_options: closed('search_context_size user_location'),
  },
);
