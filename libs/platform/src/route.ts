import {
  applyDecorators,
  type CallHandler,
  createParamDecorator,
  type ExecutionContext,
  HttpCode,
  type NestInterceptor,
  RequestMapping,
  RequestMethod,
  SetMetadata,
} from '@nestjs/common';
import {
  type HandlerAnswer,
  isFileAnswer,
  type RequestOf,
  type Route,
  findStatus,
} from '@tollgate/api/route';
import type { FastifyRequest } from 'fastify';
import { map, type Observable } from 'rxjs';
import type { z } from 'zod';
import { refuseField } from './field-refusal.ts';

const ROUTE = 'tollgate:route';

/** The route that a handler serves; undefined for one that says none. */
export const findRoute = (handler: object): Route | undefined =>
  Reflect.getMetadata(ROUTE, handler) as Route | undefined;

/** A method that takes what the route describes first, and returns what it describes. */
type HandlerOf<R extends Route> = (
  input: RequestOf<R>,
  ...more: never[]
) => HandlerAnswer<R> | Promise<HandlerAnswer<R>>;

/**
 * This method serves a route of the contract: its method, path and status are the route's, its first parameter is
 * `@Input()`, and what it returns is checked against the answer that the route describes.
 *
 * @example
 * @Handles(keys.changeKey)
 * change(@Input() { params, body }: RequestOf<typeof keys.changeKey>, @Caller() caller: Session) { … }
 */
export const Handles =
  <const R extends Route>(route: R) =>
  <H extends HandlerOf<R>>(target: object, name: string | symbol, method: TypedPropertyDescriptor<H>): void =>
    applyDecorators(
      RequestMapping({ path: route.path, method: RequestMethod[route.method] }),
      HttpCode(findStatus(route)),
      SetMetadata(ROUTE, route),
    )(target, name, method);

/** What was sent, checked by the schemas of the route. */
export const Input = createParamDecorator((_: unknown, context: ExecutionContext): unknown => {
  const route = findRoute(context.getHandler());
  if (!route) throw new Error(`${context.getHandler().name} has @Input() without @Handles().`);
  const { params, query, headers, body } = context.switchToHttp().getRequest<FastifyRequest>();
  return {
    params: route.params && checked(route.params, params, 404),
    query: route.query && checked(route.query, query, 400),
    headers: route.headers && checked(route.headers, headers, 400),
    body: route.body && checked(route.body, body, 400),
  };
});

/** @throws HttpException that names the field as a path. */
function checked(schema: z.ZodType, value: unknown, status: 400 | 404): unknown {
  const parsed = schema.safeParse(value, { reportInput: true });
  if (parsed.success) return parsed.data;
  throw refuseField(parsed.error.issues[0], status);
}

/** Sends of every answer what its route describes, and nothing else. */
export class DescribedAnswers implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const route = context.getType() === 'http' ? findRoute(context.getHandler()) : undefined;
    const answer = route?.answer;
    if (!route || answer === undefined || isFileAnswer(answer)) return next.handle();
    return next.handle().pipe(
      map((value) => {
        const described = answer.safeParse(value);
        if (described.success) return described.data;
        const [issue] = described.error.issues;
        throw new Error(
          `${route.method} ${route.path} answers otherwise than it says: ${issue?.path.join('.')}: ${issue?.message}`,
        );
      }),
    );
  }
}
