import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/**
 * Changes one digit of the output tokens of one event in a spool, as a bad disk would.
 *
 * @returns the id of the event's request; undefined where nothing is spooled.
 */
export function changeSpooledLine(directory: string): string | undefined {
  for (const file of filesBelow(directory)) {
    const lines = readFileSync(file, 'utf8').split('\n');
    for (const [index, line] of lines.entries()) {
      const id = /"request_id":"([^"]+)"/.exec(line)?.[1];
      const changed = line.replace(
        /("output":)(\d)/,
        (_all, name: string, digit: string) => name + ((Number(digit) + 1) % 10),
      );
      if (id === undefined || changed === line) continue;
      lines[index] = changed;
      writeFileSync(file, lines.join('\n'));
      return id;
    }
  }
  return undefined;
}

/** The files of a spool but those that are set aside: what was damaged on purpose stays there. */
export function filesBelow(directory: string): string[] {
  try {
    return readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && basename(entry.parentPath) !== 'quarantine')
      .map((entry) => join(entry.parentPath, entry.name));
  } catch {
    return [];
  }
}
