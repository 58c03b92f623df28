import { randomUUID } from 'node:crypto';
import type { ClientProtocol, Protocol } from '@tollgate/vocabulary';
import { isObject, type JsonObject } from '../json.ts';
import type { FieldRules } from '../neutral/features.ts';
import type { NeutralRequest } from '../neutral/request.ts';
import type { StreamFraming, UpstreamAction } from '../protocol.ts';
import type { RelayError } from '../relay-error.ts';
import { adaptRequest, withoutRefused } from '../dialects/adapt-request.ts';
import type { Dialect } from '../dialects/dialect.ts';
import type { AnswerKeeping, EncodeAnswerContext } from './conversion.ts';
import { createNotes, type Notes, Refusal } from '../neutral/notes.ts';
import type { StateWrapper } from './reasoning-state.ts';
import { CODECS } from '../registry.ts';
import { withMediaOfUsers } from './media-of-users.ts';
import { createToolNames, type ToolNames } from './tool-names.ts';

export interface ConversionRequest {
  readonly from: ClientProtocol;
  readonly to: Protocol;
  readonly body: JsonObject;
  /** Count the tokens of the request only; the upstream's format must have an endpoint for it. */
  readonly count?: boolean;
  /** The client wants a stream. */
  readonly stream: boolean;
  /** How a Gemini client wants its stream cut. */
  readonly framing: StreamFraming;
  readonly includeUsage: boolean;
  /** The model's name for the client, and at the upstream. */
  readonly model: string;
  readonly upstreamModel: string;
  /** What the model takes at the upstream. */
  readonly dialect: Dialect;
  /** For upstreams that require a limit of output tokens and clients that state none. */
  readonly defaultMaxTokens: number;
  readonly states: StateWrapper;
  /** The key wants 400 where a field would be left out. */
  readonly strict: boolean;
  /** Where the answer is kept for a Responses client. */
  readonly keeping?: AnswerKeeping | undefined;
}

/** What the answer to a converted request must know of it. */
export interface AnswerPlan {
  readonly from: ClientProtocol;
  readonly to: Protocol;
  readonly names: ToolNames;
  readonly answer: EncodeAnswerContext;
}

export type ConvertedRequest =
  | {
      readonly ok: true;
      readonly body: Buffer;
      readonly action: UpstreamAction;
      /** Fields that were left out, and that are done in another way. */
      readonly dropped: readonly string[];
      readonly emulated: readonly string[];
      readonly plan: AnswerPlan;
    }
  | { readonly ok: false; readonly error: RelayError };

/** A request of one wire format as a request of another, or the 400 that says which field cannot be carried. */
export function convertRequest(request: ConversionRequest): ConvertedRequest {
  const client = CODECS[request.from].conversion;
  const codec = CODECS[request.to];
  const upstream = codec.conversion;
  const notes = createNotes(upstream.support, request.model, request.strict);
  try {
    noteFields(request.body, client.fields, notes);
    const decoded = client.decodeRequest(request.body, {
      states: request.states,
      notes,
      stream: request.stream,
    });
    const neutral = adaptRequest(
      withTurn(withMediaOfUsers(decoded, upstream.support, notes), notes),
      request.dialect,
      notes,
    );
    if (request.stream && (neutral.sampling.n ?? 1) > 1)
      notes.refuse(notes.fieldOf('n'), 'several answers at once cannot be streamed.');
    const names = createToolNames(neutral.tools, upstream.toolNames);
    const context = {
      model: request.upstreamModel,
      dialect: request.dialect,
      names,
      notes,
      defaultMaxTokens: request.defaultMaxTokens,
    };
    const encoded = withoutRefused(upstream.encodeRequest(neutral, context), request.dialect, notes);
    return {
      ok: true,
      body: Buffer.from(JSON.stringify(request.count ? (codec.countRequest?.(encoded) ?? encoded) : encoded)),
      action: request.count ? 'count' : request.stream ? codec.streamRequest.action : 'generate',
      dropped: [...notes.dropped],
      emulated: [...notes.emulated],
      plan: { from: request.from, to: request.to, names, answer: answerContext(request) },
    };
  } catch (error) {
    if (error instanceof Refusal) return { ok: false, error: error.error };
    throw error;
  }
}

export const answerContext = (
  request: Pick<ConversionRequest, 'model' | 'states' | 'framing' | 'includeUsage' | 'keeping'>,
): EncodeAnswerContext => ({
  model: request.model,
  states: request.states,
  created: Math.floor(Date.now() / 1_000),
  fallbackId: randomUUID().replaceAll('-', ''),
  framing: request.framing,
  includeUsage: request.includeUsage,
  ...(request.keeping ? { keeping: request.keeping } : {}),
});

/** OpenAI answers a system message alone; for the others somebody must have said something. */
function withTurn(request: NeutralRequest, notes: Notes): NeutralRequest {
  if (request.turns.length > 0 || request.system.length === 0) return request;
  notes.emulate('system');
  const parts = request.system.map((text) => ({ kind: 'text' as const, text }));
  return { ...request, system: [], turns: [{ role: 'user', parts }] };
}

/** Looks at every field of a request and notes what of it the upstream cannot take. */
function noteFields(body: JsonObject, rules: FieldRules, notes: Notes, prefix = ''): void {
  for (const [key, value] of Object.entries(body)) {
    if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) continue;
    const path = `${prefix}${key}`;
    const rule = Object.hasOwn(rules, path) ? rules[path] : undefined;
    if (rule === undefined) notes.ask('vendor_hint', path);
    else if (rule !== null && !(rule.unless ?? []).includes(value)) notes.ask(rule.feature, path);
    if (rule === null && isObject(value) && hasInner(rules, path))
      noteFields(value, rules, notes, `${path}.`);
  }
}

const hasInner = (rules: FieldRules, path: string): boolean =>
  Object.keys(rules).some((rule) => rule.startsWith(`${path}.`));
