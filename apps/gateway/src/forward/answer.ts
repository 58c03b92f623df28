import type { Readable } from 'node:stream';
import type { AnswerPlan, StreamFraming, WrapAnswer } from '@tollgate/protocols';
import type { Counts } from '@tollgate/vocabulary';
import type { Candidate } from '../route/candidates.ts';
import type { UpstreamHeaders } from './exchange.ts';
import type { OutgoingRequest, ToAnswer } from './outgoing-request.ts';

export interface Answered {
  readonly candidate: Candidate;
  /** As it was made for this candidate's model. */
  readonly request: OutgoingRequest;
  readonly status: number;
  /** Ends it against the limits of its upstream, with what it used; null where it used nothing. Must be called. */
  readonly settle: (used: Readonly<Counts> | null) => void;
  /** From the beginning of the attempt to its first byte, or to all of an answer that comes whole. */
  readonly waitedMs: number;
  readonly headers: UpstreamHeaders;
  /** How the upstream cut its answer. */
  readonly framing: StreamFraming;
  /** Undefined where the answer is passed on as it is. */
  readonly plan: AnswerPlan | undefined;
  /** Events that came are for the caller as the bytes in them, which are of this type. */
  readonly bytesType?: string | undefined;
  /** Makes the answer to a task of those to its calls. */
  readonly toAnswer?: ToAnswer | undefined;
  readonly dropped: readonly string[];
  readonly emulated: readonly string[];
  readonly wrap: WrapAnswer | undefined;
}

export type Answer =
  /** Bytes are there and none of them is lost. */
  | (Answered & {
      readonly kind: 'stream';
      readonly body: Readable;
      /** The event that announces a job; undefined of every other answer. */
      readonly announced: unknown;
      /** The stream ended before its answer did, and nobody here ended it: that counts against the upstream. */
      readonly broke: () => void;
    })
  /** The whole answer, and what it says; `framing` tells when it is a stream that was read to its end, and not parsed. `further` are those to the calls behind the first. */
  | (Answered & {
      readonly kind: 'answer';
      readonly body: Buffer;
      readonly json: unknown;
      readonly further?: readonly unknown[];
    });
