import type { Notes } from '../neutral/notes.ts';
import type { Turn } from '../neutral/request.ts';
import type { Dialect } from './dialect.ts';

/** Where a model takes no words of the assistant at the end, to go on with, they are asked for in words. */
export function askToGoOn(turns: readonly Turn[], { prefill }: Dialect, notes: Notes): readonly Turn[] {
  const last = turns.at(-1);
  const said = last?.parts.some(
    (part) => (part.kind === 'text' || part.kind === 'refusal') && part.text.trim() !== '',
  );
  if (prefill || last?.role !== 'assistant' || !said) return turns;
  notes.emulate('words of the assistant at the end');
  return [
    ...turns,
    { role: 'user', parts: [{ kind: 'text', text: 'Go on from where your last message ends.' }] },
  ];
}
