import type { LoggerService } from '@nestjs/common';
import { type DestinationStream, pino, type Logger, type LoggerOptions } from 'pino';
import { noteFault } from './logged-faults.ts';

export type { Logger } from 'pino';

/** The most severe first. */
export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

const SECRET_FIELDS = [
  '.authorization',
  '.cookie',
  '.password',
  '.api_key',
  '.credential',
  '.secret',
  '["x-api-key"]',
  '["x-goog-api-key"]',
  '["set-cookie"]',
];

/** Paths whose values never reach a log: of what is logged itself, of an object in it, and headers deeper down. */
const SECRET_PATHS = [
  ...SECRET_FIELDS.map((field) => field.replace(/^\./, '')),
  ...SECRET_FIELDS.map((field) => `*${field}`),
  '*.headers',
];

/** What goes with an error of the database and holds rows: the values of its statement, and the row that was refused. */
const ROWS = ['parameters', 'detail', 'driverError'] as const;

/** An error with its stack, its codes and the text of its statement, and without the values in it. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const described: Record<string, unknown> = { ...pino.stdSerializers.err(error) };
  for (const name of ROWS) delete described[name];
  return described;
}

const WARN = 40;

/** One JSON object a line, on standard output unless told otherwise, with secrets replaced by "[redacted]". */
export function createLogger(service: string, level: string, destination?: DestinationStream): Logger {
  const options: LoggerOptions = {
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: describeError },
    redact: { paths: SECRET_PATHS, censor: '[redacted]' },
    hooks: {
      logMethod(args, method, level) {
        if (level >= WARN) noteFault(pino.levels.labels[level] ?? String(level), args[0]);
        method.apply(this, args);
      },
    },
  };
  return destination ? pino(options, destination) : pino(options);
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
