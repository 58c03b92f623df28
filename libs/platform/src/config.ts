import { isIPv6 } from 'node:net';
import { normaliseAddressRange } from '@tollgate/api/address-range';
import { z } from 'zod';
import { splitAtCommas } from './comma-separated.ts';
import { LOG_LEVELS } from './logging.ts';
import { metricsConfigShape } from './metrics-access.ts';
import { parseRedisUrl } from './redis-url.ts';

/** The environment does not describe a service that could run; the message lists every variable that is wrong. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/**
 * Reads a service's configuration from environment variables, once, at start.
 *
 * @throws ConfigError naming every missing or malformed variable; values are not shown, they may be secrets.
 */
export function loadConfig<T extends z.ZodObject>(
  schema: T,
  env: Record<string, string | undefined> = process.env,
): z.infer<T> {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => (value ?? '').trim() !== ''));
  const parsed = schema.safeParse(given, { error: describeIssue });
  if (parsed.success) return parsed.data;
  const wrong = parsed.error.issues.map(({ path, message }) => {
    const name = String(path[0]);
    return `  ${name}: ${name in given ? message : 'is not set'}`;
  });
  throw new ConfigError(
    `The environment does not describe a service that could run:\n${[...new Set(wrong)].join('\n')}`,
  );
}

const FORMATS: Readonly<Record<string, string>> = { email: 'an e-mail address', uuid: 'a UUID' };

/** What Zod says of a value that a schema says nothing better of, as a sentence about a variable. */
const describeIssue: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_value':
      return `must be ${issue.values.map(String).join(' or ')}`;
    case 'invalid_union': {
      const ways = issue.errors.map(([first]) => first?.message.replace(/^must be /, '') ?? '');
      return `must be ${ways.join(', or ')}`;
    }
    case 'invalid_format':
      return `must be ${FORMATS[issue.format] ?? issue.format}`;
    case 'too_small':
    case 'too_big':
      return describeBound(issue);
    default:
      return `must be a ${issue.code === 'invalid_type' ? issue.expected : 'value that is known'}`;
  }
};

function describeBound(
  issue: z.core.$ZodRawIssue<z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig>,
): string {
  const [limit, isIncluded] =
    issue.code === 'too_small' ? [issue.minimum, issue.inclusive] : [issue.maximum, issue.inclusive];
  const number = limit.toLocaleString('en-US');
  const [least, most] = [isIncluded ? 'at least' : 'more than', isIncluded ? 'at most' : 'less than'];
  const bound = `${issue.code === 'too_small' ? least : most} ${number}`;
  return issue.origin === 'string' ? `must have ${bound} characters` : `must be ${bound}`;
}

/** Node runs a timer that is longer at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
const LONGEST_TIMER_S = Math.floor(LONGEST_TIMER_MS / 1_000);

function anyNumber(min: number, max: number): z.ZodCoercedNumber {
  const says = bounds('number', min, max);
  return z.coerce.number(says).min(min, says).max(max, says);
}

/** Said when it is wrong, and not made before: to write numbers as people do takes a third of a millisecond each. */
const bounds = (what: string, min: number, max: number): { error: () => string } => ({
  error: () => `must be a ${what} from ${min.toLocaleString('en-US')} to ${max.toLocaleString('en-US')}`,
});

/** What is beyond `max` was mistyped. */
export function wholeNumber(min: number, max = 1_000_000_000): z.ZodCoercedNumber {
  const says = bounds('whole number', min, max);
  return z.coerce.number(says).int(says).min(min, says).max(max, says);
}

export const milliseconds = (min: number): z.ZodCoercedNumber => wholeNumber(min, LONGEST_TIMER_MS);

export const wholeSeconds = (min: number, max = LONGEST_TIMER_S): z.ZodCoercedNumber => wholeNumber(min, max);

/** With a fraction, where that is wanted. */
export const seconds = (min: number, max = LONGEST_TIMER_S): z.ZodCoercedNumber => anyNumber(min, max);

/** Up to a tebibyte. */
export const bytes = (min: number): z.ZodCoercedNumber => wholeNumber(min, 2 ** 40);

/** A TCP or HTTP port number; 0 asks the system for a free one. */
export const port = wholeNumber(0, 65_535);

/** The address of a Redis: one server, a cluster, or what Sentinels watch. */
export const redisUrl = z.string().refine((text) => parseRedisUrl(text) !== undefined, {
  error:
    'must be redis://host:port, redis-cluster://host:port,host:port or redis-sentinel://host:port,host:port/name',
});

/** A `postgres://` address. */
export const databaseUrl = z.url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres:// address' });

const TCP = { error: 'must be a tcp://host:port address', abort: true };

/** A `tcp://host:port` address of another service's microservice listener. */
export const tcpUrl = z
  .url({ protocol: /^tcp$/, ...TCP })
  .refine((url) => new URL(url).hostname !== '' && new URL(url).port !== '', TCP);

/** An `http://` or `https://` address without a trailing slash. */
export const httpUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http:// or https:// address' })
  .transform((url) => url.replace(/\/+$/, ''));

/** Like {@link httpUrl}, of a whole host. */
export const originUrl = httpUrl
  .refine((text) => !/[/?#@]/.test(text.replace(/^https?:\/\//, '')), {
    error: 'must be an http:// or https:// address without a path',
    abort: true,
  })
  .transform((text) => new URL(text).origin);

/** Text in parts by commas or blanks, in small letters, each of which is as `form` says. */
export const nameList = (form: RegExp, what: string, initial = ''): z.ZodType<readonly string[]> =>
  z
    .string()
    .default(initial)
    .transform((text) =>
      text
        .toLowerCase()
        .split(/[\s,]+/)
        .filter((part) => part !== ''),
    )
    .refine((parts) => parts.every((part) => form.test(part)), {
      error: `must be ${what}, comma-separated`,
    });

const LABEL = '[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?';
/** A name of a host or domain. */
export const HOST_NAME = new RegExp(`^${LABEL}(?:\\.${LABEL})*$`);

/** Numbers that are no address look like a name. */
const isHost = (text: string): boolean =>
  isIPv6(text) || (HOST_NAME.test(text.toLowerCase()) && URL.canParse(`http://${text}`));

/** What every service reads. */
export const serviceConfigSchema = z.object({
  HOST: z
    .string()
    .refine(isHost, { error: 'must be an address of this machine, or a name of it' })
    .default('127.0.0.1')
    .describe('Address to listen on; `0.0.0.0` in a container'),
  PORT: port.describe('HTTP port; `0` takes any free one'),
  LOG_LEVEL: z.enum(LOG_LEVELS).default('info').describe('The least severe messages that are logged'),
  SHUTDOWN_GRACE_S: wholeSeconds(0)
    .default(30)
    .describe('Seconds that requests in flight may take after SIGTERM'),
  TRUSTED_PROXIES: z
    .string()
    .default('')
    .transform(splitAtCommas)
    .refine((ranges) => ranges.every((range) => normaliseAddressRange(range) !== undefined), {
      error: 'must be addresses or CIDR ranges, comma-separated',
    })
    .describe('Addresses or CIDR ranges, comma-separated, of proxies whose `X-Forwarded-For` is believed'),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl
    .optional()
    .describe('Where traces are sent to over OTLP/HTTP; without it there are none'),
  OTEL_TRACES_SAMPLER_ARG: anyNumber(0, 1).default(1).describe('The share of traces that is taken, 0 to 1'),
  ...metricsConfigShape,
});
export type ServiceConfig = z.infer<typeof serviceConfigSchema>;
