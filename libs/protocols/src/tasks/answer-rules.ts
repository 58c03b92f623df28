import type { TokenCounts } from '@tollgate/vocabulary';
import type { BilledExtras } from '../billed-extras.ts';
import { findFailure } from '../failure.ts';
import type { JsonObject } from '../json.ts';
import type { AnswerRules } from './task-codec.ts';

/** Of answers that come whole. */
export const wholeAnswerRules = (of: {
  readonly findUsage: (body: unknown) => JsonObject | undefined;
  readonly toTokens: (usage: JsonObject) => TokenCounts;
  readonly findExtras?: (body: unknown) => BilledExtras | undefined;
}): AnswerRules => ({
  usage: { findInBody: of.findUsage, findInEvent: () => undefined, toTokens: of.toTokens },
  extras: { findInBody: of.findExtras ?? (() => undefined), findInEvent: (_event, before) => before },
  findFailure,
  isPreamble: () => false,
  isFinal: () => true,
  emittedText: () => '',
  streamsJsonArrays: false,
});
