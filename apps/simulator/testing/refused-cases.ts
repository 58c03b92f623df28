import { GEMINI_RULES } from '../src/rules/gemini.ts';
import { MESSAGES_RULES } from '../src/rules/anthropic-messages.ts';
import { CONVERSE_RULES } from '../src/rules/bedrock-converse.ts';
import { CHAT_RULES } from '../src/rules/openai-chat.ts';
import { RESPONSES_RULES } from '../src/rules/openai-responses.ts';
import { type RuleBook, refuseBy, type VendorRequest } from '../src/rules/rule.ts';
import { CONVERSE_CASES } from './converse-cases.ts';
import { CHAT_CASES } from './chat-member-cases.ts';
import { GEMINI_CASES } from './gemini-cases.ts';
import { MESSAGES_CASES } from './messages-member-cases.ts';
import { RESPONSES_CASES } from './responses-cases.ts';
import type { RuleCase } from './rule-cases.ts';

/** What the vendors of a wire format refuse, for tests of what is sent to them. */
interface RefusingFormat {
  readonly rules: readonly string[];
  readonly cases: readonly RuleCase[];
  /** The rule that refuses a request, the first in the order in which the vendor checks. */
  readonly refusedBy: (request: VendorRequest) => string | undefined;
}

function format<Profile>(book: RuleBook<Profile>, cases: readonly RuleCase[]): RefusingFormat {
  const alone = book.rules.map(
    (rule) => [rule.id, refuseBy({ ...book, rules: [rule] }), rule.lookedUp] as const,
  );
  const inOrder = [...alone.filter(([, , last]) => !last), ...alone.filter(([, , last]) => last)];
  return {
    rules: book.rules.map(({ id }) => id),
    cases,
    refusedBy: (request) =>
      inOrder.find(([, refuse, last]) => refuse(request, last ? 'lookedUp' : 'sent') !== undefined)?.[0],
  };
}

export const REFUSED = {
  'openai-chat': format(CHAT_RULES, CHAT_CASES),
  'openai-responses': format(RESPONSES_RULES, RESPONSES_CASES),
  'anthropic-messages': format(MESSAGES_RULES, MESSAGES_CASES),
  gemini: format(GEMINI_RULES, GEMINI_CASES),
  'bedrock-converse': format(CONVERSE_RULES, CONVERSE_CASES),
} as const;
