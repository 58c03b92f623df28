import type { BackgroundJobs } from '../src/background/jobs-client.ts';

/** Books that take every job, and have none. */
export const NO_JOBS: BackgroundJobs = {
  begin: async () => 'begun',
  start: async () => true,
  drop: async () => {},
  lease: async () => [],
  polled: async () => {},
  end: async () => true,
  find: async () => null,
};

/** The same, which note what becomes of a job. */
export const trackJobs = (note: (what: string) => void): BackgroundJobs => ({
  ...NO_JOBS,
  async begin() {
    note('job');
    return 'begun';
  },
  async start() {
    note('job started');
    return true;
  },
  drop: async () => note('job dropped'),
});
