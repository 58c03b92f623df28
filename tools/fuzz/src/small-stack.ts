// Checks requests in a thread whose stack is small: what would need too much of it fails with fewer items than elsewhere.
import { parentPort } from 'node:worker_threads';
import type { ClientProtocol } from '@tollgate/vocabulary';
import { checkRequest, type RequestOptions } from './properties.ts';

/** Of so large a stack a third is the thread's own. */
export const STACK_MB = 0.5;

export interface StackCheck {
  readonly from: ClientProtocol;
  readonly to: ClientProtocol;
  readonly bytes: Uint8Array;
  readonly options: RequestOptions;
}

/** How a check failed. */
export type Failure = string | undefined;

parentPort?.on('message', ({ from, to, bytes, options }: StackCheck) => {
  let failure: Failure;
  try {
    checkRequest(from, to, Buffer.from(bytes), options);
  } catch (error) {
    failure = (error as Error).stack;
  }
  parentPort?.postMessage(failure);
});
