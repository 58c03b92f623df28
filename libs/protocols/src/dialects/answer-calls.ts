import type { Notes } from '../convert/notes.ts';
import type { Part, Turn } from '../neutral/request.ts';

const NO_RESULT: readonly Part[] = [{ kind: 'text', text: 'The tool gave no result.' }];

/**
 * Turns in which every call of a tool has its result before the assistant speaks again: no vendor takes a conversation
 * with a call left open, as one that was stopped in the middle is. What is missing is said to have failed.
 */
export function answerCalls(turns: readonly Turn[], notes: Notes): readonly Turn[] {
  const answered: Turn[] = [];
  let open: string[] = [];
  /** Of the user's last turn since the calls. */
  let place: number | undefined;
  const settle = () => {
    const missing = open.map((callId): Part => ({
      kind: 'tool_result',
      callId,
      isError: true,
      content: NO_RESULT,
    }));
    const turn = place === undefined ? undefined : answered[place];
    if (missing.length > 0) notes.emulate('calls of tools without a result');
    if (missing.length > 0 && turn) answered[place ?? 0] = { ...turn, parts: [...missing, ...turn.parts] };
    else if (missing.length > 0) answered.push({ role: 'user', parts: missing });
    open = [];
    place = undefined;
  };
  for (const turn of turns) {
    if (turn.role === 'assistant') {
      if (answered.at(-1)?.role !== 'assistant') settle();
      for (const part of turn.parts) if (part.kind === 'tool_call') open.push(part.id);
    } else {
      const results = turn.parts.flatMap((part) => (part.kind === 'tool_result' ? [part.callId] : []));
      if (results.length > 0) open = open.filter((id) => !results.includes(id));
      if (turn.role === 'user') place = answered.length;
    }
    answered.push(turn);
  }
  settle();
  return answered;
}
