import type { IncomingHttpHeaders } from 'node:http';
import type {
  AnswerPlan,
  RelayError,
  StateWrapper,
  StoredIds,
  StoredState,
  StreamFraming,
  TaskAnswer,
  TaskForm,
  UpstreamAction,
  WrapAnswer,
} from '@tollgate/protocols';
import type { ClientProtocol, UnitKind } from '@tollgate/vocabulary';
import type { Payload } from '../body/payload.ts';
import type { UploadBody } from '../upload/upload.ts';
import type { AbortNotice } from './abort-notice.ts';
import type { ResponseKeeping } from '../kept-responses/keep-response.ts';
import type { Reasoning } from '../reasoning/recall-reasoning.ts';

export interface OutgoingRequest {
  readonly protocol: ClientProtocol;
  /** The operation of the protocol, such as `generate`, `stream` or `count`. */
  readonly action: UpstreamAction;
  /** In place of a conversation. */
  readonly task?: TaskForm | undefined;
  readonly headers: IncomingHttpHeaders;
  /** Further names of headers that pass to upstreams, in lower case. */
  readonly passHeaders: ReadonlySet<string>;
  /** The deployments that the request has come through, with this one. */
  readonly hops: string;
  /** The caller's query without the key. */
  readonly query: string;
  readonly payload: Payload;
  /** The model that answers: the one that the body names, or one of its fallbacks. */
  readonly model: string;
  /** The model that the body names. */
  readonly namedModel: string;
  readonly stream: boolean;
  /** Its answer may go on after it: nobody is asked beside another, as both would go on. */
  readonly background: boolean;
  /** How the caller wants a stream cut. */
  readonly framing: StreamFraming;
  /** The caller asked for usage in a Chat stream; the upstream is asked in any case. */
  readonly includeUsage: boolean;
  /** Of tokens in one answer, as the caller states it. */
  readonly outputLimit: number | null;
  /** For upstreams that require a limit of output tokens. */
  readonly defaultMaxTokens: number;
  readonly strict: boolean;
  /** What the model has a price for beside tokens. */
  readonly pricedUnits?: readonly UnitKind[];
  readonly states: StateWrapper;
  readonly storedIds: StoredIds;
  readonly accountId: string;
  /** What the request names of what vendors keep, once it is read. */
  readonly stored?: StoredState | undefined;
  /** What is known of the reasoning that it brings back. */
  readonly reasoning?: Reasoning | undefined;
  /** An upstream has refused the reasoning that it brings back: it goes without. */
  readonly withoutReasoning?: boolean;
  /** Where a converted answer is kept for a Responses client. */
  readonly keeping?: ResponseKeeping | undefined;
  /** Paths of what was left out already: it has no price for this model, or is not kept any more. */
  readonly dropped?: readonly string[] | undefined;
  /** Aborts when the caller is gone: from then on nobody else is asked. */
  readonly gone: AbortNotice;
  /** Aborts when the answer is not wanted any longer, which may be a while after the caller has gone. */
  readonly signal: AbortNotice;
}

/** @param tokens that were metered, for answers that say it. */
export type ToAnswer = (answers: readonly unknown[], tokens: number) => TaskAnswer;

export type Prepared =
  | {
      readonly ok: true;
      /** Path and query. */
      readonly path: string;
      /** Without what proves who asks. */
      readonly headers: Record<string, string>;
      readonly body: Buffer;
      /** In place of the body, where the request came as a form. */
      readonly form?: UploadBody | undefined;
      /** Of calls that follow, where one does not take all of a task. */
      readonly further: readonly Buffer[];
      /** The answer is asked for in events; the caller gets the bytes in them, which are of this type. */
      readonly bytesType?: string | undefined;
      /** How the answer is converted; undefined where both sides speak the same protocol. */
      readonly plan: AnswerPlan | undefined;
      /** Makes the answer to a task of those to its calls. */
      readonly toAnswer?: ToAnswer | undefined;
      readonly dropped: readonly string[];
      readonly emulated: readonly string[];
      /** Where the answer may name what the upstream keeps. */
      readonly wrap: WrapAnswer | undefined;
    }
  | { readonly ok: false; readonly error: RelayError };

export type Sendable = Extract<Prepared, { ok: true }>;
