// A process of its own: sends requests over raw connections, and answers how long they took.
import { connect, type Socket } from 'node:net';

/** What to send. Without a rate every connection sends its next request as soon as the last is answered. */
export interface LoadJob {
  readonly port: number;
  readonly requests: number;
  readonly connections: number;
  /** Requests a second, whether or not answers keep up. */
  readonly rate?: number;
  /** Sent one after the other, in turn. */
  readonly messages: readonly string[];
  /** Put in turn where a message has {@link ANY_KEY}. */
  readonly keys?: readonly string[];
}

export interface LoadResult {
  readonly elapsedMs: number;
  /** Milliseconds from when a request was due, in no order. */
  readonly latencies: readonly number[];
  readonly bytes: number;
  /** What the first request met that was no success: status and beginning of the answer, or what became of its connection. */
  readonly fault: string | undefined;
}

/** One connection with at most one request under way. */
interface Line {
  send(message: Buffer, dueAt: number): void;
  close(): void;
}

/** As long as a key. */
export const ANY_KEY = `sk-${'x'.repeat(48)}`;

const CRLF2 = Buffer.from('\r\n\r\n');
const LAST_CHUNK = Buffer.from('0\r\n\r\n');

function openLine(
  port: number,
  onEnd: (line: Line, dueAt: number, bytes: number, fault?: string) => void,
): Line {
  const socket: Socket = connect({ port, host: '127.0.0.1', noDelay: true });
  let dueAt = 0;
  let head: Buffer | undefined;
  let seen = 0;
  let total: number | undefined;
  let tail: Buffer = Buffer.alloc(0);
  let status = '';
  let busy = false;
  const end = (fault?: string) => {
    busy = false;
    onEnd(line, dueAt, seen, fault);
  };
  const line: Line = {
    send(message, due) {
      dueAt = due;
      head = Buffer.alloc(0);
      seen = 0;
      total = undefined;
      busy = true;
      socket.write(message);
    },
    close: () => void socket.destroy(),
  };
  let code = '';
  socket.on('error', (error: NodeJS.ErrnoException) => (code = ` (${error.code ?? error.message})`));
  socket.on('close', () => busy && end(`the connection was closed${code} after ${seen} bytes`));
  socket.on('data', (bytes) => {
    if (typeof bytes === 'string') return;
    seen += bytes.length;
    if (head) {
      head = head.length === 0 ? bytes : Buffer.concat([head, bytes]);
      const at = head.indexOf(CRLF2);
      if (at < 0) return;
      const text = head.toString('latin1', 0, at);
      status = text.slice(9, 12);
      const length = /content-length: (\d+)/i.exec(text)?.[1];
      total = status === '304' ? at + 4 : length === undefined ? undefined : at + 4 + Number(length);
      tail = head.subarray(at + 4);
      head = undefined;
    } else tail = bytes.length >= 5 ? bytes : Buffer.concat([tail, bytes]);
    const ended = total === undefined ? tail.subarray(-5).equals(LAST_CHUNK) : seen >= total;
    if (ended) end(status < '400' ? undefined : `status ${status}: ${tail.toString('utf8', 0, 500)}`);
  });
  return line;
}

function load(job: LoadJob): Promise<LoadResult> {
  const messages = job.messages.map((message) => Buffer.from(message));
  const latencies: number[] = [];
  const waiting: number[] = [];
  const idle: Line[] = [];
  let [sent, done, bytes] = [0, 0, 0];
  let fault: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  const startedAt = performance.now();
  return new Promise((resolve) => {
    const next = (): Buffer => {
      const message = messages[sent % messages.length] as Buffer;
      const key = job.keys?.[sent % job.keys.length];
      sent += 1;
      if (key === undefined) return message;
      const own = Buffer.from(message);
      own.write(key, own.indexOf(ANY_KEY), 'latin1');
      return own;
    };
    const send = (line: Line, dueAt: number) => line.send(next(), dueAt);
    const finished = (line: Line, dueAt: number, size: number, wrong?: string) => {
      latencies.push(performance.now() - dueAt);
      bytes += size;
      done += 1;
      fault ??= wrong;
      if (done === job.requests || wrong !== undefined) {
        clearInterval(timer);
        lines.forEach((each) => each.close());
        resolve({ elapsedMs: performance.now() - startedAt, latencies, bytes, fault });
      } else if (job.rate === undefined) {
        if (sent < job.requests) send(line, performance.now());
      } else {
        const due = waiting.shift();
        if (due === undefined) idle.push(line);
        else send(line, due);
      }
    };
    const lines = Array.from({ length: Math.min(job.connections, job.requests) }, () =>
      openLine(job.port, finished),
    );
    const { rate } = job;
    if (rate === undefined) return lines.forEach((line) => send(line, performance.now()));
    idle.push(...lines);
    let scheduled = 0;
    timer = setInterval(() => {
      const now = performance.now();
      while (scheduled < job.requests) {
        if (startedAt + (scheduled * 1_000) / rate > now) break;
        scheduled += 1;
        const line = idle.pop();
        if (line) send(line, now);
        else waiting.push(now);
      }
    }, 1);
    return undefined;
  });
}

process.on('message', (job: LoadJob) => void load(job).then((result) => process.send?.(result)));
process.on('disconnect', () => process.exit());
