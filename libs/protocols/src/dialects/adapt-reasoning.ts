import { budgetOfEffort, effortOfBudget } from '../neutral/effort.ts';
import type { Notes } from '../neutral/notes.ts';
import { given } from '../json.ts';
import { type Effort, EFFORTS, type Reasoning } from '../neutral/request.ts';
import type { Dialect } from './dialect.ts';

/** How much a model is to reason, said as it takes that; undefined where there is nothing to say. */
export function adaptReasoning(
  reasoning: Reasoning | undefined,
  dialect: Dialect,
  notes: Notes,
): Reasoning | undefined {
  if (!reasoning) return undefined;
  const { budget, effort, adaptive, shown } = reasoning;
  const isOff = budget === 0 || effort === 'none';
  const asked = notes.fieldOf(budget === undefined ? 'reasoning_effort' : 'reasoning_budget');
  if (dialect.reasoning === 'none') {
    if (!isOff && (budget !== undefined || effort !== undefined)) notes.drop(asked);
    return undefined;
  }
  if (isOff) {
    if (dialect.reasoning_off) return reasoning;
    notes.emulate(asked);
    return given({ ...least(dialect), shown });
  }
  const said =
    dialect.reasoning === 'budget'
      ? { budget: budgetFor(reasoning, dialect) }
      : dialect.reasoning === 'effort' || budget === undefined
        ? { effort: effortFor(reasoning, dialect) }
        : { budget, effort: effort && effortFor(reasoning, dialect) };
  if (said.budget !== budget || ('effort' in said ? said.effort : undefined) !== effort) notes.emulate(asked);
  return given({ ...said, adaptive: said.budget === undefined ? adaptive : undefined, shown });
}

/** What a model is told that does not reason where it may call tools. */
export function withoutReasoning(
  reasoning: Reasoning | undefined,
  { reasons_unasked }: Dialect,
  notes: Notes,
): Reasoning | undefined {
  if (reasoning?.budget === 0 || reasoning?.effort === 'none') return reasoning;
  const isAsked = reasoning?.budget !== undefined || reasoning?.effort !== undefined;
  if (!isAsked && !reasons_unasked) return reasoning;
  const name = notes.fieldOf(reasoning?.budget === undefined ? 'reasoning_effort' : 'reasoning_budget');
  if (isAsked) notes.drop(name);
  else notes.emulate(name);
  return { effort: 'none' };
}

const least = ({ reasoning, efforts, min_budget }: Dialect): Reasoning =>
  reasoning === 'budget' ? { budget: min_budget } : given({ effort: efforts[0] });

function effortFor({ effort, budget }: Reasoning, { efforts }: Dialect): Effort | undefined {
  const explicit = effort ?? (budget === undefined ? undefined : effortOfBudget(budget));
  if (explicit === undefined || efforts.includes(explicit)) return explicit;
  const rank = EFFORTS.indexOf(explicit);
  // None is not the next best of a little.
  const taken = efforts.filter((each) => each !== 'none');
  return taken.findLast((each) => EFFORTS.indexOf(each) < rank) ?? taken[0];
}

function budgetFor({ effort, budget }: Reasoning, dialect: Dialect): number | undefined {
  const explicit = budget ?? (effort === undefined ? undefined : budgetOfEffort(effort));
  if (explicit === undefined) return dialect.dynamic_budget ? undefined : budgetOfEffort('high');
  return Math.min(Math.max(explicit, dialect.min_budget), dialect.max_budget ?? Number.POSITIVE_INFINITY);
}
