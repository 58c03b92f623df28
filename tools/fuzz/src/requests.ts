import type { ClientProtocol } from '@tollgate/vocabulary';
import type fc from 'fast-check';
import { type Json, mutated, mutations, readable } from './mutate.ts';

const PIXEL = 'iVBORw0KGgo=';
const SCHEMA: Json = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const GOOGLE: Json = { google: { thought_signature: 'c2ln' } };

/** A request of each format with something of everything that can be carried. */
const REQUESTS: Readonly<Record<ClientProtocol, Json>> = {
  'openai-chat': {
    model: 'm',
    messages: [
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}`, detail: 'low' } },
          { type: 'file', file: { file_data: 'data:application/pdf;base64,AAAA', filename: 'a.pdf' } },
        ],
      },
      {
        role: 'assistant',
        content: null,
        reasoning_content: 'Look it up.',
        tool_calls: [
          {
            id: 'call_1',
            type: 'function',
            function: { name: 'find', arguments: '{"city":"Bern"}' },
            extra_content: GOOGLE,
          },
          { id: 'call_2', type: 'custom', custom: { name: 'patch', input: 'add a line' } },
        ],
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'found' },
      { role: 'tool', tool_call_id: 'call_2', content: [{ type: 'text', text: 'done' }] },
      { role: 'developer', content: 'Go on.' },
      { role: 'assistant', content: null, function_call: { name: 'old', arguments: '{}' } },
      { role: 'function', name: 'old', content: 'old result' },
      { role: 'user', content: 'And now?' },
    ],
    tools: [
      {
        type: 'function',
        function: { name: 'find', description: 'Finds', parameters: SCHEMA, strict: true },
      },
      {
        type: 'custom',
        custom: {
          name: 'patch',
          format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'start: "a"' } },
        },
      },
    ],
    tool_choice: { type: 'function', function: { name: 'find' } },
    response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: SCHEMA, strict: true } },
    max_completion_tokens: 100,
    temperature: 1.5,
    top_p: 0.9,
    stop: ['END'],
    reasoning_effort: 'high',
    parallel_tool_calls: false,
    user: 'u1',
    metadata: { a: 'b' },
    stream_options: { include_usage: true },
  },
  'openai-responses': {
    model: 'm',
    instructions: 'Be brief.',
    input: [
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'What is this?' },
          { type: 'input_image', image_url: `data:image/png;base64,${PIXEL}`, detail: 'auto' },
          { type: 'input_file', file_data: 'data:text/plain;base64,aGk=', filename: 'a.txt' },
        ],
      },
      {
        type: 'reasoning',
        id: 'rs_1',
        summary: [{ type: 'summary_text', text: 'Hm.' }],
        encrypted_content: 'c2VjcmV0',
      },
      {
        type: 'function_call',
        call_id: 'call_1',
        name: 'find',
        namespace: 'maps',
        arguments: '{"city":"Bern"}',
      },
      { type: 'custom_tool_call', call_id: 'call_2', name: 'patch', input: 'add' },
      { type: 'function_call_output', call_id: 'call_1', output: [{ type: 'input_text', text: 'found' }] },
      { type: 'custom_tool_call_output', call_id: 'call_2', output: 'done' },
      { type: 'message', role: 'developer', content: 'Go on.' },
      { type: 'additional_tools', tools: [{ type: 'function', name: 'more', parameters: SCHEMA }] },
      { type: 'message', role: 'user', content: 'And now?' },
    ],
    tools: [
      { type: 'function', name: 'find', parameters: SCHEMA, strict: false },
      { type: 'namespace', name: 'maps', tools: [{ type: 'function', name: 'find', parameters: SCHEMA }] },
      { type: 'custom', name: 'patch', format: { type: 'grammar', syntax: 'regex', definition: '.*' } },
      { type: 'web_search' },
    ],
    tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'find' }] },
    text: { format: { type: 'json_schema', name: 'answer', schema: SCHEMA }, verbosity: 'low' },
    reasoning: { effort: 'medium', summary: 'auto' },
    include: ['reasoning.encrypted_content'],
    max_output_tokens: 100,
    store: false,
  },
  'anthropic-messages': {
    model: 'm',
    max_tokens: 4_096,
    system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } },
          { type: 'document', title: 'T', source: { type: 'text', media_type: 'text/plain', data: 'hi' } },
          { type: 'search_result', title: 't', source: 's', content: [{ type: 'text', text: 'r' }] },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' },
          { type: 'redacted_thinking', data: 'c2ln' },
          { type: 'text', text: 'I look.' },
          { type: 'tool_use', id: 'toolu_1', name: 'find', input: { city: 'Bern' } },
        ],
      },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'toolu_1',
            is_error: true,
            content: [{ type: 'text', text: 'none' }],
          },
          { type: 'text', text: 'And now?' },
        ],
      },
    ],
    tools: [
      { name: 'find', description: 'Finds', input_schema: SCHEMA },
      { type: 'web_search_20250305', name: 'web_search' },
    ],
    tool_choice: { type: 'tool', name: 'find', disable_parallel_tool_use: true },
    thinking: { type: 'enabled', budget_tokens: 2_048 },
    output_config: { effort: 'high', format: { type: 'json_schema', schema: SCHEMA } },
    stop_sequences: ['END'],
    temperature: 1,
    top_k: 4,
    metadata: { user_id: 'u1' },
  },
  gemini: {
    systemInstruction: { parts: [{ text: 'Be brief.' }] },
    contents: [
      {
        role: 'user',
        parts: [
          { text: 'What is this?' },
          { inlineData: { mimeType: 'image/png', data: PIXEL } },
          { fileData: { fileUri: 'https://example.com/a.pdf', mimeType: 'application/pdf' } },
        ],
      },
      {
        role: 'model',
        parts: [
          { text: 'Hm.', thought: true },
          { functionCall: { name: 'find', args: { city: 'Bern' } }, thoughtSignature: 'c2ln' },
          { executableCode: { code: '1' } },
        ],
      },
      {
        role: 'user',
        parts: [
          {
            functionResponse: {
              name: 'find',
              response: { output: 'found' },
              parts: [{ inlineData: { mimeType: 'image/png', data: PIXEL } }],
            },
          },
        ],
      },
    ],
    tools: [
      {
        functionDeclarations: [
          { name: 'find', parameters: { type: 'OBJECT', properties: { a: { type: 'STRING' } } } },
          { name: 'go' },
        ],
      },
      { googleSearch: {} },
    ],
    toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['find', 'go'] } },
    generationConfig: {
      maxOutputTokens: 100,
      temperature: 1,
      candidateCount: 1,
      stopSequences: ['END'],
      responseMimeType: 'application/json',
      responseSchema: { type: 'OBJECT' },
      thinkingConfig: { thinkingBudget: -1, includeThoughts: true, thinkingLevel: 'HIGH' },
    },
    safetySettings: [{ category: 'X', threshold: 'Y' }],
  },
};

/** The request of a format without the fields that the other format refuses. */
export function carriedRequest(from: ClientProtocol, refusalOf: (body: Json) => string | null): Json {
  const body = structuredClone(REQUESTS[from]);
  for (;;) {
    const field = refusalOf(body);
    if (field === null) return body;
    remove(body, field);
  }
}

function remove(body: Json, field: string): void {
  const path = field.match(/[^.[\]]+/g) ?? [];
  const last = path.pop() ?? '';
  const holder = path.reduce<Json>((value, key) => Object(value)[key] as Json, body);
  if (Array.isArray(holder)) holder.splice(Number(last), 1);
  else if (typeof holder === 'object' && holder !== null && Object.hasOwn(holder, last)) delete holder[last];
  else throw new Error(`The refused field "${field}" is not in the request.`);
}

/** The bytes of a request that is more or less this one. */
export const requestLike = (request: Json): fc.Arbitrary<Buffer> =>
  mutations.map((changes) => readable(Buffer.from(mutated(request, changes))));
