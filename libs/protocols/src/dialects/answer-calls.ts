import type { Notes } from '../neutral/notes.ts';
import type { Part, Turn } from '../neutral/request.ts';

type Result = Extract<Part, { kind: 'tool_result' }>;

const NO_RESULT: readonly Part[] = [{ kind: 'text', text: 'The tool gave no result.' }];

/**
 * Gives every tool call one result before the assistant speaks again, and every result its call. No vendor takes a conversation
 * with an open call (as one that was stopped half-way has) or with a result whose call was cut off. A missing result is
 * reported as failed; a result without a call becomes text.
 */
export function answerCalls(turns: readonly Turn[], notes: Notes): readonly Turn[] {
  const answered: Turn[] = [];
  /** How many calls of an id have no result yet: two may have one id. */
  const open = new Map<string, number>();
  /** Of the user's last turn since the calls. */
  let place: number | undefined;
  const settle = () => {
    const missing = [...open].flatMap(([callId, count]) =>
      Array.from({ length: count }, (): Part => ({
        kind: 'tool_result',
        callId,
        isError: true,
        content: NO_RESULT,
      })),
    );
    const turn = place === undefined ? undefined : answered[place];
    if (missing.length > 0) notes.emulate('calls of tools without a result');
    if (missing.length > 0 && turn) answered[place ?? 0] = { ...turn, parts: [...missing, ...turn.parts] };
    else if (missing.length > 0) answered.push({ role: 'user', parts: missing });
    open.clear();
    place = undefined;
  };
  const take = (part: Part): readonly Part[] => {
    if (part.kind !== 'tool_result') return [part];
    const count = open.get(part.callId) ?? 0;
    if (count === 0) return tellInWords(part, notes);
    open.set(part.callId, count - 1);
    return [part];
  };
  for (const turn of turns) {
    if (turn.role === 'assistant') {
      if (answered.at(-1)?.role !== 'assistant') settle();
      for (const part of turn.parts) {
        if (part.kind === 'tool_call') open.set(part.id, (open.get(part.id) ?? 0) + 1);
      }
      answered.push(turn);
    } else {
      if (turn.role === 'user') place = answered.length;
      answered.push({ role: turn.role, parts: turn.parts.flatMap(take) });
    }
  }
  settle();
  return answered;
}

/** A result that answers no call, as words of the user. */
function tellInWords({ content, isError }: Result, notes: Notes): readonly Part[] {
  notes.emulate('results of tools without a call');
  const words = `(${isError ? 'The error' : 'The result'} of a call of a tool that is not in this conversation:)`;
  return [{ kind: 'text', text: words }, ...content];
}
