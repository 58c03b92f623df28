import { readdirSync, readlinkSync } from 'node:fs';
import { waitFor } from '@tollgate/harness';
import { call } from './people.ts';

export interface At {
  readonly url: string;
  readonly cookie: string;
}

/** What the API says of an export; see the controller. */
export interface ShownExport {
  readonly id: string;
  readonly status: string;
  readonly progress: number | null;
  readonly watermark: number;
  readonly rows: { readonly done: number; readonly of: number | null };
  readonly bytes: number;
  readonly error: string | null;
  readonly files_removed_at: string | null;
}

export interface Manifest {
  readonly rows: number;
  readonly watermark: number;
  readonly sums: Readonly<Record<string, string>>;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly files: readonly {
    readonly name: string;
    readonly rows: number;
    readonly bytes: number;
    readonly sha256: string;
  }[];
}

/** Asks for an export. @throws when it is refused. */
export async function askExport(at: At, body: object): Promise<ShownExport> {
  const { status, body: job } = await call<ShownExport>(at, 'POST', '/api/exports', body);
  if (status !== 202) throw new Error(`the export was refused with ${status}: ${JSON.stringify(job)}`);
  return job;
}

export const seeExport = async (at: At, id: string): Promise<ShownExport> =>
  (await call<ShownExport>(at, 'GET', `/api/exports/${id}`)).body;

/** Waits until an export has ended, in whatever way. */
export async function ended(at: At, id: string, timeoutMs = 110_000): Promise<ShownExport> {
  let job = await seeExport(at, id);
  await waitFor(
    async () => {
      job = await seeExport(at, id);
      return ['done', 'failed', 'cancelled'].includes(job.status);
    },
    'the end of an export',
    timeoutMs,
  );
  return job;
}

/** An export from question to end, with its manifest. @throws when it is not done. */
export async function exported(at: At, body: object): Promise<{ job: ShownExport; manifest: Manifest }> {
  const job = await ended(at, (await askExport(at, body)).id);
  if (job.status !== 'done') throw new Error(`the export is ${job.status}: ${job.error}`);
  return { job, manifest: await readManifest(at, job.id) };
}

export const readManifest = async (at: At, id: string): Promise<Manifest> =>
  (await call<Manifest>(at, 'GET', `/api/exports/${id}/manifest`)).body;

/** The bytes of one of its files. */
export async function download(at: At, id: string, part = 1, headers: Record<string, string> = {}) {
  const answer = await fetch(`${at.url}/api/exports/${id}/file?part=${part}`, {
    headers: { cookie: at.cookie, ...headers },
  });
  return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) };
}

/** How many files below a directory this process has open. */
export const countOpenFiles = (path: string): number =>
  readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(path);
    } catch {
      return false;
    }
  }).length;
