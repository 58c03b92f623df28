import { Counter, type Registry } from 'prom-client';

/** How often this process has logged each event as a warning or worse; names of events are written in the program. */
const counts = new Map<string, { readonly level: string; readonly event: string; count: number }>();

/** Counts what is logged, where it has a name. */
export function noteFault(level: string, logged: unknown): void {
  if (typeof logged !== 'object' || logged === null || !('event' in logged)) return;
  const { event } = logged;
  if (typeof event !== 'string') return;
  const counted = counts.get(`${level} ${event}`) ?? { level, event, count: 0 };
  counted.count += 1;
  counts.set(`${level} ${event}`, counted);
}

/** So that a job that fails again and again is seen by its name where nobody reads logs. */
export function serveLoggedFaults(registry: Registry): void {
  new Counter({
    name: 'tollgate_logged_faults_total',
    help: 'Events that were logged as warnings or worse',
    labelNames: ['level', 'event'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { level, event, count } of counts.values()) this.inc({ level, event }, count);
    },
  });
}
