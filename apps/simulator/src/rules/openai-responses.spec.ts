import { RESPONSES_CASES as cases } from '../../testing/responses-cases.ts';
import { describeRules } from '../../testing/rule-cases.ts';
import { RESPONSES_RULES } from './openai-responses.ts';

describeRules({
  book: RESPONSES_RULES,
  cases,
  url: () => '/v1/responses',
  headers: { authorization: 'Bearer test' },
  body: (model) => ({ model, input: 'Hello' }),
  error: (said) => (said as { error: object }).error,
});
