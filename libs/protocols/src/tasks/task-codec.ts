import type { Protocol, TaskFormat, TokenCounts, UnitKind } from '@tollgate/vocabulary';
import type { z } from 'zod';
import type { UpstreamCodec } from '../codec.ts';
import type { JsonObject } from '../json.ts';
import type { ExplicitOutput } from '../output-fields.ts';
import type { RelayError } from '../relay-error.ts';
import type { ResponseRewriter } from '../rewriter.ts';

/** What is read of answers to meter them, and to tell a failure from one. */
export type AnswerRules = Pick<
  UpstreamCodec,
  'usage' | 'extras' | 'findFailure' | 'isPreamble' | 'isFinal' | 'emittedText' | 'streamsJsonArrays'
> &
  Partial<Pick<UpstreamCodec, 'finishReasons'>>;

/** One of the things that a request has its model read at once, such as a text to embed. */
interface TaskInput {
  readonly texts: readonly string[];
  /** As many as the request gives as tokens already. */
  readonly tokens?: number;
  /** What its pictures and sounds count, and the most that they can count where that is more. */
  readonly media?: number;
  readonly maxMedia?: number;
}

/** How clients ask in one of the formats. */
export interface TaskClient {
  /** Unknown fields pass. */
  readonly schema: z.ZodType<JsonObject>;
  /** Requests may, or must, come as `multipart/form-data`. The schema and all else see its fields as JSON, and what files are in place of their bytes. */
  readonly form?: 'allowed' | 'required';
  /** Sound goes in or comes back: tokens of it may be billed. */
  readonly sounds?: true;
  /** Otherwise the path names it. */
  readonly modelInBody: boolean;
  /** Where the request may leave it out. */
  readonly defaultModel?: string;
  readonly readInputs: (body: JsonObject) => readonly TaskInput[];
  /** What is billed beside tokens: as we count it, where the upstream does not, and the most that it can be. */
  readonly readUnits?: (body: JsonObject) => Readonly<Partial<Record<UnitKind, TaskUnits>>>;
  /** Pictures may come back: tokens of them may be billed. */
  readonly draws?: true;
  /** What an answer has usually, where it does not say what it has. */
  readonly readWritten?: (body: JsonObject) => TokenCounts;
  /** Whether a stream of events is asked for, where another field than `stream` says it. */
  readonly streams?: (body: JsonObject) => boolean;
  /** How much may be written; nothing where it is left out. */
  readonly output?: (body: JsonObject) => ReadOutput;
}

type ReadOutput =
  | { readonly ok: true; readonly output: ExplicitOutput }
  | {
      readonly ok: false;
      readonly fault: { readonly path: readonly PropertyKey[]; readonly message: string };
    };

interface TaskUnits {
  readonly counted: number;
  readonly max: number;
}

/** How upstreams are asked in one of the formats. */
export interface TaskUpstream {
  /** Below the base address. */
  readonly path: (model: string) => string;
  readonly rules: AnswerRules;
  /** Its answers may hold megabytes: they pass as they come where the caller's format is the same. */
  readonly isLarge?: true;
  /** It answers with bytes that are no JSON, such as sound: they pass as they come. `unwrap` takes them out of events. */
  readonly bytes?: { readonly unwrap: () => ResponseRewriter };
}

/** A request as it came, and whom it is for. */
export interface TaskConversion {
  readonly from: TaskFormat;
  readonly to: TaskFormat;
  readonly bytes: Buffer;
  readonly body: JsonObject;
  /** The name of the model that answers for the caller, that which the body names, and that of the upstream. */
  readonly model: string;
  readonly namedModel: string;
  readonly upstreamModel: string;
  /** What the model has a price for beside tokens. */
  readonly pricedUnits?: readonly UnitKind[];
  /** Inputs of one call at most, as the catalogue says. */
  readonly maxInputs: number | undefined;
  /** The caller wants 400 where something would be left out. */
  readonly strict: boolean;
}

/** What becomes of the answers to all calls: another body, or the bytes of the only one as they are. */
export type TaskAnswer =
  | { readonly body: JsonObject }
  | { readonly text: string }
  | 'as it is'
  | 'unreadable';

export type ConvertedTask =
  | {
      readonly ok: true;
      /** One for each call, in their order. */
      readonly bodies: readonly Buffer[];
      /** In place of its body, what changes of a request that came as a form: new texts of fields, undefined for those that are left out. */
      readonly form?: Readonly<Record<string, string | undefined>>;
      /** The upstream is asked for events; the client gets the bytes in them, which are of this type. */
      readonly bytesType?: string;
      readonly dropped: readonly string[];
      /** @param tokens as they were metered, for answers that must say it. */
      readonly toAnswer: (answers: readonly unknown[], tokens: number) => TaskAnswer;
    }
  | { readonly ok: false; readonly error: RelayError };

/** Of tasks that are answered as streams too. */
export interface TaskStreams {
  /** They report their usage only where `stream_options.include_usage` asks for it, as those of Chat do. */
  readonly usageOnRequest: boolean;
  /** The events of an answer that came whole, for a client that wants a stream. */
  readonly replay: (
    answer: JsonObject,
    of: { readonly includeUsage: boolean },
  ) => readonly { readonly name?: string; readonly data: JsonObject | '[DONE]' }[];
}

/** Everything that differs between tasks, as pure functions; one folder for each, listed in the registry. */
export interface TaskCodec {
  /** The operation in OpenTelemetry's conventions for generative AI. */
  readonly telemetry: string;
  /** Another model may answer in place of the one that is asked for. */
  readonly mayFallBack: boolean;
  /** The formats in which those take it who speak a format of conversations, best first. */
  readonly spokenBy: Readonly<Partial<Record<Protocol, readonly TaskFormat[]>>>;
  /** The format of a model that is told by its name at the upstream, where one vendor has several. */
  readonly formatOf?: (upstreamModel: string) => TaskFormat | undefined;
  readonly clients: Readonly<Partial<Record<TaskFormat, TaskClient>>>;
  readonly upstreams: Readonly<Partial<Record<TaskFormat, TaskUpstream>>>;
  readonly convert: (request: TaskConversion) => ConvertedTask;
  readonly streams?: TaskStreams;
  /** What clients of a format read of an error beside the envelope of the protocol. */
  readonly errorMembers?: (error: RelayError, requestId: string) => JsonObject;
}
