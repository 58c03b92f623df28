import type { Logger } from '@tollgate/platform';

/** Says why a stream could not be passed on, with nothing of what was read: the message of an error may quote it. */
export function logStreamFailure(logger: Logger, requestId: string, thrown: unknown): void {
  logger.error(
    { event: 'stream_failed', request_id: requestId, ...describeThrown(thrown) },
    'passing a stream on failed',
  );
}

/** What kind of error it is, and where it was thrown. */
function describeThrown(thrown: unknown): { readonly thrown: string; readonly at?: readonly string[] } {
  if (!(thrown instanceof Error)) return { thrown: typeof thrown };
  const { name, message, stack = '' } = thrown;
  const begin = stack.indexOf(message);
  const frames = begin < 0 ? [] : stack.slice(begin + message.length).split('\n');
  return { thrown: name, at: frames.filter((line) => /^\s+at /.test(line)).map((line) => line.trim()) };
}
