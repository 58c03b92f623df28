import { CLAUDE_SAMPLING } from '../dialects/claude-sampling.ts';
import type { FormatDialects } from '../dialects/dialect.ts';
import { GROK_MODELS } from '../dialects/grok-models.ts';
import { chatDialects } from '../openai-chat/dialects.ts';
import { OPENAI_MODELS } from '../dialects/openai-models.ts';

export const responsesDialects: FormatDialects = {
  fields: { ...chatDialects.fields, sampling: ['temperature', 'top_p'], limits: [], reasoning: [] },
  usual: {
    ...chatDialects.usual,
    min_output_tokens: 16,
    encrypted_reasoning: true,
    call_id_max: 64,
    json_word: 'conversation',
    custom_tools: true,
    allowed_tools: true,
    refusals: true,
    refused_fields: [],
  },
  source:
    'OpenAI API reference; BerriAI/litellm#31536 for the least limit, decolua/9router#393 for ids of calls, miracodeai/mira#267 for the word',
  rules: [...CLAUDE_SAMPLING, ...OPENAI_MODELS, ...GROK_MODELS],
};
