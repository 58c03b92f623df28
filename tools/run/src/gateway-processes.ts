import { availableParallelism } from 'node:os';

/** PostgreSQL, Redis and the other services of this machine keep as many busy as one gateway process does. */
const CORES_OF_THE_OTHERS = 2;

/**
 * How many processes the gateway of `npm start` has, as it is told: what is asked for, else one for each core where there
 * are more than the other services need as well.
 */
export const gatewayProcesses = (setting: string | undefined, cores = availableParallelism()): string =>
  setting || (cores > CORES_OF_THE_OTHERS ? 'auto' : '1');
