import { useEffect, useRef, useState } from 'react';
import { rerate, type RerateLine, type RerateSums } from '../../api/rerate.ts';
import { type Period, toRange } from './periods.ts';
import { useZone } from '../../shared/use-zone.ts';

interface DryRun {
  readonly isRunning: boolean;
  readonly rows: number;
  /** Null until it is counted. */
  readonly of: number | null;
  readonly lines: readonly RerateLine[];
  readonly total: RerateSums | null;
  readonly error: unknown;
}

const FRESH: DryRun = { isRunning: false, rows: 0, of: null, lines: [], total: null, error: null };

/** What usage would have cost by a draft. A new run, and leaving the page, ends the one before. */
export function useDryRun() {
  const zone = useZone();
  const [run, setRun] = useState<DryRun>(FRESH);
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  async function start(draft: string, period: Period): Promise<void> {
    running.current?.abort();
    const abort = new AbortController();
    running.current = abort;
    setRun({ ...FRESH, isRunning: true });
    const lines: RerateLine[] = [];
    try {
      for await (const news of rerate({ ...toRange(period, zone), draft }, abort.signal)) {
        if ('progress' in news) setRun((before) => ({ ...before, ...news.progress }));
        else if ('total' in news) setRun((before) => ({ ...before, lines, total: news.total }));
        else lines.push(news);
      }
      setRun((before) => ({ ...before, isRunning: false }));
    } catch (error) {
      if (!abort.signal.aborted) setRun({ ...FRESH, error });
    }
  }
  const stop = () => {
    running.current?.abort();
    setRun(FRESH);
  };
  return { run, start, stop };
}
