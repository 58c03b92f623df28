import { field, list } from '../question.ts';
import { isReasoningState } from '../reasoning-state.ts';
import { isOpenAI, type OpenAIProfile } from './openai-profiles.ts';
import { findBadToolName, findTooLong, openaiRefusal } from './openai-refusals.ts';
import { findFirst, type Refusal, type Rule } from './rule.ts';

/** How the vendor's ids begin, by the type of the item. */
const ID_PREFIXES: Readonly<Record<string, string>> = {
  reasoning: 'rs',
  message: 'msg',
  function_call: 'fc',
  custom_tool_call: 'ctc',
};

const OUTPUTS: Readonly<Record<string, string>> = {
  function_call: 'function_call_output',
  custom_tool_call: 'custom_tool_call_output',
};

/** The items of an input. */
export const ITEM_RULES: readonly Rule<OpenAIProfile>[] = [
  {
    id: 'call-ids',
    refuses: 'a `call_id` of more than 64 characters, or a call or a result without one',
    source: 'https://github.com/HKUDS/nanobot/issues/1623',
    check: ({ body }) =>
      findFirst(list(body['input']), (item, at) => {
        if (!/^(function_call|custom_tool_call)(_output)?$/.test(String(field(item, 'type'))))
          return undefined;
        const param = `input[${at}].call_id`;
        const id = field(item, 'call_id');
        if (typeof id === 'string') return findTooLong(param, id, 64);
        return openaiRefusal(`Missing required parameter: '${param}'.`, param, 'missing_required_parameter');
      }),
  },
  {
    id: 'item-ids',
    refuses:
      'the id of an item that is not the vendor’s own, such as `reasoning_1`, or has more than 64 characters',
    source: 'https://github.com/diegosouzapw/OmniRoute/issues/224',
    check: ({ body }) => findFirst(list(body['input']), findBadItemId),
  },
  {
    id: 'called-names',
    refuses: 'a call of a tool whose name could not be declared',
    source: 'https://github.com/mcp-use/mcp-use/issues/90',
    check: ({ body }) =>
      findFirst(list(body['input']), (item, at) =>
        field(item, 'type') === 'function_call'
          ? findBadToolName(`input[${at}].name`, field(item, 'name'))
          : undefined,
      ),
  },
  {
    id: 'encrypted-state',
    refuses: '`encrypted_content` that another vendor or another organization made',
    source: 'https://github.com/pydantic/pydantic-ai/issues/4608',
    check: ({ body, account }) =>
      findFirst(list(body['input']), (item) => {
        const state = field(item, 'encrypted_content');
        if (!state || isReasoningState(state, { vendor: 'openai', account })) return undefined;
        return openaiRefusal(
          `The encrypted content ${shorten(String(state))} could not be verified. Reason: Encrypted content could not be decrypted or parsed.`,
          undefined,
          'invalid_encrypted_content',
        );
      }),
  },
  {
    id: 'calls-answered',
    refuses: 'a call without its output, wherever in the input',
    source: 'https://github.com/anomalyco/opencode/issues/16717',
    lookedUp: true,
    check: ({ body, profile }) => {
      if (!isOpenAI(profile)) return undefined;
      const items = list(body['input']);
      return findFirst(items, (item) => {
        const output = OUTPUTS[String(field(item, 'type'))];
        if (output === undefined || hasPartner(items, output, field(item, 'call_id'))) return undefined;
        const kind = output === 'function_call_output' ? 'function call' : 'custom tool call';
        return openaiRefusal(`No tool output found for ${kind} ${String(field(item, 'call_id'))}.`, 'input');
      });
    },
  },
  {
    id: 'outputs-called',
    refuses: 'the output of a call that is not in the input',
    source: 'https://github.com/microsoft/vscode/issues/320060',
    lookedUp: true,
    check: ({ body, profile }) => {
      if (!isOpenAI(profile)) return undefined;
      const items = list(body['input']);
      return findFirst(items, (item) => {
        const call = Object.keys(OUTPUTS).find((type) => OUTPUTS[type] === field(item, 'type'));
        if (call === undefined || hasPartner(items, call, field(item, 'call_id'))) return undefined;
        const kind = call === 'function_call' ? 'function call' : 'custom tool call';
        return openaiRefusal(
          `No tool call found for ${kind} output with call_id ${String(field(item, 'call_id'))}.`,
          'input',
        );
      });
    },
  },
];

const hasPartner = (items: readonly unknown[], type: string, id: unknown): boolean =>
  items.some((item) => field(item, 'type') === type && field(item, 'call_id') === id);

function findBadItemId(item: unknown, at: number): Refusal | undefined {
  const type = String(field(item, 'type') ?? 'message');
  const id = field(item, 'id');
  const prefix = ID_PREFIXES[type];
  if (typeof id !== 'string' || prefix === undefined) return undefined;
  const param = `input[${at}].id`;
  if (!id.startsWith(prefix)) {
    return openaiRefusal(
      `Invalid '${param}': '${id}'. Expected an ID that begins with '${prefix}'.`,
      param,
      'invalid_value',
    );
  }
  return findTooLong(param, id, 64);
}

const shorten = (state: string): string => `${state.slice(0, 4)}...${state.slice(-4)}`;
