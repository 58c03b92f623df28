export * from './route.ts';
export { errorAnswer } from './common.ts';
export { accounts } from './accounts.ts';
export { catalogueEntries } from './catalogue.ts';
export { drafts, type DraftStatus, type ShownChange, type ChangeInput } from './drafts.ts';
export { factors } from './factors.ts';
export { HOLDABLE_FIELDS, type HoldableField } from './key-answers.ts';
export { keys } from './keys.ts';
export { links, members } from './members.ts';
export { publicPrices } from './prices.ts';
export { providers } from './providers.ts';
export { profile } from './profile.ts';
export { listOperations, SERVICES } from './services.ts';
export { setup } from './setup.ts';
export { signIn } from './sign-in.ts';
export { upstreams } from './upstreams.ts';
export { versions } from './versions.ts';
export { usage } from './usage.ts';
export { REVIEW_STATUSES, usageReviews } from './usage-reviews.ts';
export { rejected } from './rejected-usage.ts';
export { partitions } from './partitions.ts';
export { ledger, type LedgerOperation, ledgerOperations } from './ledger.ts';
export { margins } from './margins.ts';
export { redemption } from './redemption.ts';
export { periods } from './periods.ts';
export { AUDIT_SOURCES, auditLog } from './audit-log.ts';
export { exportSchedules } from './export-schedules.ts';
export {
  dataExports,
  EXPORT_CONTENT_TYPES,
  EXPORT_FORMATS,
  EXPORT_KINDS,
  EXPORT_STATUSES,
  type ExportFormat,
  type ExportKind,
  type ExportStatus,
} from './exports.ts';
export { statements } from './statements.ts';
export { systemState } from './system.ts';
export { reconciliations } from './reconciliations.ts';
export { rerates } from './rerates.ts';
export { notices } from './notices.ts';
export { overview } from './overview.ts';
export { search } from './search.ts';
export { ALL_ACCOUNTS, requests } from './requests.ts';
