import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type AnswerOf, dataExports } from '@tollgate/api';
import type { Api } from '../api/client.ts';
import { Failure } from '../failure.ts';
import type { Io } from '../io.ts';
import { progressBar } from '../progress-bar.ts';

type File = AnswerOf<typeof dataExports.showManifest>['files'][number];

/**
 * Fetches every file of an export, and its manifest, into a directory.
 *
 * @returns the paths of what was written.
 * @throws Failure for a file that is not what the manifest says; it is taken away again.
 */
export async function downloadExport(io: Io, api: Api, id: string, directory: string): Promise<string[]> {
  const params = { id };
  const text = await (await api.open(dataExports.showManifest, { params })).text();
  const { files } = dataExports.showManifest.answer.schema.parse(JSON.parse(text));
  await mkdir(directory, { recursive: true });
  const manifest = join(directory, `${id}-manifest.json`);
  await writeFile(manifest, text);
  const bar = progressBar(io);
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  let passed = 0;
  const written: string[] = [manifest];
  for (const [index, file] of files.entries()) {
    const to = join(directory, `${id}-${file.name}`);
    const answer = await api.open(dataExports.downloadFile, { params, query: { part: index + 1 } });
    await keep(answer, file, to, (bytes) => bar.draw(total === 0 ? 1 : (passed += bytes) / total, file.name));
    written.push(to);
  }
  bar.end();
  return written;
}

async function keep(
  answer: Response,
  file: File,
  to: string,
  onBytes: (bytes: number) => void,
): Promise<void> {
  const hash = createHash('sha256');
  const unfinished = `${to}.part`;
  const source = answer.body ? Readable.fromWeb(answer.body) : Readable.from([]);
  await pipeline(
    source,
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        hash.update(chunk);
        onBytes(chunk.length);
        yield chunk;
      }
    },
    createWriteStream(unfinished),
  );
  if (hash.digest('hex') === file.sha256) return rename(unfinished, to);
  await rm(unfinished, { force: true });
  throw new Failure(`${file.name} came with another SHA-256 than its manifest says.`, 'Download it again.');
}
