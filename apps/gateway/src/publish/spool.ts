import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type UsageEvent, usageEventSchema } from '@tollgate/contracts';
import type { Logger } from '@tollgate/platform';

const OPEN_SUFFIX = '.open';
const CLOSED_SUFFIX = '.jsonl';

export interface Spool {
  /** Resolves when the events are on the disk. @throws when the disk refuses them. */
  append(events: readonly UsageEvent[]): Promise<void>;
  /**
   * Hands every spooled event to `take`, oldest file first, and removes a file once all of it was taken. Stops at
   * the first failure; what is left stays for the next replay, so an event may be handed out twice, never lost.
   */
  replay(take: (events: UsageEvent[]) => Promise<void>): Promise<number>;
  isEmpty(): boolean;
  close(): Promise<void>;
}

const REPLAY_BATCH = 200;

/**
 * A directory of JSON Lines files that holds usage events while Redis is away. One file is open for appending; a
 * replay closes it first. Files that an earlier process left behind are taken up.
 */
export async function openSpool(directory: string, logger: Logger): Promise<Spool> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  for (const name of await readdir(directory)) {
    if (name.endsWith(OPEN_SUFFIX)) await rename(join(directory, name), join(directory, closedName(name)));
  }
  const closed = (await readdir(directory)).filter((name) => name.endsWith(CLOSED_SUFFIX)).sort();
  let current: { name: string; file: Awaited<ReturnType<typeof open>> } | undefined;
  let sequence = 0;
  /** Appending and closing the open file happen one after the other. */
  let turn: Promise<unknown> = Promise.resolve();

  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = turn.then(work);
    turn = result.catch(() => {});
    return result;
  };

  const openFile = async () => {
    sequence += 1;
    const name = `${Date.now().toString().padStart(15, '0')}-${process.pid}-${sequence}${OPEN_SUFFIX}`;
    return { name, file: await open(join(directory, name), 'a', 0o600) };
  };

  const closeFile = async () => {
    if (!current) return;
    const { name, file } = current;
    current = undefined;
    await file.close();
    await rename(join(directory, name), join(directory, closedName(name)));
    closed.push(closedName(name));
  };

  return {
    append: (events) =>
      inTurn(async () => {
        current ??= await openFile();
        await current.file.appendFile(events.map((event) => `${JSON.stringify(event)}\n`).join(''));
        await current.file.datasync();
      }),
    async replay(take) {
      await inTurn(closeFile);
      let taken = 0;
      for (let name = closed[0]; name !== undefined; name = closed[0]) {
        const path = join(directory, name);
        for await (const events of batchesOf(path, logger)) {
          await take(events);
          taken += events.length;
        }
        await unlink(path);
        closed.shift();
      }
      return taken;
    },
    isEmpty: () => current === undefined && closed.length === 0,
    close: () => inTurn(closeFile),
  };
}

const closedName = (name: string) => name.replace(OPEN_SUFFIX, CLOSED_SUFFIX);

async function* batchesOf(path: string, logger: Logger): AsyncGenerator<UsageEvent[]> {
  let batch: UsageEvent[] = [];
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
    const event = parseLine(line);
    if (!event) {
      // The last line of a killed process may be half a line: its append had not been acknowledged.
      if (line !== '') logger.error({ file: path, bytes: line.length }, 'a spooled line cannot be read');
      continue;
    }
    batch.push(event);
    if (batch.length === REPLAY_BATCH) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}

function parseLine(line: string): UsageEvent | undefined {
  try {
    return usageEventSchema.parse(JSON.parse(line));
  } catch {
    return undefined;
  }
}
