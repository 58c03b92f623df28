import type { Protocol } from '@tollgate/vocabulary';
import type { JsonObject } from '../json.ts';
import { budgetWithin } from '../neutral/effort.ts';
import type { Notes } from '../neutral/notes.ts';
import type { NeutralRequest, Reasoning, Sampling, Turn } from '../neutral/request.ts';
import type { EncodeRequestContext } from './conversion.ts';

const SMALLEST_BUDGET = 1_024;

/** How a Claude model is told to think and to sample, in the words of its vendor, whatever format carries them. */
interface ClaudeSettings extends Pick<Sampling, 'temperature' | 'topP' | 'topK'> {
  readonly thinking?: JsonObject | undefined;
  readonly effort?: string | undefined;
}

/** @param options.format the one that carries them: only thoughts that came by it come back. */
export function claudeSettings(
  { reasoning, sampling, toolChoice, tools, turns }: NeutralRequest,
  options: { readonly maxTokens: number; readonly format: Protocol },
  { notes }: EncodeRequestContext,
): ClaudeSettings {
  const forced = tools.length > 0 && (toolChoice?.mode === 'required' || toolChoice?.mode === 'tool');
  const excluded = forced || runsWithoutThought(turns, options.format);
  const thinking = thinkingOf(reasoning, options.maxTokens, excluded, notes);
  const thinks = thinking !== undefined && thinking['type'] !== 'disabled';
  return { ...samplingOf(sampling, thinks, notes), thinking, effort: effortOf(reasoning) };
}

const LEAST_TOP_P = 0.95;

/** While it thinks, the API takes no other temperature than 1, no lower top-p and no top-k. */
function samplingOf(
  { temperature, topP, topK }: Sampling,
  thinks: boolean,
  notes: Notes,
): Pick<ClaudeSettings, 'temperature' | 'topP' | 'topK'> {
  if (thinks) {
    if (temperature !== undefined && temperature !== 1) notes.drop(notes.fieldOf('temperature'));
    if (topK !== undefined) notes.drop(notes.fieldOf('top_k'));
    if (topP === undefined) return {};
    if (topP >= LEAST_TOP_P) return { topP };
    notes.drop(notes.fieldOf('top_p'));
    return {};
  }
  return {
    ...(temperature === undefined ? {} : { temperature: upToOne(temperature, notes) }),
    ...(topP === undefined ? {} : { topP }),
    ...(topK === undefined ? {} : { topK }),
  };
}

/** A temperature for vendors that take none above 1. */
export function upToOne(temperature: number, notes: Notes): number {
  if (temperature > 1) notes.emulate(notes.fieldOf('temperature'));
  return Math.min(1, temperature);
}

/** The API refuses sequences of nothing but white space. */
export function saidStops(stop: readonly string[] | undefined, notes: Notes): readonly string[] | undefined {
  const taken = stop?.filter((text) => text.trim() !== '');
  if (taken?.length !== stop?.length) notes.drop(notes.fieldOf('stop'));
  return taken?.length === 0 ? undefined : taken;
}

/**
 * A running tool turn has to begin with the thought that this vendor signed. A turn that another model began has none:
 * then thinking is left out until the turn is over. A forced tool excludes it too.
 */
function runsWithoutThought(turns: readonly Turn[], format: Protocol): boolean {
  const running = turns.findLast(({ role }) => role === 'assistant');
  const answered = turns.at(-1)?.parts.some(({ kind }) => kind === 'tool_result') ?? false;
  const calls = running?.parts.some(({ kind }) => kind === 'tool_call') ?? false;
  const [first] = running?.parts ?? [];
  return answered && calls && !(first?.kind === 'thinking' && first.state?.format === format);
}

function thinkingOf(
  reasoning: Reasoning | undefined,
  maxTokens: number,
  excluded: boolean,
  notes: Notes,
): JsonObject | undefined {
  if (!reasoning) return undefined;
  const { budget, effort } = reasoning;
  if (budget === 0 || effort === 'none') return { type: 'disabled' };
  if (budget === undefined && effort === undefined && !reasoning.adaptive) return undefined;
  const asked = notes.fieldOf(budget === undefined ? 'reasoning_effort' : 'reasoning_budget');
  if (excluded) {
    notes.drop(asked);
    return undefined;
  }
  const display =
    reasoning.shown === false ? { display: 'omitted' } : reasoning.shown ? { display: 'summarized' } : {};
  if (budget === undefined || budget < 0) return { type: 'adaptive', ...display };
  const budget_tokens = budgetWithin(Math.max(SMALLEST_BUDGET, budget), maxTokens);
  if (budget_tokens < SMALLEST_BUDGET) {
    notes.drop(asked);
    return undefined;
  }
  if (budget_tokens < budget) notes.emulate(asked);
  return { type: 'enabled', budget_tokens, ...display };
}

function effortOf(reasoning: Reasoning | undefined): string | undefined {
  const effort = reasoning?.effort;
  return effort === 'none' ? undefined : effort === 'minimal' ? 'low' : effort;
}
