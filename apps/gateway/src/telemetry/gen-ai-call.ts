import { CODECS, TASK_CODECS } from '@tollgate/protocols';
import type { OtherOperation, Protocol } from '@tollgate/vocabulary';
import type { Candidate } from '../route/candidates.ts';

/** How OpenTelemetry's conventions for generative AI name what is asked for. */
export function nameOperation(protocol: Protocol, task: OtherOperation | undefined): string {
  if (task === 'realtime') return task;
  return task ? TASK_CODECS[task].telemetry : CODECS[protocol].telemetry.operation;
}

/** A call to an upstream in the words of the conventions. */
export const describeCall = ({ protocol, task, upstreamModel }: Candidate) => ({
  operation: nameOperation(protocol, task?.task),
  provider: CODECS[protocol].telemetry.provider,
  model: upstreamModel,
});
