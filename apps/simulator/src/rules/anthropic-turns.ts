import { field, isObject, list } from '../question.ts';
import { isReasoningState } from '../reasoning-state.ts';
import type { AnthropicProfile } from './anthropic-profiles.ts';
import { thinks } from './anthropic-thinking.ts';
import { findFirst, type Refusal, type Rule } from './rule.ts';

const invalid = (message: string): Refusal => ({ status: 400, message });

const blocksOf = (message: unknown): readonly unknown[] => list(field(message, 'content'));
const roleOf = (message: unknown): string => String(field(message, 'role'));
const ofType = (message: unknown, type: string): readonly unknown[] =>
  blocksOf(message).filter((block) => field(block, 'type') === type);

/** The turns of a conversation. */
export const TURN_RULES: readonly Rule<AnthropicProfile>[] = [
  {
    id: 'roles',
    refuses:
      'a role other than user, assistant and system; a system turn on older models or elsewhere than after a user',
    source: 'https://github.com/anthropics/claude-code/issues/61412',
    check: ({ body, profile }) =>
      findFirst(list(body['messages']), (message, at) => {
        const role = roleOf(message);
        if (role === 'user' || role === 'assistant') return undefined;
        if (role !== 'system') {
          return invalid(`messages.${at}.role: Input should be 'user', 'assistant' or 'system'`);
        }
        if (!profile.systemTurns) return invalid("role 'system' is not supported on this model");
        return roleOf(list(body['messages'])[at - 1]) === 'user'
          ? undefined
          : invalid(`messages.${at}: role 'system' must follow a user message`);
      }),
  },
  {
    id: 'empty-content',
    refuses:
      'a turn without content, but for the last of an assistant; a block of no text or of blanks; a mark on one',
    source: 'https://github.com/anthropics/claude-code/issues/59812',
    check: ({ body }) =>
      findFirst(list(body['messages']), (message, at) =>
        findEmpty(message, at, list(body['messages']).length),
      ) ?? findEmptyText(list(body['system']), 'system'),
  },
  {
    id: 'images-of-assistant',
    refuses: 'a picture in a turn of the assistant',
    source: 'https://github.com/epam/ai-dial-adapter-bedrock/pull/306',
    check: ({ body }) =>
      findFirst(list(body['messages']), (message, at) =>
        roleOf(message) === 'assistant' && ofType(message, 'image').length > 0
          ? invalid(`messages.${at}.content: 'image' blocks are not permitted within assistant turns.`)
          : undefined,
      ),
  },
  {
    id: 'thinking-last',
    refuses: 'a turn of an assistant that ends with its thinking',
    source: 'https://github.com/tailcallhq/forgecode/issues/2107',
    check: ({ body }) =>
      findFirst(mergedTurns(list(body['messages'])), ({ role, blocks, at }) => {
        const last = field(blocks.at(-1), 'type');
        return role === 'assistant' && (last === 'thinking' || last === 'redacted_thinking')
          ? invalid(`messages.${at}: The final block in an assistant message cannot be \`${last}\`.`)
          : undefined;
      }),
  },
  {
    id: 'prefill-blank',
    refuses: 'a last turn of an assistant that ends in a blank',
    source: 'https://github.com/langchain-ai/langchain/issues/35071',
    check: ({ body }) => {
      const last = list(body['messages']).at(-1);
      const content = field(last, 'content');
      const text = typeof content === 'string' ? content : field(list(content).at(-1), 'text');
      return roleOf(last) === 'assistant' && typeof text === 'string' && /\s$/.test(text)
        ? invalid('messages: final assistant content cannot end with trailing whitespace')
        : undefined;
    },
  },
  {
    id: 'prefill',
    refuses: 'a last turn of an assistant from Opus 4.6 and Sonnet 4.6 on',
    source: 'https://github.com/langchain-ai/langchain/pull/36611',
    check: ({ body, profile }) =>
      !profile.prefill && roleOf(list(body['messages']).at(-1)) === 'assistant'
        ? invalid(
            'This model does not support assistant message prefill. The conversation must end with a user message.',
          )
        : undefined,
  },
  {
    id: 'call-blocks',
    refuses: 'a call whose id has others than letters, digits, `_` and `-`, or whose input is no object',
    source: 'https://github.com/maximhq/bifrost/issues/5097',
    check: ({ body }) =>
      findFirst(list(body['messages']), (message, at) =>
        findFirst(blocksOf(message), (block, index) => {
          if (field(block, 'type') !== 'tool_use') return undefined;
          const place = `messages.${at}.content.${index}.tool_use`;
          if (!/^[a-zA-Z0-9_-]+$/.test(String(field(block, 'id')))) {
            return invalid(`${place}.id: String should match pattern '^[a-zA-Z0-9_-]+$'`);
          }
          return isObject(field(block, 'input'))
            ? undefined
            : invalid(`${place}.input: Input should be a valid dictionary`);
        }),
      ),
  },
  {
    id: 'calls-answered',
    refuses: 'a call that the next turn does not answer before it says anything else',
    source: 'https://github.com/anthropics/claude-code/issues/5989',
    check: ({ body }) => {
      const turns = mergedTurns(list(body['messages']));
      return findFirst(turns, (turn, index) => {
        const calls = turn.blocks.filter((block) => field(block, 'type') === 'tool_use');
        const next = turns[index + 1]?.blocks ?? [];
        const end = next.findIndex((block) => field(block, 'type') !== 'tool_result');
        const answered = next.slice(0, end < 0 ? undefined : end).map((block) => field(block, 'tool_use_id'));
        const missing = calls.map((call) => field(call, 'id')).filter((id) => !answered.includes(id));
        return missing.length === 0
          ? undefined
          : invalid(
              `messages.${turn.at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
            );
      });
    },
  },
  {
    id: 'results-called',
    refuses: 'the result of a call that the turn before did not make, or two of one call',
    source: 'https://github.com/router-for-me/CLIProxyAPI/issues/497',
    check: ({ body }) => {
      const turns = mergedTurns(list(body['messages']));
      return findFirst(turns, (turn, index) => {
        const before = turns[index - 1]?.blocks ?? [];
        const calls = before.flatMap((block) =>
          field(block, 'type') === 'tool_use' ? [field(block, 'id')] : [],
        );
        const results = turn.blocks.filter((block) => field(block, 'type') === 'tool_result');
        const ids = results.map((block) => field(block, 'tool_use_id'));
        return findFirst(ids, (id, position) => {
          if (!calls.includes(id)) {
            return invalid(
              `messages.${turn.at}.content.${position}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${String(id)}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
            );
          }
          return ids.indexOf(id) === position
            ? undefined
            : invalid(
                `messages.${turn.at}.content.${position}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${String(id)}`,
              );
        });
      });
    },
  },
  {
    id: 'thinking-signature',
    refuses: 'a `thinking` block whose signature another vendor made',
    source: 'https://github.com/anomalyco/opencode/issues/3077',
    check: ({ body }) =>
      findFirst(list(body['messages']), (message, at) =>
        findFirst(blocksOf(message), (block, index) =>
          field(block, 'type') === 'thinking' &&
          !isReasoningState(field(block, 'signature'), { vendor: 'anthropic' })
            ? invalid(`messages.${at}.content.${index}: Invalid \`signature\` in \`thinking\` block`)
            : undefined,
        ),
      ),
  },
  {
    id: 'thinking-first',
    refuses: 'a running turn of tools that does not begin with its thinking, while thinking is on',
    source: 'https://github.com/pydantic/pydantic-ai/issues/2040',
    check: ({ body }) => {
      const messages = list(body['messages']);
      const at = messages.length - 2;
      const called = messages[at];
      if (!thinks(body['thinking']) || roleOf(called) !== 'assistant') return undefined;
      const first = field(blocksOf(called)[0], 'type');
      if (ofType(called, 'tool_use').length === 0) return undefined;
      return first === 'thinking' || first === 'redacted_thinking'
        ? undefined
        : invalid(
            `messages.${at}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${String(first)}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks). We recommend you include thinking blocks from previous turns. To avoid this requirement, disable \`thinking\`. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking`,
          );
    },
  },
];

