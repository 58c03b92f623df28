import type { Framing } from './streams.ts';

export type Event = Readonly<Record<string, unknown>>;

/** A stream as its client reads it: strictly, with an error thrown for what no client could read. */
export function readEvents(framing: Framing, text: string): (Event | '[DONE]')[] {
  if (framing === 'json-array') return JSON.parse(text) as Event[];
  const records = text.split(/\r\n\r\n|\n\n/);
  if (records.pop() !== '') throw new Error('The stream does not end with a blank line.');
  return records.map((record) => {
    const lines = record.split(/\r\n|\n/);
    const data = lines.filter((line) => line.startsWith('data: ')).map((line) => line.slice(6));
    const name = lines.find((line) => line.startsWith('event: '))?.slice(7);
    if (data.length !== 1 || data.length + (name === undefined ? 0 : 1) !== lines.length)
      throw new Error(`Not one data line: ${record}`);
    if (data[0] === '[DONE]') return '[DONE]';
    const event = JSON.parse(data[0] ?? '') as Event;
    if (name !== undefined && event['type'] !== name)
      throw new Error(`The event's name is not its type: ${record}`);
    return event;
  });
}

export const at = (value: unknown, ...path: readonly (string | number)[]): unknown =>
  path.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null
        ? (inner as Record<string | number, unknown>)[key]
        : undefined,
    value,
  );

export function must(condition: boolean, what: string, value: unknown): asserts condition {
  if (!condition) throw new Error(`${what}: ${JSON.stringify(value)?.slice(0, 600)}`);
}

export const isText = (value: unknown): value is string => typeof value === 'string';
export const isList = (value: unknown): value is unknown[] => Array.isArray(value);
export const isMap = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const isCount = (value: unknown): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0;

/** Every number of a usage report is a count. */
export function mustBeUsage(usage: unknown): void {
  must(isMap(usage), 'Usage is no object', usage);
  for (const value of Object.values(usage as object)) {
    if (typeof value === 'number') must(isCount(value), 'Usage counts wrongly', usage);
    else if (isMap(value)) mustBeUsage(value);
  }
}
