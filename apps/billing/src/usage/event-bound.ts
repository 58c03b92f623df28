import { type Catalogue, findUnitPrice, higherRatio, type Model } from '@tollgate/catalogue';
import type { UsageEvent, UsageLine } from '@tollgate/contracts';
import { withinBound } from '@tollgate/metering';
import { parseRatio, type Ratio } from '@tollgate/money';
import {
  ASSUMED_CONTEXT_WINDOW,
  type Counts,
  findOwn,
  INPUT_TOKEN_KINDS,
  isUnitKind,
  type MeterKind,
  OUTPUT_TOKEN_KINDS,
  type ServiceTier,
  sumTokens,
  type UnitKind,
} from '@tollgate/vocabulary';
import { findModel } from './find-model.ts';

/** No request is larger: the gateway's limit of a body, where a token has a byte at least. */
const MAX_INPUT_TOKENS = 64 * 1024 * 1024;
/** No request asks for more answers. */
const MAX_ANSWERS = 128;

/** The event as it may be charged, and what was reported where that is more. */
interface BoundedEvent {
  readonly event: UsageEvent;
  /** Absent where nothing is to be looked at. */
  readonly reported?: readonly UsageLine[];
}

/** What the lines that come may still have. */
interface Allowance {
  input: number;
  output: number;
  readonly textOnly: boolean;
  /** Absent where no gateway said how many. */
  readonly units: Partial<Record<UnitKind, number>> | undefined;
}

/**
 * Cuts an event down to what its request can have had: to the bound that the gateway worked out before it ran, whatever that
 * says, to what the model is able to, and to what the catalogue has a price for. A damaged event books no more than an
 * honest one.
 *
 * @param model of the event; it stands in the catalogue.
 */
export function boundedEvent(event: UsageEvent, model: Model, catalogue: Catalogue): BoundedEvent {
  const lines = boundLines(event, model, catalogue);
  const isCut = lines !== event.lines;
  const reported = event.reported_lines ?? (isCut ? event.lines : undefined);
  if (reported === undefined) return { event };
  return { event: isCut ? { ...event, lines, reported_lines: [...reported] } : event, reported };
}

/** The same lines where nothing is to be cut, which is nearly always. */
function boundLines(event: UsageEvent, model: Model, catalogue: Catalogue): UsageEvent['lines'] {
  const left = allowanceOf(event, model);
  const ofOthers = new Map(
    event.bound?.others?.map(({ model: name, input, output }) => [
      name,
      { input, output, textOnly: false, units: {} },
    ]),
  );
  const bounded = event.lines.flatMap((line, index) => {
    const ofLine = line.model === model.name ? model : findModel(catalogue, line.model);
    const allowed = (index > 0 ? ofOthers.get(line.model) : undefined) ?? left;
    return ofLine ? [boundLine(line, ofLine, allowed, event.bound)] : [];
  });
  const isWhole =
    bounded.length === event.lines.length && bounded.every((line, n) => line === event.lines[n]);
  return isWhole ? event.lines : bounded;
}

function boundLine(line: UsageLine, model: Model, left: Allowance, bound: UsageEvent['bound']): UsageLine {
  const { tokens } = withinBound(line.counts, left);
  left.input -= sumTokens(tokens, INPUT_TOKEN_KINDS);
  left.output -= sumTokens(tokens, OUTPUT_TOKEN_KINDS);
  const counts = boundUnits(line.counts, tokens, model, left);
  const { service_tier, region } = line;
  const takesTier =
    service_tier === undefined ||
    service_tier === 'standard' ||
    model.features?.[service_tier === 'fast' ? 'speed' : 'service_tier'] === 'free' ||
    isHeldFor(model.service_tiers?.[service_tier], bound && findTierRatios(model, bound.service_tiers));
  const regions = model.regions ?? {};
  const find = (name: string) => findOwn(regions, name);
  const takesRegion =
    region === undefined ||
    model.features?.inference_geo === 'free' ||
    isHeldFor(find(region), bound && [bound.region === undefined ? undefined : find(bound.region)]);
  if (counts === line.counts && takesTier && takesRegion) return line;
  return {
    model: line.model,
    ...(takesTier && service_tier !== undefined ? { service_tier } : {}),
    ...(takesRegion && region !== undefined ? { region } : {}),
    counts,
  };
}

const findTierRatios = ({ service_tiers }: Model, tiers: readonly ServiceTier[] = []) =>
  tiers.map((tier) => (tier === 'standard' ? undefined : service_tiers?.[tier]));

const ONE: Ratio = parseRatio('1');

/** Whether a ratio is stated, and no higher than the highest that was held for: the price list's own at least. */
function isHeldFor(ratio: string | undefined, asked: readonly (string | undefined)[] | undefined): boolean {
  if (ratio === undefined) return false;
  if (asked === undefined) return true;
  const held = asked.reduce(
    (max, each) => (each === undefined ? max : higherRatio(max, parseRatio(each))),
    ONE,
  );
  return higherRatio(parseRatio(ratio), held) === held;
}

/** Tokens as they were cut, with the units that have a price and that were held for. */
function boundUnits(reported: Counts, tokens: Counts, model: Model, { units }: Allowance): Counts {
  let cut: Counts | undefined;
  if (tokens !== reported) cut = { ...tokens };
  for (const kind of Object.keys(reported) as MeterKind[]) {
    const count = reported[kind] ?? 0;
    if (!isUnitKind(kind) || count === 0) continue;
    const taken = Math.min(count, maxUnits(kind, model, units) ?? count);
    if (units) units[kind] = (units[kind] ?? 0) - taken;
    if (taken === count && !cut) continue;
    cut ??= { ...reported };
    if (taken > 0) cut[kind] = taken;
    else Reflect.deleteProperty(cut, kind);
  }
  return cut ?? reported;
}

/** Null where any number may be: those that cost nothing, and those that no gateway has counted beforehand. */
function maxUnits(kind: UnitKind, model: Model, units: Allowance['units']): number | null {
  const price = findUnitPrice(model, kind);
  if (price === undefined) return 0;
  return price === 0 || units === undefined ? null : Math.max(0, units[kind] ?? 0);
}

/** Gateways before this one wrote no bound: of theirs only what the catalogue says of the model counts. */
function allowanceOf({ bound }: UsageEvent, { context_window, max_output_tokens }: Model): Allowance {
  const reads = context_window ?? (bound ? MAX_INPUT_TOKENS : Infinity);
  const writes =
    bound || context_window !== null
      ? MAX_ANSWERS * Math.max(max_output_tokens ?? 0, context_window ?? ASSUMED_CONTEXT_WINDOW)
      : Infinity;
  return {
    input: Math.min(bound?.input ?? reads, reads),
    output: Math.min(bound?.output ?? writes, writes),
    textOnly: bound?.text_only ?? false,
    units: bound && { ...bound.units },
  };
}
