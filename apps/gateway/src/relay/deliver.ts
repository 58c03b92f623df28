import { type RequestSummary, upstreamErrorMessage } from '@tollgate/protocols';
import type { Answer as UpstreamAnswer } from '../forward/answer.ts';
import { conversionHeaders } from '../forward/headers.ts';
import { textWithoutSecrets } from '../forward/secrets.ts';
import type { KeptAnswer } from '../idempotency/entry.ts';
import type { Execution } from '../idempotency/idempotency.ts';
import { rememberReasoning } from '../reasoning/recall-reasoning.ts';
import { estimateUse, type RequestAdmission } from './admit-request.ts';
import { keepAnswer } from './begin-execution.ts';
import { sendCounted } from './count.ts';
import type { Departure, ResumableDeparture } from './departures.ts';
import { beginStream } from './early-stream.ts';
import type { UsageRecorder } from './record-usage.ts';
import type { Refusal } from './refuse.ts';
import type { RelayDependencies, RelayRequest } from './relay-request.ts';
import { sendUpstreamAnswer, type StreamResult } from './send-upstream-answer.ts';
import { readsErrorsInStreams } from './shape-answer.ts';

type Delivered = { readonly ok: true } | ({ readonly ok: false } & Refusal);

/** What an upstream says of its refusal. */
function findWords(upstream: UpstreamAnswer): string | undefined {
  if (upstream.kind === 'stream') return undefined;
  const { protocol, credential } = upstream.candidate;
  const words = upstreamErrorMessage(protocol, upstream.body);
  return words === undefined ? undefined : textWithoutSecrets(words, credential);
}

/** Brings an answer to the caller, meters it on its way, and publishes what it used before its last bytes leave. */
export async function deliver(
  deps: RelayDependencies,
  request: RelayRequest,
  upstream: UpstreamAnswer,
  of: {
    readonly summary: RequestSummary;
    readonly admission: RequestAdmission;
    readonly execution: Execution;
    readonly departure: Departure | ResumableDeparture;
    readonly usage: UsageRecorder;
  },
): Promise<Delivered> {
  const { summary, admission, execution, departure, usage } = of;
  const { candidate, status, request: outgoing } = upstream;
  const { model } = outgoing;
  const headers: Record<string, string> = { ...admission.headers, ...execution.headers };
  if (upstream.dropped.length > 0 || upstream.emulated.length > 0)
    Object.assign(headers, conversionHeaders(upstream));
  if (model !== summary.model) headers['x-tollgate-fallback'] = model;
  if (status >= 300) request.watch.refusedUpstream(status, findWords(upstream));
  if (request.action === 'count') {
    await sendCounted(request, upstream, headers);
    return { ok: true };
  }
  const begunAt = performance.now() - upstream.waitedMs;
  const ranMs = () => performance.now() - begunAt;
  const isBilled = status < 300;

  function record(result: StreamResult): Promise<unknown> | undefined {
    if (upstream.kind === 'stream' && result.read === 'cut') upstream.broke();
    if (!isBilled) return undefined;
    const answeredBy = { model, candidate, status, ranMs: ranMs() };
    const recorded = usage.recordAnswer(answeredBy, result, upstream.settle);
    rememberReasoning(deps.statePlaces, outgoing, candidate);
    return outgoing.keeping ? Promise.all([recorded, outgoing.keeping.store()]) : recorded;
  }

  const sent = await sendUpstreamAnswer(request, upstream, outgoing, {
    estimate: estimateUse(admission, model),
    headers,
    keepAliveMs: deps.limits.keepAliveMs,
    eventLimitBytes: deps.limits.eventLimitBytes,
    keptLimitBytes: deps.limits.answerLimitBytes,
    departure,
    record,
    keep:
      execution.keepsAnswer && isBilled
        ? (answer: KeptAnswer) => keepAnswer(execution, answer, admission.headers)
        : undefined,
  });
  if (sent.ok) return sent;
  if (isBilled) {
    const lostMs = ranMs();
    usage.recordLost({
      candidate,
      model,
      cause: 'garbage',
      ranMs: lostMs,
      beganAt: Math.round(Date.now() - lostMs),
    });
  }
  const { error } = sent;
  if (error.kind === 'context_too_long' && readsErrorsInStreams(outgoing) && !request.response.destroyed)
    beginStream(request.response, request, headers);
  return { ok: false, error, headers };
}
