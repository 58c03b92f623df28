/** Names under which Nest hands out what is not a class. */
/** For what people change; the next three are pools of their own, for what database/data-source.ts says. */
export const DATABASE = Symbol('database');
export const LOOKUPS = Symbol('look-ups');
export const JOURNAL = Symbol('journal');
export const REPORTS = Symbol('reports');
export const REPORT_TURNS = Symbol('report turns');
export const KEY_CHANGES = Symbol('key changes');
export const PRICING = Symbol('pricing client');
export const LIMITER = Symbol('limiter');
/** Of key records, in Redis. */
export const KEY_COPIES = Symbol('key copies');
/** Where usage goes into the books. */
export const USAGE_BOOKS = Symbol('usage books');
/** Where gateways tell what became of requests: `RequestNotes`. */
export const REQUEST_NOTES = Symbol('request notes');
/** Answers that go on after their request: `BackgroundJobs`. */
export const BACKGROUND_JOBS = Symbol('background jobs');
export const CREDIT = Symbol('credit changes');
export const AUDIT_WORK = Symbol('audit work');
/** What seals, verifies and drops closed months: `PeriodWork`. */
export const PERIOD_WORK = Symbol('period work');
export const EXPORTS = Symbol('exports');
/** The set-up token of the environment, `{ value }`. */
export const SETUP_TOKEN = Symbol('set-up token');
/** Null where no provider is set. */
export const OIDC = Symbol('sign-in provider');
/** What holds for keys of every account that operators set nothing else for: `KeyRules`. */
export const KEY_RULES = Symbol('key rules');
export const REDIS = Symbol('redis');
export const LOGGER = Symbol('logger');
export const LAST_AUDIT = Symbol('last audit');
export const USAGE_QUEUE_WATCH = Symbol('usage queue watch');
/** Keys and site of second factors. */
export const FACTORS = Symbol('second factors');
/** How long sessions last, and whose needs a second factor. */
export const SESSION_POLICY = Symbol('session policy');
