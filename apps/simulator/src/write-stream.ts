import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Format, StreamEvent } from './formats/format.ts';
import type { Script } from './script.ts';

interface StreamText {
  /** Each event's bytes, in order. */
  readonly chunks: readonly (string | Buffer)[];
  readonly terminator: string;
}

/** Sends a stream with the delays, cuts and damages of a script. */
export async function writeStream(response: ServerResponse, text: StreamText, script: Script): Promise<void> {
  const { chunk_delay_ms, chunk_bytes } = script;
  const toBytes = (piece: string | Buffer): Buffer =>
    typeof piece === 'string' ? Buffer.from(script.crlf ? piece.replaceAll(/\r?\n/g, '\r\n') : piece) : piece;
  const send = async (piece: string | Buffer): Promise<void> => {
    const bytes = toBytes(piece);
    const size = chunk_bytes ?? bytes.length;
    for (let at = 0; at < bytes.length; at += size) {
      if (response.destroyed) return;
      const flowing = response.write(bytes.subarray(at, at + size));
      if (chunk_bytes !== undefined) await sleep(1);
      else if (!flowing)
        await new Promise<void>((resolve) => response.once('drain', resolve).once('close', resolve));
    }
  };
  if (chunk_delay_ms === undefined && chunk_bytes === undefined && script.cut_after_chunks === undefined) {
    await send(Buffer.concat(text.chunks.map(toBytes)));
  } else {
    for (const [index, chunk] of text.chunks.entries()) {
      if (response.destroyed) return;
      if (script.cut_after_chunks === index) return cut(response);
      if (index > 0 && chunk_delay_ms) await sleep(chunk_delay_ms);
      await send(chunk);
    }
    if (script.cut_after_chunks === text.chunks.length) return cut(response);
  }
  if (!script.no_done) await send(text.terminator);
  response.end();
}

/** Destroys the connection once what was written has left: Node gathers the writes of a tick. */
async function cut(response: ServerResponse): Promise<void> {
  do await sleep(1);
  while (!response.destroyed && response.writableLength > 0);
  response.socket?.destroy();
}

interface Damaged extends StreamEvent {
  readonly broken?: boolean;
}

export const writeData = ({ data, broken }: Damaged) => (broken ? `{"broken":` : JSON.stringify(data));

/** The events of a stream as a script spoils them. */
export function damaged(
  events: readonly StreamEvent[],
  script: Script,
  format: Pick<Format, 'error'>,
): Damaged[] {
  const { malformed_chunk_at, error_event_at } = script;
  const cut = error_event_at === undefined ? events : events.slice(0, error_event_at);
  const marked: Damaged[] = cut.map((event, index) =>
    index === malformed_chunk_at ? { ...event, broken: true } : event,
  );
  if (error_event_at === undefined) return marked;
  const name = marked.some((event) => event.name !== undefined) ? { name: 'error' } : {};
  return [...marked, { ...name, data: format.error(500, 'The simulator was told to break off.') }];
}
