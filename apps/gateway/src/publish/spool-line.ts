import { crc32 } from 'node:zlib';
import type { UsageEvent } from '@tollgate/contracts';

/** The same as it was read. */
interface SpooledEvent {
  readonly job: string;
  readonly event: UsageEvent;
}

/** An event as it is written: once, for the disk and for the queue. */
export interface WrittenEvent {
  readonly event: UsageEvent;
  readonly json: string;
}

/** An event and the queue job that carries it, to be written. */
export interface SpoolEntry {
  readonly job: string;
  readonly written: WrittenEvent;
}

export const writeEvent = (event: UsageEvent): WrittenEvent => ({ event, json: JSON.stringify(event) });

/** Eight hexadecimal digits and a space stand before the JSON. */
const CHECKSUM_LENGTH = 8;

/**
 * A line of the spool: the CRC-32 of the JSON, and the JSON. A disk may give back another digit than it was given, and a
 * digit is money: CRC-32 finds every change of up to 32 bits in a row, and of others all but one in four billion.
 */
export function writeLine({ job, written }: SpoolEntry): string {
  const json = `{"job":${JSON.stringify(job)},"event":${written.json}}`;
  return `${checksumOf(json)} ${json}\n`;
}

/** Undefined for what is not, to the last bit, what was written. */
export function readLine(line: string): SpooledEvent | undefined {
  const json = line.slice(CHECKSUM_LENGTH + 1);
  if (line[CHECKSUM_LENGTH] !== ' ' || line.slice(0, CHECKSUM_LENGTH) !== checksumOf(json)) return undefined;
  return JSON.parse(json) as SpooledEvent;
}

const checksumOf = (json: string): string => crc32(json).toString(16).padStart(CHECKSUM_LENGTH, '0');
