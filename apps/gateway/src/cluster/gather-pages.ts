import type { ChildProcess } from 'node:child_process';
import { type ToProcess, type ToSupervisor, unheard } from './messages.ts';

/** A process that takes longer hangs: a scrape does not wait for it. */
const PATIENCE_MS = 2_000;

type Process = Pick<ChildProcess, 'send' | 'connected'>;

/** Asks all processes for their metrics when one of them was asked for those of all. */
export function createGathering(processes: () => readonly Process[]): {
  receive(from: Process, message: ToSupervisor): void;
} {
  const waiting = new Map<number, (page: string) => void>();
  let questions = 0;
  const tell = (to: Process, message: ToProcess): void => void (to.connected && to.send(message, unheard));

  async function ask(each: Process): Promise<string[]> {
    const question = (questions += 1);
    const { promise, resolve } = Promise.withResolvers<string[]>();
    const timer = setTimeout(() => resolve([]), PATIENCE_MS);
    waiting.set(question, (page) => resolve([page]));
    tell(each, { kind: 'page-requested', question });
    const answer = await promise;
    clearTimeout(timer);
    waiting.delete(question);
    return answer;
  }

  return {
    receive(from, message) {
      if (message.kind === 'page') waiting.get(message.question)?.(message.page);
      if (message.kind !== 'scrape') return;
      const { scrape } = message;
      void Promise.all(processes().map(ask)).then((pages) =>
        tell(from, { kind: 'pages', scrape, pages: pages.flat() }),
      );
    },
  };
}
