import { type JsonObject, listAt, textAt } from '../json.ts';
import type { Notes } from '../neutral/notes.ts';
import type { Part, Turn } from '../neutral/request.ts';
import { mergeTurns, systemAsUser } from '../neutral/turns.ts';

/**
 * Messages of blocks in which the sides take turns strictly and the user begins. A block of text has its words in `text`.
 * Thoughts after which the assistant said nothing are left out: no message may end with them.
 *
 * @param blockOf none for what says nothing.
 */
export function strictMessages(
  turns: readonly Turn[],
  blockOf: (part: Part) => readonly JsonObject[],
  notes: Notes,
): JsonObject[] {
  if (turns.some(({ role }) => role === 'system'))
    notes.ask('system_in_conversation', 'system text between turns');
  const made = new Map<Part, readonly JsonObject[]>();
  const once = (part: Part): readonly JsonObject[] => {
    const blocks = made.get(part) ?? blockOf(part);
    made.set(part, blocks);
    return blocks;
  };
  const isSaid = (part: Part) => once(part).length > 0;
  const said = mergeTurns(turns.map(systemAsUser).filter(({ parts }) => parts.some(isSaid)));
  const thoughtOut = said.some((turn) => endsInThought(turn, isSaid))
    ? mergeTurns(
        said.map((turn) => withoutLastThoughts(turn, isSaid)).filter(({ parts }) => parts.length > 0),
      )
    : said;
  const messages = thoughtOut.map(({ role, parts }): JsonObject => {
    // Results come first in their message.
    const results = parts.filter(({ kind }) => kind === 'tool_result');
    const rest = parts.filter(({ kind }) => kind !== 'tool_result');
    return { role, content: [...results, ...rest].flatMap(once) };
  });
  const begun =
    messages[0]?.['role'] === 'assistant'
      ? [{ role: 'user', content: blockOf(BEGINNING) }, ...messages]
      : messages;
  return begun.at(-1)?.['role'] === 'assistant' ? goneOn(begun, notes) : begun;
}

const endsInThought = ({ role, parts }: Turn, isSaid: (part: Part) => boolean): boolean =>
  role === 'assistant' && parts.findLast(isSaid)?.kind === 'thinking';

function withoutLastThoughts(turn: Turn, isSaid: (part: Part) => boolean): Turn {
  if (!endsInThought(turn, isSaid)) return turn;
  const end = turn.parts.findLastIndex((part) => part.kind !== 'thinking' && isSaid(part));
  return { ...turn, parts: turn.parts.slice(0, end + 1) };
}

const BEGINNING: Part = { kind: 'text', text: '(The conversation begins here.)' };

/** Words that the assistant goes on with: without blanks at their end. */
function goneOn(messages: readonly JsonObject[], notes: Notes): JsonObject[] {
  const content = listAt(messages.at(-1), 'content');
  const end = content.at(-1);
  const text = textAt(end, 'text');
  if (text.trimEnd() === text) return [...messages];
  notes.emulate('words of the assistant at the end');
  const trimmed = [...content.slice(0, -1), { ...(end as JsonObject), text: text.trimEnd() }];
  return [...messages.slice(0, -1), { role: 'assistant', content: trimmed }];
}
