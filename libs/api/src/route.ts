import type { Permission } from '@tollgate/vocabulary';
import type { z } from 'zod';

/** Anybody may call it: who is not signed in, too. */
export const PUBLIC = 'public';

/** An answer whose handler writes the bytes of the body itself: a file, a stream, or JSON in exact digits. */
export interface FileAnswer {
  readonly status?: number;
  /** Such as `text/csv; charset=utf-8`; all that there may be. */
  readonly contentType: string | readonly string[];
  /** What the bytes say, where they are JSON; what each line says, where they are lines of JSON. */
  readonly schema?: z.ZodType;
}

/** One way to call the HTTP API: everything that its service, its document and its callers must know of it. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Parameters as `:name`, such as `/api/keys/:id`. */
  readonly path: `/${string}`;
  /** One line. */
  readonly summary: string;
  readonly description?: string;
  /** What whoever calls it must be allowed to do. */
  readonly permission: Permission | typeof PUBLIC;
  /** Where the account is named that it is about: who may not act in other accounts is refused for any but their own. */
  readonly account?: AccountInput;
  /** What lets act on what is other people's of the same account; without it one's own is there, and the account's. */
  readonly ofOthers?: Permission;
  /**
   * Whether whoever calls it must have proved lately who they are: a stolen session, or a browser that was left open,
   * must not be enough for it. As a function of the body where only some are dangerous.
   */
  readonly reauthenticate?: true | ((body: unknown) => boolean);
  /** Whether who may not be signed in before they have a second factor may call it as well: it gets them one. */
  readonly duringEnrolment?: true;
  /** False where the method says that something changes, but nothing does that anybody asks about later. */
  readonly audited?: false;
  /** What the path names. What fits no such name is answered with 404 and the schema's own words. */
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  /** By their names in lower case. */
  readonly headers?: z.ZodObject;
  readonly body?: z.ZodType;
  /** Of the request's body; JSON where nothing is said. */
  readonly bodyType?: string;
  /** The status of success, where it is not 200. */
  readonly status?: number;
  /** Other statuses of success with the same body, and what each of them says. */
  readonly otherSuccess?: Readonly<Record<number, string>>;
  /** The body of success; a route without one says so by its status, 204 or 302. */
  readonly answer?: z.ZodType | FileAnswer;
  /** Refusals that its input, its permission and its path do not tell of by themselves. */
  readonly errors?: Readonly<Record<number, string>>;
}

interface AccountInput {
  readonly in: 'params' | 'query' | 'body';
  readonly name: string;
  /** What somebody needs to name another account than their own. */
  readonly others: Permission;
}

/** The routes of one resource, by the name of the operation. */
export type Resource = Readonly<Record<string, Route>>;

/** Keeps the exact types of the schemas. */
export const defineResource = <const R extends Resource>(routes: R): R => routes;

type Output<T> = T extends z.ZodType ? z.output<T> : undefined;

/** What a handler is given: checked, with defaults filled in. */
export interface RequestOf<R extends Route> {
  readonly params: Output<R['params']>;
  readonly query: Output<R['query']>;
  readonly headers: Output<R['headers']>;
  readonly body: Output<R['body']>;
}

/** A value that nobody will change. */
type Constant<T> = T extends readonly (infer E)[]
  ? readonly Constant<E>[]
  : T extends object
    ? { readonly [K in keyof T]: Constant<T[K]> }
    : T;

/** What a handler of a route with a described answer returns. */
export type HandlerAnswer<R extends Route> = R['answer'] extends z.ZodType
  ? Constant<z.input<R['answer']>>
  : R['answer'] extends FileAnswer
    ? unknown
    : void;

/** What a caller receives. */
export type AnswerOf<R extends Route> = R['answer'] extends z.ZodType
  ? Constant<z.output<R['answer']>>
  : R['answer'] extends { readonly schema: infer S extends z.ZodType }
    ? z.output<S>
    : undefined;

/** What a caller sends as the body. */
export type BodyOf<R extends Route> = R['body'] extends z.ZodType ? Constant<z.input<R['body']>> : undefined;

export const isFileAnswer = (answer: Route['answer']): answer is FileAnswer =>
  answer !== undefined && 'contentType' in answer;

/** The HTTP status of success. */
export const findStatus = ({ status = 200 }: Route): number => status;
