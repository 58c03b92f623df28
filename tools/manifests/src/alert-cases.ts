/** Values of a series, one each minute, as promtool writes them: `0+1x5` begins at 0 and rises five times by 1. */
type Series = Readonly<Record<string, string>>;

interface AlertCase {
  readonly alert: string;
  /** What it fires on, when, and the labels that it has then beside its severity. */
  readonly fires: Series;
  readonly at: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** What it is silent about at that time, each of them. */
  readonly silent: readonly Series[];
}

/** A gauge that stands above its limit, and one that stands at it. */
const gauge = (alert: string, series: string, limit: number, at: string, labels = {}): AlertCase => ({
  alert,
  fires: { [series]: `${limit + 1}x60` },
  at,
  labels,
  silent: [{ [series]: `${limit}x60` }],
});

const EAST = { upstream: 'east' };
const KEY = { upstream: 'east', credential: 'first' };
const IN_POD = 'pod="gateway-0"';
const POD = { pod: 'gateway-0' };
const OF_KEY = 'upstream="east",credential="first"';
const up = (of: Readonly<Record<string, string>>): Series =>
  Object.fromEntries(Object.entries(of).map(([job, values]) => [`up{job="${job}",pod="${job}-0"}`, values]));

const faults = (service: string, event: string): string =>
  `tollgate_logged_faults_total{service="${service}",level="error",event="${event}"}`;

