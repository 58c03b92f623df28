import {
  type CallHandler,
  type ExecutionContext,
  Inject,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import { findRoute } from '@tollgate/platform';
import type { FastifyRequest } from 'fastify';
import { mergeMap, type Observable } from 'rxjs';
import type { DataSource } from 'typeorm';
import { DATABASE } from '../provided.ts';
import { audit } from './audit.ts';
import { isAudited } from './caller.ts';

/** What was done by a route that changes something is in the audit log: by its own entry, and without one by this. */
@Injectable()
export class AuditedChanges implements NestInterceptor {
  constructor(@Inject(DATABASE) private readonly database: DataSource) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (context.getType() !== 'http') return next.handle();
    const { method, routeOptions } = context.switchToHttp().getRequest<FastifyRequest>();
    const route = `${method} ${routeOptions.url ?? ''}`;
    const isUnaudited = findRoute(context.getHandler())?.audited === false;
    if (method === 'GET' || isUnaudited) return next.handle();
    return next.handle().pipe(
      mergeMap(async (answer) => {
        // Whoever is signed in counts before the actor that is named here.
        const entry = { action: 'request' as const, object: route, actor: { email: 'nobody' } };
        if (!isAudited()) await audit(this.database, entry);
        return answer;
      }),
    );
  }
}
