import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import type { TcpContext } from '@nestjs/microservices';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { REFUSAL_VALUES, RefusalCode } from '@tollgate/vocabulary';
import { type Observable, throwError } from 'rxjs';
import type { NoteRefusal } from './access-refusals.ts';
import type { Logger } from './logging.ts';

const TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  429: 'rate_limit_error',
};

/** Where nothing more is to be said than the status does. */
const STATUS_CODES: Readonly<Record<number, RefusalCode>> = {
  401: 'not_signed_in',
  403: 'permission_denied',
  404: 'not_found',
  413: 'body_too_large',
  429: 'rate_limit_exceeded',
  503: 'service_busy',
};

/** The code of a refusal that is a framework's own, or nobody foresaw. */
export const codeOfStatus = (status: number): RefusalCode =>
  STATUS_CODES[status] ?? (status >= 500 ? 'failed_here' : 'request_wrong');

type Valued = typeof REFUSAL_VALUES;
/** What goes with a code: the figures and names that its words put in, of a code that says any. */
type ValuesOf<C extends RefusalCode> = C extends keyof Valued
  ? [values: Readonly<Record<Valued[C][number], string | number>>]
  : [];

/**
 * An error in the shape that all HTTP APIs of the service share; `param` names the field that is wrong, `code` what a
 * program does about it and in which words the console says it: there is no refusal without one.
 */
export function errorBody(
  status: number,
  message: string,
  param: string | null,
  code: RefusalCode,
  values?: Readonly<Record<string, string | number>>,
): object {
  const type = TYPES[status] ?? (status >= 500 ? 'server_error' : 'invalid_request_error');
  return { error: { message, type, param, code, ...(values && { values }) } };
}

/** A refusal to throw from a controller or guard. */
export const httpError = <C extends RefusalCode>(
  status: number,
  message: string,
  param: string | null,
  code: C,
  ...[values]: ValuesOf<C>
): HttpException => new HttpException(errorBody(status, message, param, code, values), status);

/** The same with values that are not known by the code. */
export const toHttpException = (
  status: number,
  message: string,
  param: string | null,
  code: RefusalCode,
  values?: Readonly<Record<string, string | number>>,
): HttpException => new HttpException(errorBody(status, message, param, code, values), status);

/** The refusal of a request that needs another service, which did not answer: the operators find why in the log. */
export const unavailable = (message: string, cause: unknown): HttpException =>
  new HttpException(errorBody(503, message, null, 'service_busy'), 503, { cause });

/**
 * Gives every error of a Nest route the shared shape; what was not foreseen is logged and shown as a plain 500. The
 * caller of a message handler is told only that it failed.
 */
@Catch()
export class HttpErrorFilter implements ExceptionFilter {
  constructor(
    private readonly logger: Logger,
    private readonly noteRefusal: NoteRefusal,
  ) {}

  catch(error: unknown, host: ArgumentsHost): Observable<never> | undefined {
    if (host.getType() !== 'http') {
      const pattern = host.switchToRpc().getContext<TcpContext>().getPattern();
      this.logger.error({ event: 'message_failed', err: error, pattern }, 'a message could not be answered');
      return throwError(() => ({ status: 'error', message: 'Internal server error' }));
    }
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const { status, body } = this.#answerTo(error, request);
    this.noteRefusal(request, status, toldIn(body));
    if (status === 503) void reply.header('retry-after', '2');
    void reply.code(status).send(body);
    return undefined;
  }

  #answerTo(error: unknown, request: FastifyRequest): { status: number; body: object } {
    if (isBusy(error)) {
      this.logger.warn({ event: 'database_busy', err: error, ...described(request) }, 'the database is busy');
      return { status: 503, body: errorBody(503, BUSY, null, 'service_busy') };
    }
    const status = statusOf(error);
    if (status >= 500 && !(error instanceof HttpException)) {
      this.logger.error({ event: 'request_failed', err: error, ...described(request) }, 'a request failed');
      return {
        status,
        body: errorBody(
          status,
          'Something failed here. The operators can find it in the log.',
          null,
          'failed_here',
        ),
      };
    }
    if (error instanceof HttpException && error.cause !== undefined) {
      this.logger.warn(
        { event: 'request_refused', err: error.cause, ...described(request) },
        'a request was refused',
      );
    }
    const body: unknown = error instanceof HttpException ? error.getResponse() : undefined;
    if (typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'object') {
      return { status, body };
    }
    if (status === 404)
      return {
        status,
        body: errorBody(404, `Invalid URL (${request.method} ${pathOf(request)})`, null, 'not_found'),
      };
    const message = error instanceof Error ? error.message : String(error);
    return { status, body: errorBody(status, message, null, codeOfStatus(status)) };
  }
}

/** What an answer in the shared shape says. */
function toldIn(body: object): { readonly message: string; readonly code: string | null } {
  const { message, code }: { message?: unknown; code?: unknown } =
    'error' in body && typeof body.error === 'object' && body.error !== null ? body.error : {};
  return {
    message: typeof message === 'string' ? message : 'a request was refused',
    code: typeof code === 'string' ? code : null,
  };
}

const BUSY = 'The database is too busy to do this in time. Try again in a moment, or ask for less at once.';

/** SQLSTATE of statements and waits for locks that took too long, and of a server that has no connection left. */
const BUSY_CODES: ReadonlySet<unknown> = new Set(['57014', '55P03', '53300']);
/** What the pool of `pg` says when no connection came free in time; it has no code. */
const NO_CONNECTION = 'timeout exceeded when trying to connect';

const isBusy = (error: unknown): boolean =>
  error instanceof Error &&
  (error.message === NO_CONNECTION || ('code' in error && BUSY_CODES.has(error.code)));

/** A request as the log names it. */
const described = (request: FastifyRequest) => ({
  request_id: request.id,
  method: request.method,
  path: pathOf(request),
});

const pathOf = (request: FastifyRequest): string => request.url.split('?')[0] ?? '';

/** Fastify's own refusals, such as a body too large, carry a `statusCode`. */
function statusOf(error: unknown): number {
  if (error instanceof HttpException) return error.getStatus();
  const code =
    typeof error === 'object' && error !== null && 'statusCode' in error ? error.statusCode : undefined;
  return typeof code === 'number' && code >= 400 && code < 500 ? code : 500;
}
