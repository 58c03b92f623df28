import { createHash } from 'node:crypto';
import type { Part, Turn } from '../neutral/request.ts';
import type { Dialect } from './dialect.ts';
import { isWritableIn } from './fit-text.ts';

type Rule = Pick<Dialect, 'call_id_min' | 'call_id_max' | 'call_id_alphabet'>;

/**
 * Turns in which calls, and the results of them, have ids that a model takes. Another id is always made into the same one,
 * so that a conversation stays as its vendor cached it. No answer names it: the client's own ids need no way back.
 */
export function fitCallIds(turns: readonly Turn[], rule: Rule): readonly Turn[] {
  if (rule.call_id_max === null && rule.call_id_alphabet === 'any') return turns;
  return turns.map(({ role, parts }) => ({ role, parts: parts.map((part) => fitPart(part, rule)) }));
}

function fitPart(part: Part, rule: Rule): Part {
  if (part.kind === 'tool_call') return { ...part, id: fitId(part.id, rule) };
  return part.kind === 'tool_result' ? { ...part, callId: fitId(part.callId, rule) } : part;
}

/** Characters of a made id where there is room: as many as 190 bits need. */
const MADE = 32;

function fitId(id: string, { call_id_min: min, call_id_max: max, call_id_alphabet: alphabet }: Rule): string {
  const fits = id.length >= min && (max === null || id.length <= max) && isWritableIn(id, alphabet);
  if (fits) return id;
  const digest = createHash('sha256')
    .update(id)
    .digest('base64')
    .replaceAll(/[^A-Za-z0-9]/g, '');
  return digest.slice(0, Math.max(min, Math.min(max ?? MADE, MADE)));
}
