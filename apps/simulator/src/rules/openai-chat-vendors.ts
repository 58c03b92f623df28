import { field, isObject, type Json, list } from '../question.ts';
import type { OpenAIProfile } from './openai-profiles.ts';
import { openaiRefusal } from './openai-refusals.ts';
import { findFirst, type Refusal, type Rule, type RuledRequest } from './rule.ts';
import { closed, each, findUnknown, toList, type Shape, type Step, tagged, valueAt } from './shape.ts';

const MISTRAL_MESSAGES: Readonly<Record<string, Shape>> = {
  ...each('system user', closed('role content')),
  assistant: closed('role content prefix tool_calls', {
    tool_calls: toList(closed('id type index function', { function: closed('name arguments') })),
  }),
  tool: closed('role content tool_call_id name'),
};

/** What Mistral knows; `stream_options` stands here as its clients send it without being refused. */
const MISTRAL: Shape = closed(
  `model temperature top_p max_tokens stream stream_options stop random_seed metadata response_format tools tool_choice
  presence_penalty frequency_penalty n prediction parallel_tool_calls prompt_mode reasoning_effort guardrails safe_prompt
  prompt_cache_key`,
  { messages: toList(tagged('role', MISTRAL_MESSAGES)) },
);

type Check = (body: Json) => Refusal | undefined;
const only =
  (vendor: OpenAIProfile['vendor'], check: Check) =>
  ({ body, profile }: RuledRequest<OpenAIProfile>): Refusal | undefined =>
    profile.vendor === vendor ? check(body) : undefined;

const mistral = (message: string, type: string, code: string | null): Refusal => ({
  status: 400,
  message,
  body: { object: 'error', message, type, param: null, code },
});

const MISTRAL_RULES: readonly Rule<OpenAIProfile>[] = [
  {
    id: 'mistral-extra',
    refuses:
      'Mistral: a member that it does not know, such as `max_completion_tokens`, `user`, `seed` or `store`',
    source: 'https://github.com/editor-code-assistant/eca/issues/231',
    check: only('mistral', (body) => {
      const found = findUnknown(MISTRAL, body).filter(({ expected }) => !expected);
      if (found.length === 0) return undefined;
      const detail = found.map(({ path, member }) => ({
        type: 'extra_forbidden',
        loc: ['body', ...path.map(locStep), member],
        msg: 'Extra inputs are not permitted',
        input: valueAt(body, [...path, member]),
      }));
      const envelope = { object: 'error', message: { detail }, type: 'invalid_request_error' };
      return {
        status: 422,
        message: 'Extra inputs are not permitted',
        body: { ...envelope, param: null, code: null },
      };
    }),
  },
  {
    id: 'mistral-call-ids',
    refuses: 'Mistral: the id of a call that is not nine letters and digits',
    source: 'https://github.com/jackmpcollins/magentic/issues/276',
    check: only('mistral', (body) =>
      findFirst(list(body['messages']), (message) =>
        findFirst(
          [
            ...list(field(message, 'tool_calls')).map((call) => field(call, 'id')),
            field(message, 'tool_call_id'),
          ],
          (id) =>
            typeof id !== 'string' || /^[a-zA-Z0-9]{9}$/.test(id)
              ? undefined
              : mistral(
                  `Tool call id was ${id} but must be a-z, A-Z, 0-9, with a length of 9.`,
                  'invalid_function_call',
                  '3280',
                ),
        ),
      ),
    ),
  },
  {
    id: 'mistral-order',
    refuses: 'Mistral: a user right after a tool, a tool right after a user, or an assistant at the end',
    source: 'https://github.com/datapizza-labs/datapizza-ai/issues/98',
    check: only('mistral', (body) => {
      const messages = list(body['messages']);
      const roles = messages.map((message) => String(field(message, 'role')));
      const at = roles.findIndex(
        (role, index) =>
          index > 0 &&
          ['user tool', 'tool user', 'tool system'].includes(`${roles[index - 1] ?? ''} ${role}`),
      );
      if (at > 0) {
        const order = `Unexpected role '${roles[at]}' after role '${roles[at - 1]}'`;
        return mistral(order, 'invalid_request_message_order', '3230');
      }
      return roles.at(-1) === 'assistant' && field(messages.at(-1), 'prefix') !== true
        ? mistral(
            'Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant',
            'invalid_request_message_order',
            '3230',
          )
        : undefined;
    }),
  },
  {
    id: 'mistral-results',
    refuses: 'Mistral: more or fewer results than calls',
    source: 'https://github.com/mistralai/client-ts/issues/106',
    check: only('mistral', (body) => {
      const messages = list(body['messages']);
      const calls = messages.reduce<number>(
        (sum, message) => sum + list(field(message, 'tool_calls')).length,
        0,
      );
      const results = messages.filter((message) => field(message, 'role') === 'tool').length;
      return calls === results
        ? undefined
        : mistral('Not the same number of function calls and responses', 'invalid_request_error', null);
    }),
  },
];

