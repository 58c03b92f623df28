import { isObject, listAt, objectAt, someTextAt } from '../json.ts';
import { collectStates, type StateRules } from '../reasoning/state-rules.ts';

/** Google's endpoint of this format hangs them on calls. */
export const chatStates: StateRules = {
  mark: 'tg1.',
  wrapped: (text) => text,
  statesIn: (body) =>
    listAt(body, 'messages')
      .flatMap(callsOf)
      .flatMap((call) => stateOf(call) ?? []),
  replace(body, by) {
    let changed = false;
    const messages = listAt(body, 'messages').map((message) => {
      if (!isObject(message) || callsOf(message).every((call) => stateOf(call) === undefined)) return message;
      const tool_calls = callsOf(message).map((call) => {
        const state = stateOf(call);
        const next = state === undefined ? undefined : by(state);
        if (next === undefined || !isObject(call)) return call;
        changed = true;
        const { extra_content: _extra, ...plain } = call;
        const own = next.find(({ data }) => data !== '');
        return own ? { ...plain, extra_content: { google: { thought_signature: own.data } } } : plain;
      });
      return { ...message, tool_calls };
    });
    return changed ? { messages } : {};
  },
  collector: () =>
    collectStates((event) =>
      listAt(event, 'choices')
        .flatMap((choice) => callsOf(objectAt(choice, 'delta') ?? objectAt(choice, 'message')))
        .flatMap((call) => stateOf(call) ?? []),
    ),
};

const callsOf = (message: unknown): readonly unknown[] => listAt(message, 'tool_calls');

const stateOf = (call: unknown): string | undefined =>
  someTextAt(objectAt(objectAt(call, 'extra_content'), 'google'), 'thought_signature');
