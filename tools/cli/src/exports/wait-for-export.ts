import { setTimeout as sleep } from 'node:timers/promises';
import { type AnswerOf, dataExports } from '@tollgate/api';
import type { Api } from '../api/client.ts';
import { Failure } from '../failure.ts';
import type { Io } from '../io.ts';
import { progressBar } from '../progress-bar.ts';

const LOOK_MS = 500;

type ExportJob = AnswerOf<typeof dataExports.showExport>;

/** The export once it is done, with a bar until then. @throws Failure when it fails or is cancelled. */
export async function waitForExport(io: Io, api: Api, id: string): Promise<ExportJob> {
  const bar = progressBar(io);
  for (;;) {
    const job = await api.ask(dataExports.showExport, { params: { id } });
    bar.draw(job.progress, `${job.rows.done} rows${job.eta_s === null ? '' : `, ${job.eta_s} s left`}`);
    if (job.status === 'done') {
      bar.end();
      return job;
    }
    if (job.status === 'failed' || job.status === 'cancelled') {
      bar.end();
      throw new Failure(
        `The export is ${job.status}${job.error === null ? '.' : `: ${job.error}`}`,
        'Ask for it again.',
      );
    }
    await sleep(LOOK_MS);
  }
}
