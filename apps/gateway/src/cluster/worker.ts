import { availableParallelism } from 'node:os';

/** Which of the processes behind one port this one is; a gateway that is one process is the first of one. */
export interface Worker {
  /** From 1 on. */
  readonly number: number;
  readonly of: number;
}

export const SINGLE: Worker = { number: 1, of: 1 };

/** Systems on which several processes may listen on one port, and share its connections evenly. */
const CAN_SHARE_A_PORT: readonly string[] = ['linux', 'freebsd'];

/** Whether several processes of this machine can listen on one port. */
export const canShareAPort = (): boolean => CAN_SHARE_A_PORT.includes(process.platform);

/** So many serve what one Redis bears; more would only take memory. */
const AUTO_MAX = 8;

/** How many processes a gateway is: with `auto` one for each core, up to eight, where they can share a port. */
export function countWorkers(requested: number | 'auto', cores = availableParallelism()): number {
  if (requested !== 'auto') return requested;
  return canShareAPort() ? Math.min(cores, AUTO_MAX) : 1;
}

/** The arguments that tell a process which worker it is. */
export const renderWorkerArguments = ({ number, of }: Worker): readonly string[] => [
  'process',
  String(number),
  'of',
  String(of),
];

/** The worker that the arguments of a process name; undefined for one that was started by hand. */
export function parseWorker(args: readonly string[]): Worker | undefined {
  const [, number, of] = /^process (\d+) of (\d+)$/.exec(args.join(' ')) ?? [];
  return number === undefined || of === undefined ? undefined : { number: Number(number), of: Number(of) };
}
