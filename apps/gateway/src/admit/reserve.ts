import {
  accountScope,
  type CreditScope,
  type KeyRecord,
  keyScope,
  type Model,
  type TokenCounts,
} from '@tollgate/contracts';
import type { CreditHold } from '@tollgate/limits';
import { charge, rate, type Ratio } from '@tollgate/money';
import type { TokenBound } from '@tollgate/metering';
import type { StatedOutput } from '@tollgate/protocols';
import { ratioFor } from '../route/price-ceiling.ts';
import { standInsOf } from '../route/route.ts';
import type { RoutedModel, RoutingTable } from '../route/routing-table.ts';
import { calendarDay } from './calendar-day.ts';

const PICO_PER_MICRO = 1_000_000n;
/** The most that a hold can be: what a double still counts exactly. */
const MOST_MICRO = BigInt(Number.MAX_SAFE_INTEGER);

/** What a request of a limited key may cost, and a way to tell what it did cost. */
export interface Reservation {
  readonly hold: CreditHold;
  /** Micro-USD, rounded up, of tokens of the model that answered, by the prices that the request was admitted under. */
  readonly costOf: (tokens: TokenCounts, model: string) => number;
}

/**
 * What to hold for a request before it runs; undefined for keys that nothing limits and for models that cost nothing.
 *
 * The hold is an upper bound: the most tokens that the request can have, each at the dearest price of its side in any
 * tier (of text, where nothing but text can pass), plus the price of the request, times the group's ratio and the
 * account's discount: of the dearest of the model and those that stand in for it. As holds never exceed what is left, balances never fall below their limit. Three things pass by this, and are the only slack: an upstream that
 * answers more than it was told to (a model with no `max_output_tokens` in the catalogue for a caller that states no
 * limit of its own); inline media whose tokens are estimated too low, and tools that an upstream runs over more than
 * one context window; and a Redis that lost its data, by what was in flight.
 */
export function reserve(
  table: RoutingTable,
  request: {
    readonly requestId: string;
    readonly arrivedAt: number;
    readonly key: KeyRecord;
    readonly model: string;
    /** What the caller states of how much may come back. */
    readonly output: StatedOutput;
    readonly bound: (contextWindow: number | null) => TokenBound;
  },
): Reservation | undefined {
  const { key, requestId } = request;
  const group = table.groups.get(key.group);
  const routed = group?.models.get(request.model);
  const scopes = group && routed ? scopesOf(key, request.arrivedAt) : [];
  if (!group || !routed || scopes.length === 0) return undefined;
  const models = [routed, ...standInsOf(group, request.model)];
  const ratioOf = ({ name }: Model) => ratioFor(group.ratio, table.discounts, key.account_id, name);
  const amounts = models.map((each) =>
    mostOf(each, ratioOf(each.model), request.bound(each.model.context_window), request.output),
  );
  const amount = Math.max(...amounts);
  if (amount === 0) return undefined;
  return {
    hold: { requestId, accountId: key.account_id, keyId: key.key_id, scopes, amount },
    costOf(tokens, answered) {
      const { model } = models.find((each) => each.model.name === answered) ?? routed;
      return microUp(rate(tokens, model, [ratioOf(model)]));
    },
  };
}

function mostOf(routed: RoutedModel, ratio: Ratio, bound: TokenBound, output: StatedOutput): number {
  const { model, ceilings } = routed;
  const ceiling = bound.textOnly ? ceilings.text : ceilings.every;
  return microUp(
    charge(
      [
        { tokens: bound.input, price: ceiling.input },
        { tokens: BigInt(output.answers) * BigInt(maxOutput(routed, output)), price: ceiling.output },
        { tokens: PICO_PER_MICRO, price: model.request_price },
      ],
      ratio,
    ),
  );
}

/** Assumed where the catalogue does not say how much a model reads and writes. */
const CONTEXT_WINDOW = 200_000;

/** The most that one answer can have: more than the model is able to is not held, whatever the caller states. */
function maxOutput(
  { model, maxOutputTokens, overriddenOutputTokens }: RoutedModel,
  { limit, raisedTo, beside }: StatedOutput,
): number {
  const able = Math.max(maxOutputTokens, model.context_window ?? CONTEXT_WINDOW);
  return Math.min(Math.max(limit ?? maxOutputTokens, raisedTo, overriddenOutputTokens) + beside, able);
}

/** What the key spends from; days and months are those in which billing books the request, by its arrival. */
function scopesOf(key: KeyRecord, arrivedAt: number): CreditScope[] {
  const account = key.credit_limited ? [accountScope(key.account_id)] : [];
  if (key.budgets.length === 0) return account;
  const day = calendarDay(key.time_zone, arrivedAt);
  return [...account, ...key.budgets.map((window) => keyScope(key.key_id, window, day))];
}

function microUp(pico: bigint): number {
  const micro = (pico + PICO_PER_MICRO - 1n) / PICO_PER_MICRO;
  return Number(micro < MOST_MICRO ? micro : MOST_MICRO);
}
