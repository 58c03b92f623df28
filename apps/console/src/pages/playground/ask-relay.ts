import { toApiError } from '../../api/result.ts';
import type { Answer, Ask, Format } from './formats/format.ts';
import { type Progress, type Refusal, type RelayRequest, STARTED } from './progress.ts';
import { readAnswers } from './read-stream.ts';

export const toRequest = (format: Format, ask: Ask): RelayRequest => ({
  path: format.path(ask.model),
  body: format.body(ask),
});

interface Sending {
  readonly format: Format;
  readonly request: RelayRequest;
  readonly key: string;
  readonly signal: AbortSignal;
  /** Milliseconds on a clock that only goes forward. */
  readonly now?: () => number;
  readonly origin?: string;
}

/** Sends a request and tells how it goes; the last one told says how it ended. Never throws. */
export async function* askRelay(sending: Sending): AsyncGenerator<Progress, void, void> {
  const { format, request, key, signal, now = () => performance.now(), origin = '' } = sending;
  const start = now();
  let progress = STARTED;
  const end = (status: Progress['status'], refusal: Refusal | null = null): Progress => ({
    ...progress,
    status,
    refusal,
    totalMs: now() - start,
  });
  try {
    const response = await fetch(origin + request.path, {
      method: 'POST',
      headers: Object.fromEntries([format.auth(key), ['Content-Type', 'application/json']]),
      body: JSON.stringify(request.body),
      credentials: 'omit',
      signal,
    });
    progress = { ...progress, ...toldByHeaders(response.headers) };
    if (!response.ok || !response.body) {
      yield end('failed', await readRefusal(response));
      return;
    }
    for await (const answer of readAnswers(format, piecesOf(response.body))) {
      progress = {
        ...progress,
        answer,
        firstTokenMs: progress.firstTokenMs ?? (hasBegun(answer) ? now() - start : null),
      };
      if (answer.error === null) yield progress;
    }
    const { error } = progress.answer;
    yield error === null
      ? end('done')
      : end('failed', { status: response.status, message: error, retryAfterS: null });
  } catch {
    yield signal.aborted ? end('stopped') : end('failed', { status: 0, message: '', retryAfterS: null });
  }
}

const hasBegun = ({ text, reasoning, calls }: Answer): boolean =>
  text !== '' || reasoning !== '' || calls.length > 0;

const namesIn = (header: string | null): readonly string[] =>
  header === null ? [] : header.split(',').map((name) => name.trim());

const toldByHeaders = (headers: Headers): Pick<Progress, 'requestId' | 'dropped' | 'emulated'> => ({
  requestId: headers.get('x-request-id'),
  dropped: namesIn(headers.get('x-tollgate-dropped')),
  emulated: namesIn(headers.get('x-tollgate-emulated')),
});

/** Why an answer is none. */
export async function readRefusal(response: Response): Promise<Refusal> {
  const text = await response.text();
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  return {
    status: response.status,
    message: toApiError(response.status, parsed(text)).message,
    retryAfterS: Number.isFinite(retryAfter) ? retryAfter : null,
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Safari cannot iterate over a stream. */
async function* piecesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
