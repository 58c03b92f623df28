import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';
import { httpError } from './http-errors.ts';

/** More than any body needs, and less than what walks it by calling itself can bear. */
const MAX_DEPTH = 64;

interface InputFault {
  /** Of the field, such as `filters.0.name`; empty for the input as a whole. */
  readonly path: string;
  /** What must hold of it. */
  readonly message: string;
}

/**
 * What of an input could be neither stored nor handed on: PostgreSQL keeps every character but NUL, and half of a
 * surrogate pair is no character. Streams and other objects with a class of their own are left alone.
 */
export function findInputFault(input: unknown): InputFault | undefined {
  const open: { readonly value: unknown; readonly path: readonly string[] }[] = [{ value: input, path: [] }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, path } = next;
    if (typeof value === 'string') {
      const message = faultOfText(value);
      if (message !== undefined) return { path: path.join('.'), message };
      continue;
    }
    if (!isPlain(value)) continue;
    if (path.length >= MAX_DEPTH)
      return { path: path[0] ?? '', message: `must not be nested more than ${MAX_DEPTH} levels deep` };
    for (const [name, each] of Object.entries(value)) {
      const message = faultOfText(name);
      if (message !== undefined) return { path: path.join('.'), message: `the name of a field ${message}` };
      open.push({ value: each, path: [...path, name] });
    }
  }
  return undefined;
}

function faultOfText(text: string): string | undefined {
  if (text.includes('\0')) return 'must not hold the character NUL';
  return text.isWellFormed() ? undefined : 'must be whole characters: it holds half of a surrogate pair';
}

function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  // Objects of Fastify's query have a prototype of their own, which inherits nothing.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Refuses what could not be stored in the path, the query and the body of every route, whatever its schemas let pass. */
export class StorableInput implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (context.getType() === 'http') requireStorable(context.switchToHttp().getRequest<FastifyRequest>());
    return next.handle();
  }
}

/** @throws HttpException 400 */
function requireStorable({ params, query, body }: FastifyRequest): void {
  for (const input of [params, query, body]) {
    const fault = findInputFault(input);
    if (!fault) continue;
    const { path, message } = fault;
    const words = path === '' ? `The request ${message}.` : `${path}: ${message}.`;
    throw httpError(400, words, path || null, 'not_storable');
  }
}
