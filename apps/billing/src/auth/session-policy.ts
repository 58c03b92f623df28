import { splitAtCommas } from '@tollgate/platform';
import { type Role, ROLES } from '@tollgate/vocabulary';
import { z } from 'zod';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

const hours = (initial: number) =>
  z.coerce
    .number()
    .positive()
    .max(24 * 366)
    .default(initial);

/** The settings of billing that are about how long a sign-in is good for. */
export const sessionConfigShape = {
  SESSION_IDLE_HOURS: hours(168).describe('A session of a member that nobody uses ends after that'),
  SESSION_MAX_HOURS: hours(720).describe('A session of a member ends after that, however it is used'),
  OPERATOR_SESSION_IDLE_HOURS: hours(4).describe('The same of owners, admins and finance'),
  OPERATOR_SESSION_MAX_HOURS: hours(12).describe('The same of owners, admins and finance'),
  REAUTHENTICATE_AFTER_MINUTES: z.coerce
    .number()
    .positive()
    .max(24 * 60)
    .default(15)
    .describe('Whoever proved longer ago who they are does so again before what is dangerous'),
  SECOND_FACTOR_REQUIRED_FOR: z
    .string()
    .default('')
    .transform(splitAtCommas)
    .pipe(z.array(z.enum(ROLES)))
    .describe(
      'Roles, comma-separated, that sign in with a second factor only; `owner,admin,finance` is recommended',
    ),
} as const;

/** How long a sign-in is good for, and whose needs a second factor. */
export interface SessionPolicy {
  readonly idleMs: (role: Role) => number;
  readonly maxMs: (role: Role) => number;
  readonly reauthenticateAfterMs: number;
  readonly isFactorRequired: (role: Role) => boolean;
}

export function sessionPolicy(config: z.infer<z.ZodObject<typeof sessionConfigShape>>): SessionPolicy {
  const ofRole = (member: number, operator: number) => (role: Role) =>
    (role === 'member' ? member : operator) * HOUR_MS;
  return {
    idleMs: ofRole(config.SESSION_IDLE_HOURS, config.OPERATOR_SESSION_IDLE_HOURS),
    maxMs: ofRole(config.SESSION_MAX_HOURS, config.OPERATOR_SESSION_MAX_HOURS),
    reauthenticateAfterMs: config.REAUTHENTICATE_AFTER_MINUTES * MINUTE_MS,
    isFactorRequired: (role) => config.SECOND_FACTOR_REQUIRED_FOR.includes(role),
  };
}

/** What a session says of the sign-in that began it. */
export interface SignInFacts {
  readonly begunAt: number;
  readonly lastSeenAt: number;
  /** When whoever has it last proved who they are. */
  readonly authenticatedAt: number;
  /** How the second factor was shown; undefined where none was. */
  readonly factor: string | undefined;
}

/** Whether a session is over for somebody of a role, whatever its row says. */
export const isOver = (
  policy: SessionPolicy,
  role: Role,
  { begunAt, lastSeenAt, factor }: SignInFacts,
  now: number,
): boolean =>
  now - begunAt >= policy.maxMs(role) ||
  now - lastSeenAt >= policy.idleMs(role) ||
  (factor === undefined && policy.isFactorRequired(role));

export const isFresh = (
  policy: SessionPolicy,
  { authenticatedAt }: Pick<SignInFacts, 'authenticatedAt'>,
  now: number,
): boolean => now - authenticatedAt < policy.reauthenticateAfterMs;
