import { CONVERSE_CASES as cases } from '../../testing/converse-cases.ts';
import { describeRules } from '../../testing/rule-cases.ts';
import { CONVERSE_RULES } from './bedrock-converse.ts';

describeRules({
  book: CONVERSE_RULES,
  cases,
  url: (name) => `/aws/bedrock-runtime/model/${encodeURIComponent(name)}/converse`,
  headers: { authorization: 'Bearer test' },
  body: () => ({ messages: [{ role: 'user', content: [{ text: 'Hello' }] }] }),
  error: (said) => said,
});
