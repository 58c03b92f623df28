import type { ErrorAnswer, RerateData, RerateNews } from './generated/types.gen.ts';
import { toApiError } from './result.ts';

export type { RerateLine, RerateSums } from './generated/types.gen.ts';

type RerateLineNews = Exclude<RerateNews, ErrorAnswer>;

/**
 * What usage of a time would have cost by a draft, line by line as the relay works it out.
 *
 * @throws ApiError where it is refused, breaks off or fails on the way.
 */
export async function* rerate(body: RerateData['body'], signal: AbortSignal): AsyncGenerator<RerateLineNews> {
  const answer = await fetch('/api/finance/rerates' satisfies RerateData['url'], {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal,
  });
  if (!answer.ok || !answer.body) throw toApiError(answer.status, await answer.json().catch(() => null));
  for await (const line of readLines(answer.body)) {
    const news = JSON.parse(line) as RerateNews;
    if ('error' in news) throw toApiError(500, news);
    yield news;
  }
}

/** The lines of a text that comes in pieces, cut anywhere. */
export async function* readLines(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
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
