/** Names under which Nest hands out what is not a class. */
export const CONFIG = Symbol('config');
export const LIMITER = Symbol('limiter');
export const REDIS = Symbol('redis');
export const BILLING = Symbol('billing client');
export const AUDIT_NOTES = Symbol('audit notes');
export const TRACER = Symbol('tracer');
