import type { Notes } from '../neutral/notes.ts';
import type { NeutralRequest, Reasoning, Sampling } from '../neutral/request.ts';
import type { Dialect } from './dialect.ts';

/** What a request is sampled by, and how long its answer may be, as a model takes that. */
export function adaptSampling(
  { sampling }: Pick<NeutralRequest, 'sampling'>,
  reasoning: Reasoning | undefined,
  dialect: Dialect,
  notes: Notes,
): Sampling {
  const limited = {
    ...sampling,
    ...limitOf(sampling, dialect, notes),
    ...stopsOf(sampling, dialect, notes),
  };
  switch (dialect.sampling) {
    case 'all':
      return limited;
    case 'without_penalties':
      return without(PENALTIES, limited, notes);
    case 'temperature_or_top_p':
      return oneOf(limited, notes);
    case 'without_reasoning':
      return reasons(reasoning, dialect) ? without(SAMPLED, limited, notes) : limited;
    case 'none':
      return without(SAMPLED, limited, notes);
  }
}

function limitOf(
  { maxOutputTokens }: Sampling,
  { min_output_tokens: min, max_output_tokens: max }: Dialect,
  notes: Notes,
): Pick<Sampling, 'maxOutputTokens'> {
  if (maxOutputTokens === undefined) return {};
  const fitting = Math.max(Math.min(maxOutputTokens, max ?? maxOutputTokens), min);
  if (fitting !== maxOutputTokens) notes.emulate(notes.fieldOf('max_output_tokens'));
  return { maxOutputTokens: fitting };
}

/** The first of them stay. */
function stopsOf({ stop }: Sampling, { max_stops: max }: Dialect, notes: Notes): Pick<Sampling, 'stop'> {
  if (stop === undefined || max === null || stop.length <= max) return {};
  notes.drop(notes.fieldOf('stop'));
  return { stop: stop.slice(0, max) };
}

const reasons = (reasoning: Reasoning | undefined, { reasons_unasked }: Dialect): boolean =>
  reasoning?.budget === undefined && reasoning?.effort === undefined
    ? reasons_unasked
    : reasoning.effort !== 'none' && reasoning.budget !== 0;

/** Values that every model has by default; to leave them out changes nothing. */
const DEFAULTS = {
  temperature: 1,
  topP: 1,
  topK: undefined,
  presencePenalty: 0,
  frequencyPenalty: 0,
} as const;

const FEATURE_OF = {
  temperature: 'temperature',
  topP: 'top_p',
  topK: 'top_k',
  presencePenalty: 'penalties',
  frequencyPenalty: 'penalties',
} as const;
type Sampled = keyof typeof FEATURE_OF;

const PENALTIES: readonly Sampled[] = ['presencePenalty', 'frequencyPenalty'];
const SAMPLED: readonly Sampled[] = ['temperature', 'topP', 'topK', ...PENALTIES];

function without(names: readonly Sampled[], sampling: Sampling, notes: Notes): Sampling {
  for (const name of names) {
    const value = sampling[name];
    if (value !== undefined && value !== DEFAULTS[name]) notes.dropAll(FEATURE_OF[name]);
  }
  const rest = Object.entries(sampling).filter(([name]) => !names.some((each) => each === name));
  return Object.fromEntries(rest) as Sampling;
}

/** The temperature stays, unless it is what it would be anyway. */
function oneOf(sampling: Sampling, notes: Notes): Sampling {
  const { temperature, topP, ...rest } = sampling;
  if (temperature === undefined || topP === undefined) return sampling;
  if (temperature === DEFAULTS.temperature) return { ...rest, topP };
  if (topP !== DEFAULTS.topP) notes.drop(notes.fieldOf('top_p'));
  return { ...rest, temperature };
}
