import { z } from 'zod';

const alphabet = z.enum(['any', 'word', 'alphanumeric']);
const characters = z.int().min(1).max(4_096);
const tokens = z.int().nonnegative();

/**
 * What a model takes of its wire format, in place of what is known by its name at the upstream. docs/protocols.md says what
 * each member means and what holds without it.
 */
export const modelDialectSchema = z
  .strictObject({
    sampling: z.enum(['all', 'without_penalties', 'temperature_or_top_p', 'without_reasoning', 'none']),
    reasoning: z.enum(['any', 'effort', 'budget', 'none']),
    efforts: z.array(z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'])).min(1),
    reasoning_off: z.boolean(),
    reasons_unasked: z.boolean(),
    reasons_with_tools: z.boolean(),
    min_budget: tokens,
    max_budget: tokens.nullable(),
    dynamic_budget: z.boolean(),
    limit_field: z.enum(['max_tokens', 'max_completion_tokens']),
    min_output_tokens: z.int().positive(),
    encrypted_reasoning: z.boolean(),
    prefill: z.boolean(),
    structured_output: z.boolean(),
    json_with_tools: z.boolean(),
    closed_schemas: z.boolean(),
    whole_schemas: z.boolean(),
    json_word: z.enum(['nobody', 'anybody', 'conversation']),
    user_min: characters,
    user_max: characters.nullable(),
    user_alphabet: alphabet,
    call_id_min: characters,
    call_id_max: characters.nullable(),
    call_id_alphabet: alphabet,
    reasoning_echo: z.boolean(),
    reasoning_required: z.boolean(),
    user_after_tool: z.boolean(),
    custom_tools: z.boolean(),
    allowed_tools: z.boolean(),
    refusals: z.boolean(),
    max_stops: z.int().positive().nullable(),
    cache_marks: z.enum(['placed', 'none']),
    min_cache_tokens: tokens,
    refused_fields: z.array(z.string().min(1).max(100)).max(50),
  })
  .partial();
export type ModelDialect = z.infer<typeof modelDialectSchema>;
