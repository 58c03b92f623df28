import type { Part, Turn } from './request.ts';

/**
 * Joins consecutive turns of the same side, for formats that want the sides to alternate strictly.
 *
 * @param only the side whose turns are joined; both without it.
 */
export function mergeTurns(turns: readonly Turn[], only?: Turn['role']): Turn[] {
  const merged: { role: Turn['role']; parts: Part[] }[] = [];
  for (const { role, parts } of turns) {
    const last = merged.at(-1);
    if (last?.role !== role || (only ?? role) !== role) merged.push({ role, parts: [...parts] });
    else for (const part of parts) last.parts.push(part);
  }
  return merged;
}

/** Texts between turns that were the system's, as the user's words in a mark that models know. */
export const systemAsUser = (turn: Turn): Turn =>
  turn.role === 'system'
    ? { role: 'user', parts: [{ kind: 'text', text: `<system>\n${joinText(turn.parts)}\n</system>` }] }
    : turn;

/** The text of parts, a blank line between them. */
export const joinText = (parts: readonly Part[]): string =>
  parts.flatMap((part) => (part.kind === 'text' || part.kind === 'refusal' ? [part.text] : [])).join('\n\n');

/** A turn that is still being read. */
export interface GrowingTurn extends Turn {
  readonly parts: Part[];
}

/** Adds parts to the last turn when that is of this side, else begins a turn with them. */
export function addParts(turns: GrowingTurn[], role: Turn['role'], parts: readonly Part[]): void {
  const last = turns.at(-1);
  if (last?.role !== role) turns.push({ role, parts: [...parts] });
  else for (const part of parts) last.parts.push(part);
}

/** Results of calls that were made together stand together, apart from the user's words. */
export function addResult(turns: GrowingTurn[], result: Part): void {
  if (turns.at(-1)?.parts.at(-1)?.kind === 'tool_result') addParts(turns, 'user', [result]);
  else turns.push({ role: 'user', parts: [result] });
}

/** What the system says before anybody has spoken stands apart, but for what is no text. */
export function addSystem(system: string[], turns: GrowingTurn[], parts: readonly Part[]): void {
  if (turns.length > 0) {
    turns.push({ role: 'system', parts: [...parts] });
    return;
  }
  for (const part of parts) if (part.kind === 'text') system.push(part.text);
  const rest = parts.filter(({ kind }) => kind !== 'text');
  if (rest.length > 0) turns.push({ role: 'system', parts: rest });
}

/** The name of the tool that a call id belongs to; results are named by formats that do not go by ids. */
export function callNames(turns: readonly Turn[]): Map<string, { name: string; namespace?: string }> {
  const names = new Map<string, { name: string; namespace?: string }>();
  for (const { parts } of turns) {
    for (const part of parts) if (part.kind === 'tool_call') names.set(part.id, part);
  }
  return names;
}
