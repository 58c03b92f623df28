import {
  computeCharge,
  computeMaxCharge,
  findRatios,
  higherRatio,
  isPriced,
  type Model,
  type PricedUsage,
  toPriceTerms,
} from '@tollgate/catalogue';
import { accountScope, type CreditScope, type KeyRecord, keyScope } from '@tollgate/contracts';
import type { CreditHold } from '@tollgate/limits';
import { parseRatio, PICO_PER_MICRO_USD, type Ratio } from '@tollgate/money';
import type { HeldExtras, TokenBound, UsageBound } from '@tollgate/metering';
import type { ExplicitOutput, ExtrasBound, ServedFeatures } from '@tollgate/protocols';
import {
  ASSUMED_CONTEXT_WINDOW,
  type ClientProtocol,
  findOwn,
  type OtherOperation,
  type ServiceTier,
} from '@tollgate/vocabulary';
import { findFallbacks } from '../route/route.ts';
import type { RoutedModel, RoutingTable } from '../route/routing-table.ts';
import { calendarDay } from './calendar-day.ts';

/** The most that a hold can be: what a double still counts exactly. */
const MAX_MICRO_USD = BigInt(Number.MAX_SAFE_INTEGER);

/** What a request may have and cost, and a way to tell what it did cost. */
export interface Reservation {
  /** Absent for keys that nothing limits and for models that cost nothing. */
  readonly hold: CreditHold | undefined;
  /** The most that it can have of the model that answers: no report of an upstream counts for more. */
  readonly boundOf: (model: string) => RequestBound;
  /**
   * Micro-USD, rounded up, of what the model that answered did, and then those that worked for it, by the prices that the
   * request was admitted under.
   */
  readonly costOf: (lines: readonly PricedLine[]) => number;
  /** Pico-USD of the same by the price lists alone, whoever pays. */
  readonly listedOf: (lines: readonly PricedLine[]) => bigint;
}

/** What one model did in a request. */
export interface PricedLine extends Omit<PricedUsage, 'isRequest'> {
  readonly model: string;
}

/** The most that a request can have of a model, beside its tokens too. */
export interface RequestBound extends UsageBound, HeldExtras {}

/**
 * What a request can have at most, and what to hold for it before it runs; undefined for models that the group has not.
 *
 * The hold is an upper bound. It is worked out for the model and for each of its fallbacks, and the highest is held:
 * - the most tokens that the request can have, each at the highest price of its side in any tier (of text, where nothing but
 *   text can pass), in the service tier and the region that it asks for;
 * - the vendor's tools, as often as they may run;
 * - what another model may draw;
 * - the price of the request.
 * The sum is multiplied by the group's ratio and the account's discount.
 *
 * A hold never exceeds what is left, and nothing is charged beyond a hold: so no balance falls below its limit. There is one
 * exception: a Redis that has lost its data forgets what was in flight.
 *
 * An upstream may report more than the bound: its answer was longer than it was told to make it, inline media were estimated
 * too low, it ran tools over more than one context window, or its figure is wrong. The excess is set aside for review.
 */
export function reserve(
  table: RoutingTable,
  request: {
    readonly requestId: string;
    readonly arrivedAt: number;
    readonly key: KeyRecord;
    readonly model: string;
    /** Of the caller. */
    readonly protocol: ClientProtocol;
    /** In place of a conversation. */
    readonly task?: OtherOperation | undefined;
    /** What the caller states of how much may come back. */
    readonly output: ExplicitOutput;
    readonly bound: (contextWindow: number | null) => TokenBound;
    /** What it asks for beside tokens, of a model that serves these. */
    readonly extras: (served: ServedFeatures, model: Model) => ExtrasBound | undefined;
  },
): Reservation | undefined {
  const { key, requestId } = request;
  const group = table.groups.get(key.group);
  const routed = group?.models.get(request.model);
  if (!group || !routed) return undefined;
  const scopes = listCreditScopes(key, request.arrivedAt);
  const models = [routed, ...findFallbacks(group, request.model, request.task)];
  const ratiosFor = ({ name }: Model) => findRatios(group.ratio, table.discounts, key.account_id, name);
  const bounds = boundsOf(models, request);
  const amount =
    scopes.length === 0
      ? 0
      : Math.max(
          ...models.map((each, index) =>
            computeHold(each, ratiosFor(each.model), bounds[index] ?? NO_TOKENS),
          ),
        );
  return {
    hold:
      amount === 0 ? undefined : { requestId, accountId: key.account_id, keyId: key.key_id, scopes, amount },
    boundOf: (answered) =>
      bounds[
        Math.max(
          0,
          models.findIndex(({ model }) => model.name === answered),
        )
      ] ?? NO_TOKENS,
    costOf: (lines) => roundUpToMicro(computeCost(lines, models, ratiosFor)),
    listedOf: (lines) => computeCost(lines, models, () => []),
  };
}

const NO_TOKENS: RequestBound = {
  input: 0,
  output: 0,
  textOnly: true,
  extras: undefined,
  free: new Set(),
  costliest: {},
};

