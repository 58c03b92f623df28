import type { RelayError } from '@tollgate/protocols';
import { endEarlyStream } from './early-stream.ts';
import type { RelayRequest } from './relay-request.ts';
import { sendError } from './send-error.ts';

/** What ends a request without an answer of an upstream. */
export interface Refusal {
  readonly error: RelayError;
  readonly headers?: Record<string, string>;
}

/** Answers with an error in the caller's format, in its stream where that has begun. */
export function refuse(request: RelayRequest, { error, headers = {} }: Refusal): void {
  const { response } = request;
  request.watch.refused(error);
  if (response.destroyed) return;
  if (response.headersSent) endEarlyStream(response, request, error);
  else sendError(request, error, headers);
}
