import { toApiError } from './result.ts';

/** What usage was booked with, and what it would have cost. */
export interface RerateSums {
  readonly requests: number;
  readonly booked_usd: string;
  readonly rerated_usd: string;
  readonly difference_usd: string;
  readonly unpriced_requests: number;
}

export interface RerateLine extends RerateSums {
  readonly account_id: string;
  readonly model: string;
}

type RerateNews =
  | { readonly progress: { readonly rows: number; readonly of: number | null } }
  | { readonly total: RerateSums }
  | RerateLine;

/**
 * What usage of a time would have cost by a draft, line by line as the relay works it out.
 *
 * @throws ApiError where it is refused, breaks off or fails on the way.
 */
export async function* rerate(
  body: { readonly from: string; readonly to: string; readonly draft: string },
  signal: AbortSignal,
): AsyncGenerator<RerateNews> {
  const answer = await fetch('/api/finance/rerates', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal,
  });
  if (!answer.ok || !answer.body) throw toApiError(answer.status, await answer.json().catch(() => null));
  for await (const line of linesOf(answer.body)) {
    const news = JSON.parse(line) as RerateNews | { readonly error: object };
    if ('error' in news) throw toApiError(500, news);
    yield news;
  }
}

/** The lines of a text that comes in pieces, cut anywhere. */
export async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
    const lines = rest.split('\n');
    rest = done ? '' : (lines.pop() ?? '');
    for (const line of lines) if (line !== '') yield line;
    if (done) return;
  }
}
