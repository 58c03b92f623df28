import type { Model } from '@tollgate/catalogue';
import type { UsageEvent } from '@tollgate/contracts';
import { type UsageBound, withinBound } from '@tollgate/metering';
import { ASSUMED_CONTEXT_WINDOW } from '@tollgate/vocabulary';

/** No request is larger: the gateway's limit of a body, where a token has a byte at least. */
const MAX_INPUT_TOKENS = 64 * 1024 * 1024;
/** No request asks for more answers. */
const MAX_ANSWERS = 128;

/** The event as it may be charged, and what was reported where that is more. */
interface BoundedEvent {
  readonly event: UsageEvent;
  /** Absent where nothing is to be looked at. */
  readonly reported?: UsageEvent['tokens'];
}

/**
 * Cuts an event down to what its request can have had: to the bound that the gateway worked out before it ran, and whatever
 * that says, to what the model is able to. A damaged event books no more than an honest one.
 */
export function boundedEvent(event: UsageEvent, model: Model): BoundedEvent {
  const { tokens, beyond } = withinBound(event.tokens, boundOf(event, model));
  const reported = event.reported_tokens ?? (beyond ? event.tokens : undefined);
  if (reported === undefined) return { event };
  return { event: beyond ? { ...event, tokens, reported_tokens: reported } : event, reported };
}

/** Gateways before this one wrote no bound: of theirs only what the catalogue says of the model counts. */
function boundOf({ bound }: UsageEvent, { context_window, max_output_tokens }: Model): UsageBound {
  const reads = context_window ?? (bound ? MAX_INPUT_TOKENS : Infinity);
  const writes =
    bound || context_window !== null
      ? MAX_ANSWERS * Math.max(max_output_tokens ?? 0, context_window ?? ASSUMED_CONTEXT_WINDOW)
      : Infinity;
  return {
    input: Math.min(bound?.input ?? reads, reads),
    output: Math.min(bound?.output ?? writes, writes),
    textOnly: bound?.text_only ?? false,
  };
}
