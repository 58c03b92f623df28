import { isObject, type Json, list } from '../question.ts';
import { findFirst, type Refusal } from '../rules/rule.ts';

/** Something that a vendor refuses of a format that is another vendor's, whatever the model. */
interface VendorRule {
  /** As docs/simulator.md says it. */
  readonly refuses: string;
  readonly source: string;
  readonly check: (body: Json) => Refusal | undefined;
}

/** A vendor who speaks Chat Completions. */
interface ChatVendor {
  readonly name: string;
  /** Where Chat Completions are on its host. */
  readonly path: string;
  readonly rules: readonly VendorRule[];
}

const github = (thread: string) => `https://github.com/${thread}`;

const groq = (message: string): Refusal => ({
  status: 400,
  message,
  body: { error: { message, type: 'invalid_request_error' } },
});
const cerebras = (message: string): Refusal => ({
  status: 400,
  message,
  body: { message, type: 'invalid_request_error', param: 'validation_error', code: 'wrong_api_format' },
});
const xai = (argument: string): Refusal => {
  const message = `Model does not support parameter ${argument}.`;
  return { status: 400, message, body: { code: 'Client specified an invalid argument', error: message } };
};
const perplexity = (message: string): Refusal => ({
  status: 400,
  message,
  body: { error: { message, type: 'invalid_parameter', code: 400 } },
});
const glm = (message: string): Refusal => ({
  status: 400,
  message,
  body: { error: { code: '1210', message } },
});

const isSaid = (value: unknown) => value !== undefined && value !== null;

const refuseMembers =
  (names: readonly string[], refuse: (name: string) => Refusal) =>
  (body: Json): Refusal | undefined =>
    findFirst(names, (name) => (isSaid(body[name]) ? refuse(name) : undefined));

/** The place of the first message of the assistant that brings reasoning back. */
const findEchoed = ({ messages }: Json, refuse: (at: number) => Refusal): Refusal | undefined =>
  findFirst(list(messages), (message, at) =>
    isObject(message) && isSaid(message['reasoning_content']) ? refuse(at) : undefined,
  );

/** Kimi samples by values of its own. */
const FIXED = { temperature: 1, top_p: 0.95, presence_penalty: 0, frequency_penalty: 0 } as const;

const findUnfixed = (body: Json): Refusal | undefined =>
  findFirst(Object.entries(FIXED), ([name, only]) =>
    isSaid(body[name]) && body[name] !== only
      ? groq(`invalid ${name}: only ${only} is allowed for this model`)
      : undefined,
  );

const findShortUser = ({ user }: Json): Refusal | undefined =>
  typeof user === 'string' && user.length < 6
    ? glm(`Invalid API parameter: user_id must have at least 6 characters`)
    : undefined;

const GLM_RULES: readonly VendorRule[] = [
  {
    refuses: 'a `user` of less than six characters',
    source: github('looplj/axonhub/issues/1669'),
    check: findShortUser,
  },
];

const CAMEL = { presence_penalty: 'presencePenalty', frequency_penalty: 'frequencyPenalty', stop: 'stop' };

/** What each refuses of Chat Completions; its models' own rules stand beside that. */
export const CHAT_VENDORS: readonly ChatVendor[] = [
  {
    name: 'groq',
    path: '/openai/v1/chat/completions',
    rules: [
      {
        refuses: '`logprobs`, `top_logprobs` and `logit_bias`',
        source: github('groq/groq-python/issues/31'),
        check: refuseMembers(['logprobs', 'top_logprobs', 'logit_bias'], (name) =>
          groq(`\`${name}\` is not supported with this model`),
        ),
      },
      {
        refuses: '`reasoning_content` of a message',
        source: github('janhq/jan/issues/8136'),
        check: (body) =>
          findEchoed(body, (at) =>
            groq(
              `'messages.${at}' : for 'role:assistant' the following must be satisfied[('messages.${at}' : property 'reasoning_content' is unsupported)]`,
            ),
          ),
      },
    ],
  },
  {
    name: 'cerebras',
    path: '/v1/chat/completions',
    rules: [
      {
        refuses: 'a `logit_bias` of more than 100 entries',
        source: github('pydantic/pydantic-ai/pull/7653'),
        check: ({ logit_bias: bias }) =>
          isObject(bias) && Object.keys(bias).length > 100
            ? cerebras('logit_bias: at most 100 entries are allowed')
            : undefined,
      },
      {
        refuses: '`reasoning_content` of a message',
        source: github('Kilo-Org/kilocode/issues/10375'),
        check: (body) =>
          findEchoed(body, (at) =>
            cerebras(
              `messages.${at}.assistant.reasoning_content: property 'messages.${at}.assistant.reasoning_content' is unsupported`,
            ),
          ),
      },
    ],
  },
  {
    name: 'xai',
    path: '/v1/chat/completions',
    rules: [
      {
        refuses: '`presence_penalty`, `frequency_penalty`, whatever they are, and `stop`',
        source: github('miaoxworld/NativeTavern/issues/83'),
        check: refuseMembers(Object.keys(CAMEL), (name) => xai(CAMEL[name as keyof typeof CAMEL])),
      },
    ],
  },
  {
    name: 'moonshot',
    path: '/v1/chat/completions',
    rules: [
      {
        refuses: 'a temperature, top-p or penalty that is not the one it samples by',
        source: github('HKUDS/nanobot/pull/4967'),
        check: findUnfixed,
      },
    ],
  },
  {
    name: 'perplexity',
    path: '/chat/completions',
    rules: [
      {
        refuses: 'tools, and what is said of them',
        source: github('ProfSynapse/nexus/issues/116'),
        check: refuseMembers(['tools', 'tool_choice', 'parallel_tool_calls'], () =>
          perplexity('Tool parameters must be a JSON object.'),
        ),
      },
    ],
  },
  { name: 'zai', path: '/api/paas/v4/chat/completions', rules: GLM_RULES },
  { name: 'zhipu', path: '/api/paas/v4/chat/completions', rules: GLM_RULES },
  // Their models' own rules say it all.
  { name: 'cohere', path: '/compatibility/v1/chat/completions', rules: [] },
  { name: 'mistral', path: '/v1/chat/completions', rules: [] },
];

/** @returns what a vendor refuses first of a request. */
export const refuseByVendor = ({ rules }: ChatVendor, body: Json): Refusal | undefined =>
  findFirst(rules, ({ check }) => check(body));