/** When each alert fires, and what looks like it and is none. */
export const ALERT_CASES: readonly AlertCase[] = [
  {
    ...gauge('TollgateLedgerOutOfBalance', 'tollgate_ledger_audit_differences', 0, '1m'),
    silent: [{ tollgate_ledger_audit_differences: '0x60', tollgate_ledger_imbalance_pico: '0x60' }],
  },
  {
    alert: 'TollgateLedgerOutOfBalance',
    // A loss is as wrong as a gain.
    fires: { tollgate_ledger_imbalance_pico: '-1x60' },
    at: '1m',
    silent: [],
  },
  {
    alert: 'TollgateLedgerNotAudited',
    fires: { tollgate_ledger_audited_timestamp_seconds: '0x200' },
    at: '140m',
    silent: [{ tollgate_ledger_audited_timestamp_seconds: '0+60x200' }],
  },
  {
    alert: 'TollgateUsageRejected',
    fires: { tollgate_usage_events_rejected_total: '0 0 1x60' },
    at: '5m',
    silent: [{ tollgate_usage_events_rejected_total: '7x60' }],
  },
  gauge('TollgateUsageInReview', 'tollgate_usage_reviews_open', 0, '1m'),
  {
    alert: 'TollgateUsageDisputed',
    fires: { 'tollgate_gateway_usage_beyond_bound_total{upstream="east"}': '1x20 2x40' },
    at: '25m',
    labels: EAST,
    silent: [{ 'tollgate_gateway_usage_beyond_bound_total{upstream="east"}': '3x60' }],
  },
  {
    alert: 'TollgateUsageDisputed',
    // The first of an upstream.
    fires: { 'tollgate_gateway_usage_beyond_bound_total{upstream="east"}': '_x20 1x40' },
    at: '25m',
    labels: EAST,
    silent: [],
  },
  {
    ...gauge('TollgateUsageWaits', 'tollgate_usage_unbooked_oldest_seconds{state="waiting"}', 900, '1m'),
    silent: [{ 'tollgate_usage_unbooked_oldest_seconds{state="rejected"}': '90000x60' }],
  },
  {
    alert: 'TollgateClockWrong',
    fires: { 'tollgate_usage_clock_corrected_total{how="past"}': '0+2x60' },
    at: '15m',
    silent: [{ 'tollgate_usage_clock_corrected_total{how="past"}': '0 5x60' }],
  },
  {
    alert: 'TollgateUsageNotBooked',
    fires: { [`tollgate_gateway_spool_oldest_timestamp_seconds{${IN_POD}}`]: '0x60' },
    at: '20m',
    labels: POD,
    silent: [{ [`tollgate_gateway_spool_oldest_timestamp_seconds{${IN_POD}}`]: '0+60x60' }],
  },
  gauge('TollgateUsageQueueLong', 'tollgate_usage_queue_jobs{state="waiting"}', 500, '15m'),
  gauge('TollgateSpoolLarge', `tollgate_gateway_spool_bytes{${IN_POD}}`, 1e9, '10m', POD),
  {
    ...gauge('TollgateRedisNearlyFull', 'tollgate_redis_memory_used_ratio{node="a"}', 0, '10m', {
      node: 'a',
    }),
    silent: [{ 'tollgate_redis_memory_used_ratio{node="a"}': '0.8x60' }],
  },
  gauge('TollgateRedisFull', 'tollgate_redis_full', 0, '5m'),
  {
    alert: 'TollgateRedisFull',
    fires: { tollgate_gateway_queue_refusals_total: '0+5x60' },
    at: '10m',
    silent: [{ tollgate_gateway_queue_refusals_total: '0+1x60' }],
  },
  gauge('TollgateSpoolDamaged', `tollgate_gateway_spool_quarantined_files{${IN_POD}}`, 0, '1m', POD),
  {
    alert: 'TollgateSpoolDamaged',
    fires: { [`tollgate_gateway_spool_damaged_lines_total{${IN_POD}}`]: '0x10 1x60' },
    at: '20m',
    labels: POD,
    silent: [{ [`tollgate_gateway_spool_damaged_lines_total{${IN_POD}}`]: '4x60' }],
  },
  {
    alert: 'TollgateSpoolRefused',
    fires: { [`tollgate_gateway_spool_refusals_total{${IN_POD}}`]: '0x10 1x60' },
    at: '12m',
    labels: POD,
    silent: [{ [`tollgate_gateway_spool_refusals_total{${IN_POD}}`]: '4x60' }],
  },
  gauge('TollgateUsageUnstored', `tollgate_gateway_usage_unstored{${IN_POD}}`, 0, '1m', POD),
  gauge('TollgateExportFailed', 'tollgate_exports_failed', 0, '1m'),
  gauge('TollgateBackgroundJobsOverdue', 'tollgate_background_jobs_overdue_seconds', 300, '5m'),
  gauge('TollgateBackgroundJobsOld', 'tollgate_background_jobs_oldest_seconds', 90_000, '1m'),
  gauge('TollgateBackgroundJobsLost', 'tollgate_background_jobs_lost', 0, '1m'),
  {
    alert: 'TollgateRequestsFail',
    fires: {
      'tollgate_gateway_requests_total{status="200"}': '0+90x60',
      'tollgate_gateway_requests_total{status="503"}': '0+10x60',
    },
    at: '15m',
    silent: [
      {
        'tollgate_gateway_requests_total{status="200"}': '0+99x60',
        'tollgate_gateway_requests_total{status="503"}': '0+1x60',
      },
      // The caller's own fault.
      { 'tollgate_gateway_requests_total{status="429"}': '0+100x60' },
      // Nobody asks.
      { 'tollgate_gateway_requests_total{status="503"}': '5x60' },
    ],
  },
  {
    alert: 'TollgateFirstByteSlow',
    fires: {
      'tollgate_gateway_first_byte_seconds_bucket{stream="true",le="30"}': '0+80x60',
      'tollgate_gateway_first_byte_seconds_bucket{stream="true",le="60"}': '0+100x60',
      'tollgate_gateway_first_byte_seconds_bucket{stream="true",le="+Inf"}': '0+100x60',
    },
    at: '30m',
    silent: [
      {
        'tollgate_gateway_first_byte_seconds_bucket{stream="true",le="30"}': '0+99x60',
        'tollgate_gateway_first_byte_seconds_bucket{stream="true",le="60"}': '0+100x60',
        'tollgate_gateway_first_byte_seconds_bucket{stream="true",le="+Inf"}': '0+100x60',
      },
      {
        // A whole answer may take as long as it is.
        'tollgate_gateway_first_byte_seconds_bucket{stream="false",le="30"}': '0x60',
        'tollgate_gateway_first_byte_seconds_bucket{stream="false",le="+Inf"}': '0+100x60',
      },
    ],
  },
  {
    alert: 'TollgateStreamsBreak',
    fires: {
      'tollgate_gateway_requests_total{outcome="completed"}': '0+95x60',
      'tollgate_gateway_requests_total{outcome="upstream_cut"}': '0+5x60',
    },
    at: '30m',
    silent: [
      {
        'tollgate_gateway_requests_total{outcome="completed"}': '0+99x60',
        'tollgate_gateway_requests_total{outcome="upstream_cut"}': '0+1x60',
      },
      { 'tollgate_gateway_requests_total{outcome="client_aborted"}': '0+100x60' },
    ],
  },
  {
    alert: 'TollgateCredentialRefused',
    fires: { [`tollgate_upstream_state{${OF_KEY},state="disabled"}`]: '1x60' },
    at: '1m',
    labels: KEY,
    silent: [{ [`tollgate_upstream_state{${OF_KEY},state="ejected"}`]: '1x60' }],
  },
  {
    alert: 'TollgateUpstreamEjected',
    fires: { [`tollgate_upstream_state{${OF_KEY},state="ejected"}`]: '1x60' },
    at: '15m',
    labels: KEY,
    silent: [
      { [`tollgate_upstream_state{${OF_KEY},state="ready"}`]: '1x60' },
      { [`tollgate_upstream_state{${OF_KEY},state="ejected"}`]: '1x5 0x5 1x60' },
    ],
  },
  {
    alert: 'TollgateUpstreamRateLimited',
    fires: {
      [`tollgate_upstream_attempts_total{${OF_KEY},outcome="answered"}`]: '0+80x60',
      [`tollgate_upstream_attempts_total{${OF_KEY},outcome="rate_limited"}`]: '0+20x60',
    },
    at: '30m',
    labels: EAST,
    silent: [
      {
        [`tollgate_upstream_attempts_total{${OF_KEY},outcome="answered"}`]: '0+95x60',
        [`tollgate_upstream_attempts_total{${OF_KEY},outcome="rate_limited"}`]: '0+5x60',
      },
    ],
  },
  {
    alert: 'TollgateRetriesDenied',
    fires: { 'tollgate_pool_retries_denied_total{pool="main"}': '0+60x60' },
    at: '15m',
    labels: { pool: 'main' },
    silent: [{ 'tollgate_pool_retries_denied_total{pool="main"}': '0+15x60' }],
  },
  {
    alert: 'TollgateServiceDown',
    // Its pods are there, and none lets itself be read.
    fires: up({ gateway: '1x60', billing: '0x60', pricing: '1x60' }),
    at: '5m',
    labels: { job: 'billing' },
    silent: [
      up({ gateway: '1x60', billing: '1x60', pricing: '1x60' }),
      // One of two answers.
      { ...up({ gateway: '1x60', billing: '1x60', pricing: '1x60' }), 'up{job="billing",pod="b"}': '0x60' },
    ],
  },
  {
    alert: 'TollgateServiceDown',
    fires: up({ gateway: '1x60', billing: '1x60' }),
    at: '5m',
    labels: { job: 'pricing' },
    silent: [],
  },
  {
    ...gauge('TollgateEventLoopSlow', `nodejs_eventloop_lag_p99_seconds{job="gateway",${IN_POD}}`, 0, '10m', {
      ...POD,
      job: 'gateway',
    }),
    silent: [
      { [`nodejs_eventloop_lag_p99_seconds{job="gateway",${IN_POD}}`]: '0.2x60' },
      { [`nodejs_eventloop_lag_p99_seconds{job="other",${IN_POD}}`]: '1x60' },
    ],
  },
  gauge('TollgateRedisDegraded', `tollgate_gateway_redis_degraded{${IN_POD}}`, 0, '5m', POD),
  {
    alert: 'TollgatePricesStale',
    fires: { [`tollgate_gateway_snapshot_heard_timestamp_seconds{${IN_POD}}`]: '0x60' },
    at: '15m',
    labels: POD,
    silent: [{ [`tollgate_gateway_snapshot_heard_timestamp_seconds{${IN_POD}}`]: '0+60x60' }],
  },
  gauge('TollgateDraftOverdue', 'tollgate_pricing_drafts_overdue', 0, '10m'),
  gauge('TollgateDraftFailed', 'tollgate_pricing_drafts_failed', 0, '1m'),
  {
    alert: 'TollgateJobFails',
    fires: { [faults('billing', 'period_lookup_failed')]: '0+1x60' },
    at: '40m',
    labels: { service: 'billing', event: 'period_lookup_failed' },
    // Once is no reason, and other things that are logged are none of a job.
    silent: [
      { [faults('billing', 'period_lookup_failed')]: '0x20 1x40' },
      { [faults('billing', 'oidc_sign_in_failed')]: '0+1x60' },
    ],
  },
];
