import type { FormatDialects } from './dialect.ts';

export const geminiDialects: FormatDialects = {
  usual: {
    sampling: 'all',
    reasoning: 'any',
    efforts: ['minimal', 'low', 'medium', 'high'],
    reasoning_off: true,
    reasons_unasked: true,
    min_budget: 0,
    max_budget: null,
    dynamic_budget: true,
    limit_field: 'max_tokens',
    min_output_tokens: 1,
    encrypted_reasoning: false,
    prefill: true,
    structured_output: true,
    closed_schemas: false,
    json_word: 'nobody',
    user_min: 1,
    user_max: null,
    user_alphabet: 'any',
    call_id_min: 1,
    call_id_max: null,
    call_id_alphabet: 'any',
    reasoning_echo: false,
    refused_fields: [],
  },
  source: 'Gemini API reference',
  rules: [
    {
      models: /gemini-(?:1|2-0)(?!\d)|gemma/,
      says: { reasoning: 'none' },
      source: 'Gemini documentation of thinking: from 2.5 on',
    },
    {
      models: /gemini-2-5(?!\d)/,
      says: { reasoning: 'budget', max_budget: 24_576 },
      source: 'QwenLM/qwen-code#9094, juspay/neurolink#1707',
    },
    {
      models: /gemini-2-5-pro/,
      says: { min_budget: 128, max_budget: 32_768, reasoning_off: false },
      source: 'Gemini documentation of thinking; sakibsadmanshajib/gemini-plugin-cc#20',
    },
    {
      models: /gemini-2-5-flash-lite/,
      says: { min_budget: 512 },
      source: 'Gemini documentation of thinking; juspay/neurolink#1707',
    },
    {
      models: /gemini-(?:[3-9]|\d\d)(?!\d)/,
      says: { reasoning: 'effort', reasoning_off: false },
      source: 'Gemini documentation of thinking; kwaroran/Risuai#1475, mozilla-ai/any-llm#1313',
    },
    {
      models: /gemini-3-pro/,
      says: { efforts: ['low', 'high'] },
      source: 'browser-use/browser-use#3925, Chevey339/kelivo#196',
    },
    {
      models: /gemini-3-[1-9](?!\d)-pro|gemini-3-7-flash/,
      says: { efforts: ['low', 'medium', 'high'] },
      source: 'checkmarble/llmberjack#14',
    },
  ],
};
