import { Controller, Inject } from '@nestjs/common';
import { exportSchedules, type RequestOf } from '@tollgate/api';
import type { Session } from '@tollgate/contracts';
import { Caller, Handles, Input } from '@tollgate/platform';
import type { DataSource } from 'typeorm';
import { DATABASE, EXPORTS } from '../../provided.ts';
import type { Exports } from '../exports.controller.ts';
import { askForDueExports } from './due-exports.ts';
import { createSchedule, listSchedules, removeSchedule, setScheduleStatus } from './export-schedules.ts';

type Schedules = typeof exportSchedules;

@Controller()
export class SchedulesController {
  constructor(
    @Inject(DATABASE) private readonly database: DataSource,
    @Inject(EXPORTS) private readonly exports: Exports,
  ) {}

  @Handles(exportSchedules.listSchedules)
  async list() {
    return { items: await listSchedules(this.database) };
  }

  @Handles(exportSchedules.createSchedule)
  async create(@Input() { body }: RequestOf<Schedules['createSchedule']>, @Caller() caller: Session) {
    const schedule = await createSchedule(this.database, body, caller.email);
    if ((await askForDueExports(this.database, this.exports)) > 0) this.exports.runner.wake();
    return schedule;
  }

  @Handles(exportSchedules.changeSchedule)
  change(@Input() { params, body }: RequestOf<Schedules['changeSchedule']>) {
    return setScheduleStatus(this.database, params.id, body.status);
  }

  @Handles(exportSchedules.removeSchedule)
  remove(@Input() { params }: RequestOf<Schedules['removeSchedule']>) {
    return removeSchedule(this.database, params.id);
  }
}
