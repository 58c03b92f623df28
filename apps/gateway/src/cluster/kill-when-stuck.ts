import type { ChildProcess } from 'node:child_process';
import { type ToProcess, type ToSupervisor, unheard } from './messages.ts';

const MAX_UNANSWERED = 6;
const PING: ToProcess = { kind: 'ping' };
const PONG: ToSupervisor = { kind: 'pong' };

/**
 * Kills a process that listens but has left six questions in a row unanswered. The system would go on giving it a share of the
 * connections, and a health check of the shared port reaches it only now and then.
 */
export function killWhenStuck(child: ChildProcess, everyMs: number, says: () => void): void {
  let unanswered = 0;
  let timer: NodeJS.Timeout | undefined;
  const ask = (): void => {
    if (!child.connected) return;
    if (unanswered === MAX_UNANSWERED) {
      says();
      child.kill('SIGKILL');
    }
    unanswered += 1;
    child.send(PING, unheard);
  };
  child.on('message', ({ kind }: ToSupervisor) => {
    if (kind === 'pong') unanswered = 0;
    if (kind === 'listening') timer ??= setInterval(ask, everyMs).unref();
  });
  child.once('exit', () => clearInterval(timer));
}

/** Answers what {@link killWhenStuck} asks. */
export function answerPings(): void {
  process.on('message', ({ kind }: ToProcess) => {
    if (kind === 'ping') process.send?.(PONG, unheard);
  });
}
