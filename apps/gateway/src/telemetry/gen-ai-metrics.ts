import type { UsageEvent } from '@tollgate/contracts';
import { createHistogramTally } from '@tollgate/platform';
import { INPUT_TOKEN_KINDS, OUTPUT_TOKEN_KINDS, sumTokens } from '@tollgate/vocabulary';
import type { Registry } from 'prom-client';
import type { AttemptResult } from '../forward/attempt.ts';
import type { Candidate } from '../route/candidates.ts';
import { describeCall } from './gen-ai-call.ts';
import { keep } from './keep.ts';

/** The bounds that OpenTelemetry's conventions for generative AI advise: of seconds, and of tokens. */
const SECONDS = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
const TOKENS = [1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216];

const LABELS = ['gen_ai_operation_name', 'gen_ai_provider_name', 'gen_ai_request_model'] as const;

export interface GenAiMetrics {
  /** A call that an upstream has answered, and what it was billed as. */
  answered(candidate: Candidate, event: UsageEvent): void;
}

/**
 * What the conventions have a client of models tell, in Prometheus' form of their names. Upstreams' names of models are those
 * of the catalogue, so there are only so many.
 */
export function createGenAiMetrics(registry: Registry): GenAiMetrics {
  const duration = createHistogramTally(registry, {
    name: 'gen_ai_client_operation_duration_seconds',
    help: 'Answered calls to upstreams, from the head of the request with all tries to the last byte',
    labelNames: LABELS,
    buckets: SECONDS,
  });
  const usage = createHistogramTally(registry, {
    name: 'gen_ai_client_token_usage',
    help: 'Tokens of an answered call, with all kinds of their side',
    labelNames: [...LABELS, 'gen_ai_token_type'],
    buckets: TOKENS,
  });
  const observersOf = keep((operation, provider, model) => {
    const labels = {
      gen_ai_operation_name: operation,
      gen_ai_provider_name: provider,
      gen_ai_request_model: model,
    };
    return {
      duration: duration.of(labels),
      input: usage.of({ ...labels, gen_ai_token_type: 'input' }),
      output: usage.of({ ...labels, gen_ai_token_type: 'output' }),
    };
  });
  return {
    answered(candidate, event) {
      const { operation, provider, model } = describeCall(candidate);
      const observers = observersOf(operation, provider, model);
      const counts = event.lines[0]?.counts ?? {};
      observers.duration.observe(event.latency_ms / 1_000);
      observers.input.observe(sumTokens(counts, INPUT_TOKEN_KINDS));
      observers.output.observe(sumTokens(counts, OUTPUT_TOKEN_KINDS));
    },
  };
}

/** Knows which of a request's calls was answered, when it is known what that cost. */
export function watchCalls(metrics: GenAiMetrics) {
  let answering: Candidate | undefined;
  return {
    ended(candidate: Candidate, { kind }: AttemptResult): void {
      if (kind === 'stream' || kind === 'answer') answering = candidate;
    },
    recorded(event: UsageEvent): void {
      if (answering) metrics.answered(answering, event);
    },
  };
}
