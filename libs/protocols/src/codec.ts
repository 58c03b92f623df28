import type { Protocol, TokenCounts } from '@tollgate/vocabulary';
import type { z } from 'zod';
import type { ExtrasRules } from './billed-extras.ts';
import type { Conversion, UpstreamConversion } from './convert/conversion.ts';
import type { CostRules } from './costs/costs.ts';
import type { FormatDialects } from './dialects/dialect.ts';
import type { Failure } from './failure.ts';
import type { Respelled } from './gemini/spelling.ts';
import type { JsonObject } from './json.ts';
import type { Edit } from './json-spans.ts';
import type { ModelList } from './model-list.ts';
import type { OutputField, ExplicitOutput } from './output-fields.ts';
import type { WriteRateLimit } from './rate-limit-headers.ts';
import type { StateRules } from './reasoning/state-rules.ts';
import type { RelayError } from './relay-error.ts';
import type { ReadFrame } from './stream/frames-to-events.ts';
import type { StoredRules } from './stored/stored.ts';
import type { StreamFraming, TaskForm, UpstreamAction } from './protocol.ts';

/** What the relay must know of a request; the rest passes as it came. */
export interface RequestSummary {
  readonly model: string;
  readonly stream: boolean;
  readonly output: ExplicitOutput;
  /** The client of a Chat stream asked for the usage chunk. */
  readonly includeUsage: boolean;
}

export interface RequestContext {
  readonly pathModel: string | undefined;
  readonly action: UpstreamAction;
}

/** Usage as an upstream reported it, in its own words. */
export type RawUsage = JsonObject;

interface UsageReport {
  readonly usage: RawUsage;
  /** Nothing follows that would change it. */
  readonly final: boolean;
  /** Output counts rise with every report, so that the last one of a cut stream is right up to there. */
  readonly cumulative: boolean;
}

/** Where answers report their usage, and what it says. */
export interface UsageRules {
  readonly findInBody: (body: unknown) => RawUsage | undefined;
  /** The usage after this event, given the usage before it: reports replace each other, they are never summed. */
  readonly findInEvent: (event: unknown, before: RawUsage | undefined) => UsageReport | undefined;
  readonly toTokens: (usage: RawUsage) => TokenCounts;
}

/** What the path of a request names. */
export interface PathTarget {
  readonly model: string;
  readonly action: UpstreamAction;
  /** In place of a conversation. */
  readonly task?: TaskForm;
}

/** For streams that report their usage only where the request asks for it. */
export interface UsageOnRequest {
  /** What of a request's bytes is changed to ask for it. */
  readonly ask: (body: Buffer) => Edit[];
  /** The text of an event without it; the same text where it has none, undefined where it says nothing else. */
  readonly strip: (json: string) => string | undefined;
  /** Stands in each event that `strip` changes. */
  readonly mark: Buffer;
}

/** A caller's headers; names in lower case. */
type ClientHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A client's stream that broke. */
export interface BrokenStream {
  readonly framing: StreamFraming;
  /** The last event that passed; undefined before the first. */
  readonly last: unknown;
  /** Something was sent already. */
  readonly begun: boolean;
}

/** A request to a path that several formats share. */
interface SharedRequest {
  readonly path: string;
  readonly headers: ClientHeaders;
  /** The key that the query holds. */
  readonly queryKey: string | undefined;
}

