import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalStorage } from './local-storage.ts';

const WRITERS = 8;
/** So few that all are written before a removal gives up. */
const FILES = 15;

test('files are removed though others are written meanwhile', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'tollgate-local-'));
  const storage = new LocalStorage(directory);
  let writing = WRITERS;
  const write = async (writer: number): Promise<void> => {
    const writeFile = async (file: number): Promise<void> => {
      const begun = await storage.create('job', `part-${writer}-${file}`, String(writer));
      await begun.write(Buffer.from('row'));
      await begun.finish();
    };
    // Its directory may go while it writes.
    for (let file = 0; file < FILES; file += 1) await writeFile(file).catch(() => undefined);
    writing -= 1;
  };
  const writers = Array.from({ length: WRITERS }, (_, writer) => write(writer));
  while (writing > 0) await storage.remove('job');
  await Promise.all(writers);
  await storage.remove('job');
  expect(existsSync(join(directory, 'job'))).toBe(false);
  rmSync(directory, { recursive: true, force: true });
});
