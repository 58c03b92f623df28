import { httpError } from '@tollgate/platform';
import { PublishError } from '../snapshots/snapshot-store.ts';

/** What to throw to a caller whose change was not published. */
export function refusalOf(error: unknown): unknown {
  if (!(error instanceof PublishError)) return error;
  return httpError(error.kind === 'conflict' ? 412 : 400, error.message);
}

/** The number that If-Match names; undefined when any will do. @throws HttpException 400 for anything else. */
export function expectedNumber(header: string | undefined): number | undefined {
  if (header === undefined || header === '*') return undefined;
  const digits = /^"?(\d{1,9})"?$/.exec(header)?.[1];
  if (digits === undefined) throw httpError(400, 'If-Match: must be the number of a version.', 'if-match');
  return Number(digits);
}
