import { isObject, type JsonObject, listAt, objectAt, someTextAt, textAt } from '../json.ts';
import { collectStates, type StateRules } from '../reasoning/state-rules.ts';

/** OpenAI keeps them in reasoning items. */
export const responsesStates: StateRules = {
  mark: 'tg1.',
  wrapped: (text) => text,
  statesIn: (body) => listAt(body, 'input').flatMap((item) => stateOf(item) ?? []),
  replace(body, by) {
    let changed = false;
    let dropped = false;
    const input = listAt(body, 'input').flatMap((item) => {
      const state = stateOf(item);
      const next = state === undefined ? undefined : by(state);
      if (next === undefined || !isObject(item)) return [item];
      changed = true;
      dropped ||= next.length === 0;
      const { id: _id, encrypted_content: _content, ...said } = item;
      return next.map(({ data, id }) => ({ ...said, ...(id ? { id } : {}), encrypted_content: data }));
    });
    if (!changed) return {};
    return { input: dropped ? input.map(withoutId) : input };
  },
  collector: () =>
    collectStates((event) => {
      const done = textAt(event, 'type') === 'response.output_item.done' ? [objectAt(event, 'item')] : [];
      const whole = textAt(event, 'object') === 'response' ? listAt(event, 'output') : [];
      return [...done, ...whole].flatMap((item) => stateOf(item) ?? []);
    }),
};

const stateOf = (item: unknown): string | undefined =>
  textAt(item, 'type') === 'reasoning' ? someTextAt(item, 'encrypted_content') : undefined;

const FOLLOWS_REASONING = /^(?:message|function_call|custom_tool_call)$/;

/** By its id OpenAI knows what an item followed, and refuses it without that. */
function withoutId(item: unknown): unknown {
  if (!isObject(item) || !FOLLOWS_REASONING.test(textAt(item, 'type'))) return item;
  const { id: _id, ...said }: JsonObject = item;
  return said;
}
