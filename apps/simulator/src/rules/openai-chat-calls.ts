import { field, list } from '../question.ts';
import { isOpenAI, type OpenAIProfile } from './openai-profiles.ts';
import { findBadToolName, findTooLong, openaiRefusal } from './openai-refusals.ts';
import { findFirst, type Refusal, type Rule } from './rule.ts';

const CALL_ID_MAX = 40;

/** Calls of tools and what answers them. */
export const CALL_RULES: readonly Rule<OpenAIProfile>[] = [
  {
    id: 'call-ids',
    refuses: 'the id of a call with more than 40 characters',
    source: 'https://github.com/vercel/ai/issues/8132',
    check: ({ body, profile }) =>
      isOpenAI(profile) ? findFirst(list(body['messages']), findLongCallId) : undefined,
  },
  {
    id: 'called-names',
    refuses: 'a call of a tool whose name could not be declared',
    source: 'https://github.com/mcp-use/mcp-use/issues/90',
    check: ({ body, profile }) =>
      isOpenAI(profile)
        ? findFirst(list(body['messages']), (message, at) =>
            findFirst(list(field(message, 'tool_calls')), (call, index) =>
              findBadToolName(
                `messages[${at}].tool_calls[${index}].function.name`,
                field(field(call, 'function'), 'name'),
              ),
            ),
          )
        : undefined,
  },
  {
    id: 'calls-answered',
    refuses: 'a call that the messages right after it do not all answer, two assistants in a row included',
    source: 'https://github.com/BerriAI/litellm/issues/28995',
    check: ({ body, profile: { vendor } }) =>
      vendor === 'mistral' || vendor === 'other'
        ? undefined
        : findFirst(list(body['messages']), (_, at) => {
            const missing = unansweredCalls(list(body['messages']), at);
            if (missing.length === 0) return undefined;
            const first = `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.`;
            return vendor === 'deepseek'
              ? openaiRefusal(`${first} (insufficient tool messages following tool_calls message)`)
              : openaiRefusal(
                  `${first} The following tool_call_ids did not have response messages: ${missing.join(', ')}`,
                  `messages.[${at + 1}].role`,
                );
          }),
  },
  {
    id: 'results-called',
    refuses: 'the result of a call that the assistant before it did not make',
    source: 'https://github.com/microsoft/promptflow/pull/3130',
    check: ({ body, profile: { vendor } }) =>
      vendor === 'openai' || vendor === 'deepseek'
        ? findFirst(list(body['messages']), (message, at) =>
            field(message, 'role') === 'tool' && !isAnswer(list(body['messages']), at)
              ? openaiRefusal(
                  vendor === 'deepseek'
                    ? "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'"
                    : "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
                  `messages.[${at}].role`,
                )
              : undefined,
          )
        : undefined,
  },
];

function findLongCallId(message: unknown, at: number): Refusal | undefined {
  return (
    findFirst(list(field(message, 'tool_calls')), (call, index) =>
      findTooLong(`messages[${at}].tool_calls[${index}].id`, field(call, 'id'), CALL_ID_MAX),
    ) ?? findTooLong(`messages[${at}].tool_call_id`, field(message, 'tool_call_id'), CALL_ID_MAX)
  );
}

const callIds = (message: unknown): readonly string[] =>
  list(field(message, 'tool_calls')).map((call) => String(field(call, 'id')));

/** The calls of a message that the tool messages right after it leave without an answer. */
function unansweredCalls(messages: readonly unknown[], at: number): readonly string[] {
  const after = messages.slice(at + 1);
  const end = after.findIndex((message) => field(message, 'role') !== 'tool');
  const answered = after.slice(0, end < 0 ? undefined : end).map((message) => field(message, 'tool_call_id'));
  return callIds(messages[at]).filter((id) => !answered.includes(id));
}

function isAnswer(messages: readonly unknown[], at: number): boolean {
  const caller = messages.slice(0, at).findLast((message) => field(message, 'role') !== 'tool');
  return callIds(caller).includes(String(field(messages[at], 'tool_call_id')));
}
