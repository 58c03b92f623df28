import { field, type Json, list } from '../question.ts';
import { ANTHROPIC_PROFILES, UNKNOWN_ANTHROPIC } from './anthropic-profiles.ts';
import { THINKING_RULES } from './anthropic-thinking.ts';
import { TURN_RULES } from './anthropic-turns.ts';
import { type ConverseRule, listContent, listMessages } from './bedrock-converse-parts.ts';
import { findFirst } from './rule.ts';

const ALSO_HERE = ['prefill', 'thinking-last', 'thinking-first'];
const RULES = [
  ...THINKING_RULES.filter(({ id }) => id !== 'sampling-version'),
  ...TURN_RULES.filter(({ id }) => ALSO_HERE.includes(id)),
];

/** Claude refuses here what its own vendor refuses of thinking, effort, sampling and the ends of turns. */
export const CLAUDE_RULE: ConverseRule = {
  id: 'claude',
  refuses: 'what Anthropic refuses of thinking, effort, sampling, prefill and thoughts in running turns',
  source: 'https://github.com/aws-samples/bedrock-access-gateway/issues/191',
  check: (request) => {
    if (!/claude/.test(request.model)) return undefined;
    const found = ANTHROPIC_PROFILES.find(({ models }) => models.test(request.model));
    const asked = { ...request, body: asMessages(request.body), profile: found?.takes ?? UNKNOWN_ANTHROPIC };
    return findFirst(RULES, (rule) => rule.check(asked));
  },
};

function asMessages(body: Json): Json {
  const { temperature, topP, maxTokens } = (body['inferenceConfig'] ?? {}) as Json;
  const fields = (body['additionalModelRequestFields'] ?? {}) as Json;
  const [choice] = Object.keys((field(body['toolConfig'], 'toolChoice') ?? {}) as Json);
  const effort = field(body['outputConfig'], 'effort');
  return {
    max_tokens: maxTokens,
    temperature,
    top_p: topP,
    top_k: fields['top_k'],
    thinking: fields['thinking'],
    output_config: effort === undefined ? fields['output_config'] : { effort },
    ...(choice === undefined ? {} : { tool_choice: { type: choice } }),
    messages: listMessages(body).map((message) => ({
      role: field(message, 'role'),
      content: list(listContent(message)).map((block) => ({ type: typeOf(block) })),
    })),
  };
}

function typeOf(block: unknown): string {
  if (field(block, 'toolUse') !== undefined) return 'tool_use';
  if (field(block, 'toolResult') !== undefined) return 'tool_result';
  const reasoning = field(block, 'reasoningContent');
  if (reasoning === undefined) return 'text';
  return field(reasoning, 'redactedContent') === undefined ? 'thinking' : 'redacted_thinking';
}
