import {
  type CallHandler,
  type ExecutionContext,
  Inject,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import { findCaller } from '@tollgate/platform';
import type { FastifyRequest } from 'fastify';
import type { AuditAction } from '@tollgate/vocabulary';
import { mergeMap, type Observable } from 'rxjs';
import { AUDIT_NOTES } from '../provided.ts';
import type { AuditNotes } from './audit-notes.ts';

/** It publishes a version, which is reported with what it changed and is asked for until it is in the log. */
const PUBLISHES = 'publishes';

/** What each route does that changes something. */
export const ACTIONS: Readonly<Record<string, AuditAction | typeof PUBLISHES>> = {
  'PUT /api/catalogue/vendors/:name': PUBLISHES,
  'PUT /api/catalogue/models/:name': PUBLISHES,
  'PUT /api/catalogue/groups/:name': PUBLISHES,
  'PUT /api/catalogue/pools/:name': PUBLISHES,
  'PUT /api/catalogue/upstreams/:name': PUBLISHES,
  'PUT /api/catalogue/discounts/:account_id': PUBLISHES,
  'DELETE /api/catalogue/discounts/:account_id': PUBLISHES,
  'PUT /api/catalogue/limits': PUBLISHES,
  'PUT /api/catalogue/auto-groups': PUBLISHES,
  'DELETE /api/catalogue/:section/:name': PUBLISHES,
  'PUT /api/catalogue/drafts/:name': 'draft.write',
  'DELETE /api/catalogue/drafts/:name': 'draft.remove',
  'POST /api/catalogue/drafts/:name/restore': 'draft.restore',
  'POST /api/catalogue/drafts/:name/publish': 'draft.publish',
  'PUT /api/catalogue/drafts/:name/schedule': 'draft.schedule',
  'DELETE /api/catalogue/drafts/:name/schedule': 'draft.unschedule',
  'POST /api/catalogue/reseal': 'catalogue.reseal',
  'POST /api/catalogue/upstreams/:name/credentials/:credential/enable': 'credential.enable',
  'POST /api/catalogue/upstreams/:name/test': 'upstream.test',
  'POST /api/catalogue/upstreams/:name/try': 'upstream.test',
  'POST /api/catalogue/upstreams/:name/models': 'upstream.models',
  'POST /api/catalogue/providers': PUBLISHES,
  'POST /api/catalogue/providers/test': 'provider.test',
  'POST /api/catalogue/providers/models': 'provider.list-models',
};
/** Of a route that has no name yet. */
const UNNAMED = 'request';
const MAX_OBJECT = 300;

/** Has what was done by a route that changes something written into the audit log. */
@Injectable()
export class NotedChanges implements NestInterceptor {
  constructor(@Inject(AUDIT_NOTES) private readonly notes: AuditNotes) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (context.getType() !== 'http') return next.handle();
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { method, routeOptions, url } = request;
    const action = ACTIONS[`${method} ${routeOptions.url ?? ''}`] ?? UNNAMED;
    const person = findCaller(request);
    if (method === 'GET' || action === PUBLISHES || !person) return next.handle();
    const object = (url.split('?')[0] ?? '').slice(0, MAX_OBJECT);
    return next.handle().pipe(
      mergeMap(async (answer) => {
        await this.notes.note(request, person, { action, object });
        return answer;
      }),
    );
  }
}