interface Turn {
  /** Where its first message stands. */
  readonly at: number;
  readonly role: string;
  readonly blocks: readonly unknown[];
}

/** The API takes messages of one role in a row for one turn. */
function mergedTurns(messages: readonly unknown[]): readonly Turn[] {
  return messages.reduce<Turn[]>((turns, message, at) => {
    const content = field(message, 'content');
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : list(content);
    const last = turns.at(-1);
    const role = roleOf(message);
    if (last?.role !== role) return [...turns, { at, role, blocks }];
    return [...turns.slice(0, -1), { ...last, blocks: [...last.blocks, ...blocks] }];
  }, []);
}

function findEmpty(message: unknown, at: number, count: number): Refusal | undefined {
  const content = field(message, 'content');
  if (content === '' || (Array.isArray(content) && content.length === 0)) {
    if (roleOf(message) === 'assistant' && at === count - 1) return undefined;
    return invalid(
      `messages.${at}: all messages must have non-empty content except for the optional final assistant message`,
    );
  }
  if (typeof content === 'string') {
    return content.trim() === ''
      ? invalid('messages: text content blocks must contain non-whitespace text')
      : undefined;
  }
  const inner = blocksOf(message).flatMap((block) => list(field(block, 'content')));
  return findEmptyText(blocksOf(message), 'messages', at) ?? findEmptyText(inner, 'messages');
}

function findEmptyText(blocks: readonly unknown[], place: string, at?: number): Refusal | undefined {
  return findFirst(blocks, (block, index) => {
    const text = field(block, 'text');
    if (field(block, 'type') !== 'text' || typeof text !== 'string' || text.trim() !== '') return undefined;
    if (text === '' && at !== undefined && isObject(field(block, 'cache_control'))) {
      return invalid(
        `messages.${at}.content.${index}.text: cache_control cannot be set for empty text blocks`,
      );
    }
    return invalid(
      `${place}: text content blocks must ${text === '' ? 'be non-empty' : 'contain non-whitespace text'}`,
    );
  });
}
