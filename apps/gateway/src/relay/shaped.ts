import type { Meter } from '@tollgate/metering';
import {
  createResponseRewriter,
  type RelayError,
  type ResponseRewriter,
  type StreamFraming,
  TASK_CODECS,
} from '@tollgate/protocols';
import type { TokenCounts, UnitKind } from '@tollgate/vocabulary';
import type { Answer } from '../forward/answer.ts';
import type { OutgoingRequest } from '../forward/outgoing-request.ts';

/** What a request is estimated to use, where its answer does not tell. */
export interface RequestEstimate {
  readonly tokens: number;
  /** Of those that the model has a price for. */
  readonly units: Readonly<Partial<Record<UnitKind, number>>>;
  /** Of a task: what its answer has usually. */
  readonly written?: TokenCounts;
}

/** An answer as the caller gets it. */
export type Shaped =
  | {
      readonly kind: 'stream';
      readonly framing: StreamFraming;
      readonly contentType: string | undefined;
      readonly meter: Meter;
      readonly rewriter: ResponseRewriter;
    }
  | {
      readonly kind: 'whole';
      readonly contentType: string | undefined;
      readonly meter: Meter;
      readonly body: Buffer;
      /** What of the answer the caller's format cannot say. */
      readonly dropped: readonly string[];
    }
  | { readonly kind: 'refused'; readonly error: RelayError };

/** What an answer of the caller's format goes through: the model's name, usage that nobody asked for, and ids that we keep. */
export function rewriterFor(
  { candidate, framing, wrap }: Answer,
  request: OutgoingRequest,
): ResponseRewriter {
  const asksForUsage = !candidate.task || TASK_CODECS[candidate.task.task].streams?.usageOnRequest === true;
  const stripUsage = request.stream && !request.includeUsage && asksForUsage;
  return createResponseRewriter(request.protocol, {
    stream: framing,
    ...(candidate.upstreamModel === request.model ? {} : { model: request.model }),
    ...(stripUsage ? { stripUsage } : {}),
    ...(wrap ? { wrap } : {}),
  });
}

/** All of an answer that came whole. */
export const rewrite = (rewriter: ResponseRewriter, body: Buffer): Buffer =>
  Buffer.concat([rewriter.push(body), rewriter.end()].filter((part) => part !== undefined));
