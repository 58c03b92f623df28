import { MESSAGES_CASES } from '../../testing/messages-member-cases.ts';
import { describeRules } from '../../testing/rule-cases.ts';
import { MESSAGES_RULES } from './anthropic-messages.ts';

describeRules({
  book: MESSAGES_RULES,
  cases: MESSAGES_CASES,
  url: () => '/v1/messages',
  headers: { 'x-api-key': 'test', 'anthropic-version': '2023-06-01' },
  body: (model) => ({ model, max_tokens: 4_000, messages: [{ role: 'user', content: 'Hello' }] }),
  error: (said) => (said as { error: object }).error,
});