function boundsOf(
  models: readonly RoutedModel[],
  {
    bound,
    extras,
    output,
    protocol,
  }: Pick<Parameters<typeof reserve>[1], 'bound' | 'extras' | 'output' | 'protocol'>,
): RequestBound[] {
  return models.map((routed) => {
    const asked = extras(routed.served, routed.model);
    const tokens = bound(routed.model.context_window);
    return {
      ...tokens,
      textOnly: tokens.textOnly && !routed.drawsUnasked,
      output: output.answers * maxOutput(routed, output, protocol),
      extras: asked,
      free: routed.served.free,
      costliest: asked ? findCostliest(asked, routed.ceilings) : STANDARD,
    };
  });
}

const STANDARD: RequestBound['costliest'] = {};

/** What of the tiers and the region that a request asks for costs more than the standard. */
function findCostliest(
  { serviceTiers, region }: ExtrasBound,
  ceilings: RoutedModel['ceilings'],
): RequestBound['costliest'] {
  let [highest, serviceTier]: [Ratio, ServiceTier | undefined] = [ONE, undefined];
  for (const tier of serviceTiers) {
    const ratio = ceilings.serviceTiers[tier] ?? ONE;
    if (higherRatio(ratio, highest) === highest) continue;
    [highest, serviceTier] = [ratio, tier];
  }
  const ofRegion = (region === undefined ? undefined : findOwn(ceilings.regions, region)) ?? ONE;
  return { serviceTier, ...(higherRatio(ofRegion, ONE) === ONE ? {} : { region }) };
}

const ONE: Ratio = parseRatio('1');

function computeHold(
  { ceilings, imageModels }: RoutedModel,
  ratios: readonly Ratio[],
  bound: RequestBound,
): number {
  const drawing = bound.extras?.drawing;
  const second = imageModels.find(({ model }) => model.name === drawing?.model);
  const drawn =
    drawing && second ? computeMaxCharge({ ...drawing, textOnly: false }, second.ceilings, ratios) : 0n;
  return roundUpToMicro(computeMaxCharge({ ...bound, ...bound.extras }, ceilings, ratios) + drawn);
}

/** Pico-USD of all lines, each at the price of its model and at the ratios of the one that answered, as they are booked. */
function computeCost(
  lines: readonly PricedLine[],
  models: readonly RoutedModel[],
  ratiosFor: (model: Model) => readonly Ratio[],
): bigint {
  const answered = models.find(({ model }) => model.name === lines[0]?.model) ?? models[0];
  if (!answered) return 0n;
  const ratios = ratiosFor(answered.model);
  let sum = 0n;
  for (const [index, line] of lines.entries()) {
    const second = answered.imageModels.find(({ model }) => index > 0 && model.name === line.model);
    const { model } = second ?? answered;
    sum += computeCharge({ ...line, isRequest: index === 0 }, toPriceTerms(model), ratios);
  }
  return sum;
}

/**
 * Pico-USD of what models did by the price lists of now alone, whoever pays: for what ends long after it was admitted. What they
 * do not name any more counts nothing.
 */
export function computeListed(
  { groups }: Pick<RoutingTable, 'groups'>,
  of: { readonly group: string; readonly model: string },
  lines: readonly PricedLine[],
): bigint {
  const routed = groups.get(of.group)?.models.get(of.model);
  const models = routed ? [routed, ...routed.imageModels] : [];
  return lines.reduce((sum, { model: name, ...line }, index) => {
    const model = models.find((each) => each.model.name === name)?.model;
    const usage = { ...line, isRequest: index === 0 };
    return model && isPriced(usage, toPriceTerms(model))
      ? sum + computeCharge(usage, toPriceTerms(model), [])
      : sum;
  }, 0n);
}

/** The most that one answer can have: more than the model is able to is not held, whatever the caller states. */
function maxOutput(
  { model, maxOutputTokens, overriddenOutputTokens, minOutputTokens }: RoutedModel,
  { limit, raisedTo, beside }: ExplicitOutput,
  protocol: ClientProtocol,
): number {
  const able = Math.max(maxOutputTokens, model.context_window ?? ASSUMED_CONTEXT_WINDOW);
  // Upstreams are told what the catalogue says at most, and at least what they take.
  const limited = Math.max(
    Math.min(limit ?? maxOutputTokens, model.max_output_tokens ?? able),
    minOutputTokens.get(protocol) ?? 1,
  );
  return Math.min(Math.max(limited, raisedTo, overriddenOutputTokens) + beside, able);
}

/** What the key spends from; days and months are those in which billing books the request, by its arrival. */
export function listCreditScopes(key: KeyRecord, arrivedAt: number): CreditScope[] {
  const account = key.credit_limited ? [accountScope(key.account_id)] : [];
  if (key.budgets.length === 0) return account;
  const day = calendarDay(key.time_zone, arrivedAt);
  return [...account, ...key.budgets.map((window) => keyScope(key.key_id, window, day))];
}

function roundUpToMicro(pico: bigint): number {
  const micro = (pico + PICO_PER_MICRO_USD - 1n) / PICO_PER_MICRO_USD;
  return Number(micro < MAX_MICRO_USD ? micro : MAX_MICRO_USD);
}
