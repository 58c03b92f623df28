import type { JsonObject } from '../json.ts';
import type { UpstreamAction } from '../protocol.ts';
import type { ReadFrame } from '../stream/frames-to-events.ts';

interface Outgoing {
  /** Names in lower case. */
  readonly headers: Record<string, string>;
  readonly body: Buffer;
}

/** Of an answer; names in lower case. */
export type AnswerHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

interface Target {
  readonly model: string;
  readonly action: UpstreamAction;
}

/** How a cloud carries the format of another vendor. */
export interface Wrapping {
  /** Whether what the cloud lists under this name is a model that the format is spoken with. */
  readonly carries: (model: string) => boolean;
  /** Path below the base address. */
  readonly path: (target: Target) => string;
  /** A request of the vendor's as the cloud takes it, and what of it the cloud does not take. */
  readonly wrap: (request: Outgoing, target: Target) => Outgoing & { readonly dropped: readonly string[] };
  /** A whole answer as the vendor would have given it; undefined where it is that already. */
  readonly unwrap: (json: unknown, status: number, headers?: AnswerHeaders) => JsonObject | undefined;
  /** Tools of the vendor's that the cloud does not run, by their types: a request with one of them is for somebody else. */
  readonly refusedTools: RegExp;
  /** Of streams that are frames; undefined where they are the vendor's own. */
  readonly openFrames: ((headers: AnswerHeaders) => ReadFrame) | undefined;
}
