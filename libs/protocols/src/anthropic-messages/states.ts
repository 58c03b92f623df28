import { isObject, type JsonObject, listAt, objectAt, someTextAt, textAt } from '../json.ts';
import { collectStates, type ReplaceState, type StateRules } from '../reasoning/state-rules.ts';

/** Anthropic keeps them in the thinking blocks of the assistant's messages. */
export const messagesStates: StateRules = {
  mark: 'tg1.',
  wrapped: (text) => text,
  statesIn: (body) => blocksOf(body).flatMap((block) => stateOf(block) ?? []),
  replace(body, by) {
    let changed = false;
    const messages = listAt(body, 'messages').flatMap((message) => {
      const content = isObject(message) && Array.isArray(message['content']) ? message['content'] : undefined;
      if (!isObject(message) || !content) return [message];
      const kept = content.flatMap((block: unknown) => {
        const next = replaced(block, by);
        changed ||= next[0] !== block || next.length !== 1;
        return next;
      });
      // A turn of nothing but a foreign thought says nothing here.
      return kept.length === 0 && content.length > 0 ? [] : [{ ...message, content: kept }];
    });
    if (!changed) return {};
    return { messages, ...(startsUnthought(messages, body) ? withoutThinking(body) : {}) };
  },
  collector: () =>
    collectStates(
      (event) =>
        [...listAt(event, 'content'), objectAt(event, 'content_block')].flatMap(
          (block) => stateOf(block) ?? [],
        ),
      (event) => {
        const delta = objectAt(event, 'delta');
        const isSignature = isObject(event) && textAt(delta, 'type') === 'signature_delta';
        return isSignature ? { index: event['index'], text: textAt(delta, 'signature') } : undefined;
      },
    ),
};

const blocksOf = (body: JsonObject): unknown[] =>
  listAt(body, 'messages').flatMap((message) => listAt(message, 'content'));

function stateOf(block: unknown): string | undefined {
  switch (textAt(block, 'type')) {
    case 'thinking':
      return someTextAt(block, 'signature');
    case 'redacted_thinking':
      return someTextAt(block, 'data');
    default:
      return undefined;
  }
}

function replaced(block: unknown, by: ReplaceState): unknown[] {
  const state = stateOf(block);
  const next = state === undefined ? undefined : by(state);
  if (next === undefined) return [block];
  return next.map(({ kind, data, text }) =>
    kind === 'redacted'
      ? { type: 'redacted_thinking', data }
      : { type: 'thinking', thinking: text ?? textAt(block, 'thinking'), signature: data },
  );
}

/** With a budget for thinking, a turn whose tools are running must begin with the thought that led to them. */
function startsUnthought(messages: readonly unknown[], body: JsonObject): boolean {
  if (textAt(objectAt(body, 'thinking'), 'type') !== 'enabled') return false;
  const answers = listAt(messages.at(-1), 'content').some((block) => textAt(block, 'type') === 'tool_result');
  const running = messages.findLast((message) => textAt(message, 'role') === 'assistant');
  return answers && stateOf(listAt(running, 'content')[0]) === undefined;
}

function withoutThinking(body: JsonObject): JsonObject {
  const management = objectAt(body, 'context_management');
  const edits = listAt(management, 'edits');
  const kept = edits.filter((edit) => !textAt(edit, 'type').startsWith('clear_thinking'));
  return {
    thinking: undefined,
    ...(kept.length === edits.length
      ? {}
      : { context_management: kept.length === 0 ? undefined : { ...management, edits: kept } }),
  };
}
