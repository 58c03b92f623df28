import { CHAT_CASES } from '../../testing/chat-member-cases.ts';
import { describeRules } from '../../testing/rule-cases.ts';
import { CHAT_RULES } from './openai-chat.ts';

interface Said {
  readonly error?: object;
  readonly message?:
    | string
    | { readonly detail: readonly { readonly msg: string; readonly loc: string[] }[] };
}

describeRules({
  book: CHAT_RULES,
  cases: CHAT_CASES,
  url: () => '/v1/chat/completions',
  headers: { authorization: 'Bearer test' },
  body: (model) => ({ model, messages: [{ role: 'user', content: 'Hello' }] }),
  error(said) {
    const { error, message } = said as Said;
    if (error || typeof message !== 'object') return error ?? { message };
    const [first] = message.detail;
    return { message: `${first?.msg ?? ''} ${first?.loc.at(-1) ?? ''}` };
  },
});
