import type { LeasedJob } from '@tollgate/contracts';
import type { Logger } from '@tollgate/platform';
import { meansGone } from '../forward/status-policy.ts';
import type { RoutingTable } from '../route/routing-table.ts';
import { askUpstream, findPlace, type UpstreamSays } from './ask-upstream.ts';
import { describeJobEnd, describeLostJob, readJobStatus } from './job-status.ts';
import type { JobWatch, PollOutcome } from './job-watch.ts';
import type { BackgroundJobs } from './jobs-client.ts';

const EVERY_MS = 2_000;
const JOBS_AT_ONCE = 20;
/** An upstream may need a moment until it finds what it has just taken. */
const GONE_AFTER_MS = 60_000;
/** What runs for longer is cancelled, as nobody waits for it any more; what it did until then is charged. */
const CANCELLED_AFTER_MS = 24 * 3_600_000;
/** Of what nobody heard from for so long nobody will. */
const GIVEN_UP_AFTER_MS = 2 * CANCELLED_AFTER_MS;

interface PollerParts {
  readonly jobs: BackgroundJobs;
  readonly table: () => RoutingTable | undefined;
  readonly limitBytes: number;
  readonly watch: JobWatch;
  readonly logger: Logger;
}

/**
 * Brings jobs to their end, whether or not their callers ask again. It alone meters them: what callers fetch is not. Any
 * gateway polls any job, so that those of one that was killed go on; each has the job alone while its lease lasts, and an end
 * that is told twice is in the books, and in the metrics, once.
 */
export function startPollingJobs(parts: PollerParts): { close(): Promise<void> } {
  const { jobs, logger } = parts;
  let closed = false;
  let running: Promise<void> | undefined;

  async function round(): Promise<void> {
    // Before there are prices nobody knows where any upstream is.
    while (!closed && parts.table()) {
      const leased = await jobs.lease(JOBS_AT_ONCE);
      await Promise.all(leased.map((job) => pollOrReport(job, parts)));
      if (leased.length < JOBS_AT_ONCE) return;
    }
  }
  let isAway = false;
  const timer = setInterval(() => {
    running ??= round()
      .then(() => void (isAway = false))
      .catch((error: Error) => {
        if (!isAway)
          logger.warn(
            { event: 'background_jobs_unknown', reason: error.message },
            'billing does not say which background jobs are due',
          );
        isAway = true;
      })
      .finally(() => (running = undefined));
  }, EVERY_MS);
  timer.unref();
  return {
    async close() {
      closed = true;
      clearInterval(timer);
      await running;
    },
  };
}

async function pollOrReport(job: LeasedJob, parts: PollerParts): Promise<void> {
  try {
    parts.watch.polled(await pollJob(job, parts));
  } catch (error) {
    // Somebody asks again when the lease has ended.
    parts.watch.polled('untold');
    parts.logger.warn(
      { event: 'background_poll_failed', request_id: job.request_id, reason: (error as Error).message },
      'a background job could not be polled',
    );
  }
}

/** Asks for one job, and tells billing how far it is. @throws while billing does not take it. */
export async function pollJob(job: LeasedJob, parts: PollerParts): Promise<PollOutcome> {
  const { jobs, logger, watch } = parts;
  const { request_id: requestId, age_ms: ageMs } = job;
  const table = parts.table();
  const place = findPlace(table, job.place);
  /** Undefined where nobody answers. */
  const ask = async (action: 'show' | 'cancel'): Promise<UpstreamSays | undefined> =>
    place && askUpstream(place, job, action, { limitBytes: parts.limitBytes }).catch(() => undefined);

  const said = await ask('show');
  const first = readJobStatus(said?.status === 200 ? said.json : undefined);
  const isLate = first.kind === 'under way' && ageMs > CANCELLED_AFTER_MS;
  const latest = isLate ? await ask('cancel') : said;
  const status = isLate ? readJobStatus(latest?.status === 200 ? latest.json : undefined) : first;

  if (status.kind === 'over' && latest && place && table) {
    const { client, credential } = place;
    const reportsCost = client.upstream.reports_cost;
    const events = describeJobEnd(job, status.word, latest, { table, reportsCost });
    const isOurs = await jobs.end({ request_id: requestId, status: status.word, events });
    if (isOurs) for (const event of events) watch.recorded(event, credential.targetId);
    return 'ended';
  }
  const isGone = said !== undefined && meansGone(said.status) && ageMs > GONE_AFTER_MS;
  if (isGone || ageMs > GIVEN_UP_AFTER_MS) {
    logger.error(
      { event: 'background_job_lost', request_id: requestId, upstream: job.request.upstream },
      'a background job is gone at its upstream; its caller is not charged',
    );
    const event = describeLostJob(job);
    if (await jobs.end({ request_id: requestId, status: 'expired', events: [event] })) watch.lost(event);
    return 'lost';
  }
  await jobs.polled(requestId, status.kind === 'under way' ? status.word : null);
  return status.kind === 'under way' ? 'under_way' : 'unanswered';
}