/** What of a wire format its upstreams speak, as pure functions; one per folder, listed in the registry. */
export interface UpstreamCodec {
  /** As people call it. */
  readonly title: string;
  /** Its half of every conversion, as an upstream. */
  readonly conversion: UpstreamConversion;
  /** What its models take, by their names. */
  readonly dialects: FormatDialects;
  /** Every field that drives how much comes back. */
  readonly outputFields: readonly OutputField[];
  /** Brings fields that upstreams read in two spellings to one; undefined where the format has none. */
  readonly respell: ((body: JsonObject) => Respelled) | undefined;
  /** The model's name is in the body, at the top level, and not in the path. */
  readonly modelInBody: boolean;
  /** An error in the envelope that the clients read; it also stands inside streams. */
  readonly errorBody: (error: RelayError, requestId: string | undefined) => JsonObject;
  /** Names of the vendor and of the operation in OpenTelemetry's conventions for generative AI. */
  readonly telemetry: { readonly provider: string; readonly operation: string };
  /** Path and query below the upstream's base address. */
  readonly upstreamPath: (target: { model: string; action: UpstreamAction }) => string;
  /** Where clients send their key: the name in lower case, and what stands before the key. */
  readonly keyHeader: { readonly name: string; readonly prefix: string };
  /** How a stream is asked for where the client asked in another format: by another path, or in the body alone. */
  readonly streamRequest: { readonly action: UpstreamAction; readonly query: string };
  /** An upstream may send a stream as one JSON array, whose elements are the events. */
  readonly streamsJsonArrays: boolean;
  /** Of upstreams whose streams are binary frames; undefined where they are text. */
  readonly readFrame: ReadFrame | undefined;
  /** Where an upstream lists its models; undefined where it does so at another host. */
  readonly modelListPath: string | undefined;
  /**
   * A tiny request, for tests of an upstream; with a limit of output tokens only where every model of the format takes the
   * same one.
   */
  readonly testRequest: (model: string, words: string) => JsonObject;
  /** Headers that an upstream wants and a client may have left out. */
  readonly defaultHeaders: Readonly<Record<string, string>>;
  readonly usage: UsageRules;
  /** What of its answers is billed beside the tokens of their model. */
  readonly extras: ExtrasRules;
  /** What an event, or a whole answer, says went wrong, where it says that in place of (the rest of) an answer. */
  readonly findFailure: (eventOrBody: unknown) => Failure | undefined;
  /** This event says nothing of the answer yet, but that one begins. */
  readonly isPreamble: (event: unknown) => boolean;
  /** This event tells why the answer ended: a stream without one was cut. An error is no end of an answer. */
  readonly isFinal: (event: unknown) => boolean;
  /** Why the model ended, in the format's words, as a final event or a whole answer says it. */
  readonly finishReasons: (eventOrBody: unknown) => readonly string[];
  /** Text, reasoning and tool arguments that this event or body carried: what an estimate counts. */
  readonly emittedText: (eventOrBody: unknown) => string;
  /** The number in an answer of the counting endpoint; undefined where the format has no such endpoint. */
  readonly countedTokens: ((body: unknown) => number | undefined) | undefined;
  /** A request without what the counting endpoint does not take. */
  readonly countRequest: ((body: JsonObject) => JsonObject) | undefined;
}

/** Everything that differs between wire formats that clients speak. */
export interface Codec extends UpstreamCodec {
  /** Both halves of every conversion. */
  readonly conversion: Conversion;
  /** Formats that carry the most of what it says, best first; those that are not named come after them. */
  readonly nearest: readonly Protocol[];
  /** Fields of the relay's interface; unknown fields are allowed everywhere. */
  readonly requestSchema: (context: RequestContext) => z.ZodType<JsonObject>;
  /** Whether the schema takes a request for certain, found in less time than it takes. */
  readonly isPlainRequest: (body: JsonObject, context: RequestContext) => boolean;
  /** What of a request costs more than its tokens. */
  readonly costs: CostRules;
  /** What of it, and of its answer, names things that stay at the vendor. */
  readonly stored: StoredRules;
  /** Where reasoning keeps its state. */
  readonly states: StateRules;
  readonly readRequest: (body: JsonObject, context: RequestContext) => Omit<RequestSummary, 'output'>;
  /** Reads the model and the action out of a path; undefined where the body names the model. */
  readonly parsePath: ((path: string) => PathTarget | null) | undefined;
  /** How a client wants its stream cut, by the query of its request. */
  readonly clientFraming: (query: string) => StreamFraming;
  /** Undefined where every stream reports its usage. */
  readonly usageOnRequest: UsageOnRequest | undefined;
  /** Whether an upstream's refusal bears the sign by which agents know that the context is too short. */
  readonly saysContextTooLong: (body: string) => boolean;
  /** Whether this client shortens a conversation only where a stream, and no status, says that the context is too short. */
  readonly readsErrorsInStreams: (headers: ClientHeaders) => boolean;
  /** Whether its sender speaks this format and no other. Those whose requests bear no sign are taken for OpenAI's. */
  readonly isOwnClient: (request: SharedRequest) => boolean;
  readonly modelList: ModelList;
  readonly writeRateLimit: WriteRateLimit;
  /** What tells a client that its stream broke, in the form that the official SDK raises as an error. */
  readonly streamError: (error: RelayError, stream: BrokenStream) => string;
  /** What may be sent between two events. */
  readonly keepAlive: Buffer;
  /** The official SDKs parse the data of every event that has a name, also where it has none. */
  readonly namedEventsNeedData: boolean;
  /** Clients name earlier answers, which are kept for them. */
  readonly namesAnswers: boolean;
  /**
   * Of a caller's headers an upstream of the same format sees these: versions, betas, what names the program and its
   * session. Names are in lower case.
   */
  readonly callerHeaders: { readonly names: ReadonlySet<string>; readonly prefixes: readonly string[] };
  /**
   * What of a caller's query an upstream of the same format sees, as `name=value`. Whatever else stands there may be a
   * credential, ask for answers that cannot be read here, or have usage left out of them: Google reads `access_token`, `alt`
   * and `fields` on every route.
   */
  readonly callerQuery: ReadonlySet<string>;
  /** Where answers name the model: paths of one or two keys. */
  readonly modelPaths: readonly (readonly string[])[];
  /** Text of a request that an estimate counts; inline data is not text. */
  readonly requestText: (body: JsonObject) => readonly string[];
  /** The answer of the counting endpoint. */
  readonly countTokensBody: (tokens: number) => object | undefined;
}
