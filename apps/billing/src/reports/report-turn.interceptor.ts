import {
  type CallHandler,
  type ExecutionContext,
  Inject,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import { findCaller } from '@tollgate/platform';
import { finalize, type Observable } from 'rxjs';
import { REPORT_TURNS } from '../provided.ts';
import type { ReportTurns } from './report-turns.ts';

/** A route that reads much: it waits for a turn of whoever is signed in. */
@Injectable()
export class ReportTurn implements NestInterceptor {
  constructor(@Inject(REPORT_TURNS) private readonly turns: ReportTurns) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const person = findCaller(context.switchToHttp().getRequest());
    if (!person) throw new Error('A public route takes turns.');
    const end = await this.turns.take(person);
    return next.handle().pipe(finalize(end));
  }
}
