import {
  type Attributes,
  type Context,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api';
import type { UsageEvent } from '@tollgate/contracts';
import { readTraceparent, under, writeTraceparent } from '@tollgate/platform';
import {
  CACHE_WRITE_TOKEN_KINDS,
  CACHED_TOKEN_KINDS,
  INPUT_TOKEN_KINDS,
  OUTPUT_TOKEN_KINDS,
  type ClientProtocol,
  type OtherOperation,
  sumTokens,
  type TokenCounts,
} from '@tollgate/vocabulary';
import type { AttemptResult } from '../forward/attempt.ts';
import type { Candidate } from '../route/candidates.ts';
import { describeCall, nameOperation } from './gen-ai-call.ts';

/** The spans of one request: its own, and one of each attempt below it. */
export interface RequestTrace {
  /** Names the request's span to who goes on with it. */
  readonly traceparent: string;
  received(model: string, stream: boolean): void;
  attempted(candidate: Candidate, result: Promise<AttemptResult>): void;
  recorded(event: UsageEvent, finishReasons?: readonly string[]): void;
  ended(status: number, outcome: string, error: string | undefined): void;
}

/** The call whose answer is passed on. */
interface Answering {
  readonly span: Span;
  /** Milliseconds since 1970; once its last byte has come. */
  endedAt?: number;
}

/** Begins the span of a request under what its caller names; undefined where it is not one of the sample. */
export function traceRequest(
  tracer: Tracer,
  request: {
    readonly id: string;
    readonly protocol: ClientProtocol;
    readonly task: OtherOperation | undefined;
    readonly traceparent: unknown;
  },
): RequestTrace | undefined {
  const { id, protocol, task } = request;
  const operation = nameOperation(protocol, task);
  const parent = under(readTraceparent(request.traceparent));
  const attributes = {
    'gen_ai.operation.name': operation,
    'http.request.method': 'POST',
    'tollgate.request_id': id,
    'tollgate.protocol': protocol,
  };
  const span = tracer.startSpan(operation, { kind: SpanKind.SERVER, attributes }, parent);
  if (!span.isRecording()) return undefined;
  const below = trace.setSpan(parent, span);
  let answering: Answering | undefined;
  let isOver = false;
  return {
    traceparent: writeTraceparent(span.spanContext()),
    received(model, stream) {
      span.updateName(`${operation} ${model}`);
      span.setAttributes({ 'gen_ai.request.model': model, 'gen_ai.request.stream': stream });
    },
    attempted(candidate, result) {
      const call = startCall(tracer, below, candidate);
      void result.then((answer) => {
        describeResult(call, answer);
        if (answer.kind !== 'stream' && answer.kind !== 'answer') return call.end();
        const answered: Answering = { span: call };
        // The usage that it brought is known after its last byte.
        const close = () => {
          if (isOver) call.end();
          else answered.endedAt = Date.now();
        };
        answering = answered;
        if (answer.kind === 'stream' && !answer.body.closed) {
          call.addEvent('first byte');
          answer.body.once('close', close);
        } else close();
      });
    },
    recorded(event, finishReasons = []) {
      span.setAttributes({
        'gen_ai.response.model': event.model,
        'tollgate.group': event.group,
        'tollgate.usage_source': event.usage_source,
      });
      // Tokens are on the span of the call alone: who sums them up over spans would count them twice.
      answering?.span.setAttributes(answerAttributes(event, finishReasons));
    },
    ended(status, outcome, error) {
      isOver = true;
      if (answering?.endedAt !== undefined) answering.span.end(answering.endedAt);
      span.setAttributes({ 'http.response.status_code': status, 'tollgate.outcome': outcome });
      if (error !== undefined) fail(span, error);
      else if (outcome === 'upstream_cut') fail(span, outcome);
      span.end();
    },
  };
}

function startCall(tracer: Tracer, parent: Context, candidate: Candidate): Span {
  const { client, credential } = candidate;
  const { operation, provider, model } = describeCall(candidate);
  const { hostname, port, protocol } = new URL(client.upstream.base_url);
  const attributes: Attributes = {
    'gen_ai.operation.name': operation,
    'gen_ai.provider.name': provider,
    'gen_ai.request.model': model,
    'server.address': hostname,
    'server.port': Number(port || (protocol === 'http:' ? 80 : 443)),
    'tollgate.upstream': client.upstream.name,
    ...(credential.name === null ? {} : { 'tollgate.credential': credential.name }),
  };
  return tracer.startSpan(`${operation} ${model}`, { kind: SpanKind.CLIENT, attributes }, parent);
}

function describeResult(span: Span, answer: AttemptResult): void {
  if ('status' in answer) span.setAttribute('http.response.status_code', answer.status);
  if (answer.kind === 'aborted') span.setAttribute('tollgate.outcome', 'given_up');
  else if (answer.kind !== 'stream' && answer.kind !== 'answer')
    fail(span, answer.kind === 'status' ? String(answer.status) : answer.kind);
}

function fail(span: Span, type: string): void {
  span.setAttribute('error.type', type);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

const answerAttributes = (event: UsageEvent, finishReasons: readonly string[]): Attributes => ({
  'gen_ai.response.model': event.upstream_model,
  'gen_ai.response.time_to_first_chunk': event.first_byte_ms / 1_000,
  ...(finishReasons.length > 0 ? { 'gen_ai.response.finish_reasons': [...finishReasons] } : {}),
  ...usageAttributes(event.lines[0]?.counts ?? {}),
});

/** Our kinds of token do not overlap; the totals of the conventions hold all kinds of their side. */
function usageAttributes(tokens: TokenCounts): Attributes {
  return {
    'gen_ai.usage.input_tokens': sumTokens(tokens, INPUT_TOKEN_KINDS),
    'gen_ai.usage.cache_read.input_tokens': sumTokens(tokens, CACHED_TOKEN_KINDS),
    'gen_ai.usage.cache_creation.input_tokens': sumTokens(tokens, CACHE_WRITE_TOKEN_KINDS),
    'gen_ai.usage.output_tokens': sumTokens(tokens, OUTPUT_TOKEN_KINDS),
    'gen_ai.usage.reasoning.output_tokens': sumTokens(tokens, ['output_reasoning']),
  };
}
