import type { Part, Turn } from '../neutral/request.ts';

/** Turns of the same side in a row made one, for formats in which the sides take turns strictly. */
export function mergeTurns(turns: readonly Turn[]): Turn[] {
  const merged: Turn[] = [];
  for (const turn of turns) {
    const last = merged.at(-1);
    if (last?.role === turn.role)
      merged[merged.length - 1] = { role: turn.role, parts: [...last.parts, ...turn.parts] };
    else merged.push(turn);
  }
  return merged;
}

/** Texts between turns that were the system's, as the user's words in a mark that models know. */
export const systemAsUser = (turn: Turn): Turn =>
  turn.role === 'system'
    ? { role: 'user', parts: [{ kind: 'text', text: `<system>\n${textOf(turn.parts)}\n</system>` }] }
    : turn;

/** The text of parts, a blank line between them. */
export const textOf = (parts: readonly Part[]): string =>
  parts.flatMap((part) => (part.kind === 'text' || part.kind === 'refusal' ? [part.text] : [])).join('\n\n');

/** Adds a part to the last turn when that is of this side, else begins a turn with it. */
export function addPart(turns: Turn[], role: Turn['role'], ...parts: Part[]): void {
  const last = turns.at(-1);
  if (last?.role === role) turns[turns.length - 1] = { role, parts: [...last.parts, ...parts] };
  else turns.push({ role, parts });
}

/** The name of the tool that a call id belongs to; results are named by formats that do not go by ids. */
export function callNames(turns: readonly Turn[]): Map<string, { name: string; namespace?: string }> {
  const names = new Map<string, { name: string; namespace?: string }>();
  for (const { parts } of turns) {
    for (const part of parts) if (part.kind === 'tool_call') names.set(part.id, part);
  }
  return names;
}
