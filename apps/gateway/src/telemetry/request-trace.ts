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
import { CODECS, TASK_CODECS } from '@tollgate/protocols';
import {
  CACHE_WRITE_TOKEN_KINDS,
  CACHED_TOKEN_KINDS,
  INPUT_TOKEN_KINDS,
  OUTPUT_TOKEN_KINDS,
  type ClientProtocol,
  type OtherOperation,
  type Protocol,
  sumTokens,
  type TokenCounts,
} from '@tollgate/vocabulary';
import type { AttemptResult } from '../forward/attempt.ts';
import type { Candidate } from '../route/candidates.ts';

/** The spans of one request: its own, and one of each attempt below it. */
export interface RequestTrace {
  /** Names the request's span to who goes on with it. */
  readonly traceparent: string;
  received(model: string, stream: boolean): void;
  attempted(candidate: Candidate, result: Promise<AttemptResult>): void;
  recorded(event: UsageEvent): void;
  ended(status: number, outcome: string, error: string | undefined): void;
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
  return {
    traceparent: writeTraceparent(span.spanContext()),
    received(model, stream) {
      span.updateName(`${operation} ${model}`);
      span.setAttributes({ 'gen_ai.request.model': model, 'gen_ai.request.stream': stream });
    },
    attempted: (candidate, result) => traceAttempt(tracer, below, candidate, result),
    recorded(event) {
      span.setAttributes({
        'gen_ai.response.model': event.model,
        'gen_ai.response.time_to_first_chunk': event.first_byte_ms / 1_000,
        'tollgate.group': event.group,
        'tollgate.usage_source': event.usage_source,
        ...usageAttributes(event.lines[0]?.counts ?? {}),
      });
    },
    ended(status, outcome, error) {
      span.setAttributes({ 'http.response.status_code': status, 'tollgate.outcome': outcome });
      if (error !== undefined) fail(span, error);
      else if (outcome === 'upstream_cut') fail(span, outcome);
      span.end();
    },
  };
}

/** In OpenTelemetry's conventions for generative AI. */
function nameOperation(protocol: Protocol, task: OtherOperation | undefined): string {
  if (task === 'realtime') return task;
  return task ? TASK_CODECS[task].telemetry : CODECS[protocol].telemetry.operation;
}

function traceAttempt(
  tracer: Tracer,
  parent: Context,
  { client, credential, protocol, task, upstreamModel }: Candidate,
  result: Promise<AttemptResult>,
): void {
  const { provider } = CODECS[protocol].telemetry;
  const operation = nameOperation(protocol, task?.task);
  const attributes: Attributes = {
    'gen_ai.operation.name': operation,
    'gen_ai.provider.name': provider,
    'gen_ai.request.model': upstreamModel,
    'server.address': new URL(client.upstream.base_url).hostname,
    'tollgate.upstream': client.upstream.name,
    ...(credential.name === null ? {} : { 'tollgate.credential': credential.name }),
  };
  const span = tracer.startSpan(
    `${operation} ${upstreamModel}`,
    { kind: SpanKind.CLIENT, attributes },
    parent,
  );
  void result.then((answer) => {
    if ('status' in answer) span.setAttribute('http.response.status_code', answer.status);
    if (answer.kind === 'aborted') span.setAttribute('tollgate.outcome', 'given_up');
    else if (answer.kind !== 'stream' && answer.kind !== 'answer')
      fail(span, answer.kind === 'status' ? String(answer.status) : answer.kind);
    if (answer.kind === 'stream' && !answer.body.closed) {
      span.addEvent('first byte');
      answer.body.once('close', () => span.end());
    } else span.end();
  });
}

function fail(span: Span, type: string): void {
  span.setAttribute('error.type', type);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

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
