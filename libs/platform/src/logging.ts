import type { LoggerService } from '@nestjs/common';
import { pino, type Logger } from 'pino';

export type { Logger } from 'pino';

/** Paths whose values never reach a log, wherever a request, a header object or a config is logged. */
const SECRET_PATHS = [
  'authorization',
  'cookie',
  'password',
  'api_key',
  'credential',
  'secret',
  'headers.authorization',
  'headers.cookie',
  'headers["x-api-key"]',
  'headers["x-goog-api-key"]',
  'headers["set-cookie"]',
  '*.authorization',
  '*.cookie',
  '*.password',
  '*.api_key',
  '*.credential',
  '*.secret',
  'req.headers',
];

/** One JSON object a line on standard output, with secrets replaced by "[redacted]". */
export function createLogger(service: string, level: string): Logger {
  return pino({
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: SECRET_PATHS, censor: '[redacted]' },
  });
}

/** Lets Nest's own messages go through the service's logger; its start-up chatter becomes `debug`. */
export function nestLogger(logger: Logger): LoggerService {
  const context = (rest: unknown[]) => ({ context: rest.findLast((part) => typeof part === 'string') });
  return {
    log: (message, ...rest) => logger.debug(context(rest), String(message)),
    error: (message, ...rest) => logger.error({ ...context(rest), detail: rest[0] }, String(message)),
    warn: (message, ...rest) => logger.warn(context(rest), String(message)),
    debug: (message, ...rest) => logger.debug(context(rest), String(message)),
    verbose: (message, ...rest) => logger.trace(context(rest), String(message)),
  };
}