const DEEPSEEK_ROLES = ['system', 'user', 'assistant', 'tool', 'latest_reminder'];

const deepseek = (message: string): Refusal => openaiRefusal(message, undefined, 'invalid_request_error');

const DEEPSEEK_RULES: readonly Rule<OpenAIProfile>[] = [
  {
    id: 'deepseek-roles',
    refuses: 'DeepSeek: the role `developer`',
    source: 'https://github.com/earendil-works/pi/issues/1048',
    check: only('deepseek', (body) =>
      findFirst(list(body['messages']), (message, at) => {
        const role = String(field(message, 'role'));
        if (DEEPSEEK_ROLES.includes(role)) return undefined;
        const expected = DEEPSEEK_ROLES.map((each) => `\`${each}\``).join(', ');
        return deepseek(
          `Failed to deserialize the JSON body into the target type: messages[${at}].role: unknown variant \`${role}\`, expected one of ${expected} at line 1 column 1`,
        );
      }),
    ),
  },
  {
    id: 'deepseek-custom',
    refuses: 'DeepSeek: tools that are no functions',
    source: 'https://github.com/vm0-ai/vm0/issues/28274',
    check: only('deepseek', ({ tools }) =>
      findFirst(list(tools), (tool, at) => {
        const type = String(field(tool, 'type'));
        return type === 'function'
          ? undefined
          : deepseek(
              `Failed to deserialize the JSON body into the target type: tools[${at}].type: unknown variant \`${type}\`, expected \`function\` at line 1 column 1`,
            );
      }),
    ),
  },
  {
    id: 'deepseek-schema',
    refuses: 'DeepSeek: an answer by `json_schema`',
    source: 'https://github.com/dzhng/deep-research/issues/22',
    check: only('deepseek', (body) =>
      field(body['response_format'], 'type') === 'json_schema'
        ? deepseek('This response_format type is unavailable now')
        : undefined,
    ),
  },
  {
    id: 'deepseek-user',
    refuses: 'DeepSeek: a `user_id` of others than letters, digits, `_` and `-`',
    source: 'https://github.com/deepseek-ai/DeepSeek-V3/issues/1277',
    check: only('deepseek', ({ user_id }) =>
      typeof user_id === 'string' && !/^[a-zA-Z0-9_-]+$/.test(user_id)
        ? deepseek(
            "Invalid 'user_id': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
          )
        : undefined,
    ),
  },
  {
    id: 'deepseek-reasoning',
    refuses:
      'DeepSeek V4: calls without their `reasoning_content`, in whatever turn, unless thinking is off; none may be empty',
    source: 'https://github.com/NousResearch/hermes-agent/pull/17341',
    check: ({ body, model, profile }) => {
      if (profile.vendor !== 'deepseek' || !/v4|reasoner/.test(model)) return undefined;
      if (field(body['thinking'], 'type') === 'disabled') return undefined;
      const silent = list(body['messages']).some(
        (message) => isObject(message) && message['tool_calls'] && !message['reasoning_content'],
      );
      return silent
        ? deepseek('The `reasoning_content` in the thinking mode must be passed back to the API.')
        : undefined;
    },
  },
];

const MOONSHOT_RULES: readonly Rule<OpenAIProfile>[] = [
  {
    id: 'moonshot-reasoning',
    refuses: 'Moonshot, from Kimi K2.5 on: calls without their `reasoning_content`, unless thinking is off',
    source: 'https://github.com/QuantumNous/new-api/issues/3121',
    check: only('moonshot', (body) => {
      if (field(body['thinking'], 'type') === 'disabled') return undefined;
      const at = list(body['messages']).findIndex(
        (message) => isObject(message) && message['tool_calls'] && !message['reasoning_content'],
      );
      return at < 0
        ? undefined
        : openaiRefusal(
            `thinking is enabled but reasoning_content is missing in assistant tool call message at index ${at}`,
          );
    }),
  },
];

const locStep = (step: Step): string | number => {
  if (typeof step !== 'object') return step;
  return 'tag' in step ? step.tag : step.entry;
};

/** What other vendors that speak Chat Completions refuse. */
export const VENDOR_RULES: readonly Rule<OpenAIProfile>[] = [
  ...MISTRAL_RULES,
  ...DEEPSEEK_RULES,
  ...MOONSHOT_RULES,
];
