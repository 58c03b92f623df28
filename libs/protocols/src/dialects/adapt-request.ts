import type { Notes } from '../neutral/notes.ts';
import { given, type JsonObject } from '../json.ts';
import type { NeutralRequest, Turn } from '../neutral/request.ts';
import { adaptFormat, adaptTools } from './adapt-format.ts';
import { adaptReasoning, withoutReasoning } from './adapt-reasoning.ts';
import { adaptSampling } from './adapt-sampling.ts';
import { answerCalls } from './answer-calls.ts';
import { fitCallIds } from './call-ids.ts';
import type { Dialect } from './dialect.ts';
import { fitUser } from './fit-text.ts';

/**
 * A request as one model takes it. What is said in another way or left out stands in the notes.
 *
 * @throws Refusal where something is left out and the caller is strict about that.
 */
export function adaptRequest(request: NeutralRequest, dialect: Dialect, notes: Notes): NeutralRequest {
  const { turns, user, reasoning: asked, shared, ...rest } = adaptFormat(request, dialect, notes);
  const adapted = adaptReasoning(asked, dialect, notes);
  const reasoning =
    dialect.reasons_with_tools || request.tools.length === 0
      ? adapted
      : withoutReasoning(adapted, dialect, notes);
  const fit = (text: string): string => {
    const fitting = fitUser(text, dialect);
    if (fitting !== text) notes.emulate(notes.fieldOf('user'));
    return fitting;
  };
  return {
    ...rest,
    turns: fitCallIds(askToGoOn(answerCalls(turns, notes), dialect, notes), dialect),
    tools: adaptTools(request.tools, dialect, notes),
    sampling: adaptSampling(request, reasoning, dialect, notes),
    shared: fitShared(shared, fit),
    ...given({ reasoning, user: user === undefined ? undefined : fit(user) }),
  };
}

function fitShared(shared: JsonObject, fit: (user: string) => string): JsonObject {
  const { safety_identifier: id, prompt_cache_key: key } = shared;
  const fitting = {
    ...(typeof id === 'string' ? { safety_identifier: fit(id) } : {}),
    ...(typeof key === 'string' ? { prompt_cache_key: fit(key) } : {}),
  };
  return { ...shared, ...fitting };
}

/** The request without the fields that the model refuses though its format has them. */
export function withoutRefused(
  encoded: JsonObject,
  { refused_fields: refused }: Dialect,
  notes: Notes,
): JsonObject {
  const found = refused.filter((field) => encoded[field] !== undefined);
  if (found.length === 0) return encoded;
  for (const field of found) notes.drop(field);
  return Object.fromEntries(Object.entries(encoded).filter(([field]) => !found.includes(field)));
}

/** Where a model takes no words of the assistant at the end, to go on with, they are asked for in words. */
function askToGoOn(turns: readonly Turn[], { prefill }: Dialect, notes: Notes): readonly Turn[] {
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
