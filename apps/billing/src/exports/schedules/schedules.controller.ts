import {
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Inject,
  Param,
  Patch,
  Post,
  Req,
  UseGuards,
} from '@nestjs/common';
import { Allow } from '@tollgate/platform';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import { SignedInGuard, type SignedInRequest } from '../../auth/signed-in.guard.ts';
import { DATABASE, EXPORTS } from '../../provided.ts';
import type { Exports } from '../exports.controller.ts';
import { askForDueExports } from './due-exports.ts';
import {
  createSchedule,
  listSchedules,
  noSuchSchedule,
  removeSchedule,
  setScheduleStatus,
} from './export-schedules.ts';
import { changeScheduleBody, type ScheduleBody, scheduleBody } from './schedule-body.ts';

@Controller('api/exports/schedules')
@UseGuards(SignedInGuard)
export class SchedulesController {
  constructor(
    @Inject(DATABASE) private readonly database: DataSource,
    @Inject(EXPORTS) private readonly exports: Exports,
  ) {}

  /** Exports that come by themselves, with what each did last and does next. */
  @Get()
  @Allow('export-schedules:write')
  async list(): Promise<object> {
    return { items: await listSchedules(this.database) };
  }

  /** Has a day or a month exported whenever one is over. What is due already is asked for at once. */
  @Post()
  @Allow('export-schedules:write')
  async create(
    @Req() { person }: SignedInRequest,
    @Body({ schema: scheduleBody }) body: ScheduleBody,
  ): Promise<object> {
    const schedule = await createSchedule(this.database, body, person.email);
    if ((await askForDueExports(this.database, this.exports)) > 0) this.exports.runner.wake();
    return schedule;
  }

  /** Halts a schedule or lets it go on; what was due meanwhile is made up for. */
  @Patch(':id')
  @Allow('export-schedules:write')
  async change(
    @Param('id') id: string,
    @Body({ schema: changeScheduleBody }) { status }: z.infer<typeof changeScheduleBody>,
  ): Promise<object> {
    return setScheduleStatus(this.database, idOf(id), status);
  }

  /** Takes a schedule away; the exports that it asked for stay. */
  @Delete(':id')
  @Allow('export-schedules:write')
  @HttpCode(204)
  remove(@Param('id') id: string): Promise<void> {
    return removeSchedule(this.database, idOf(id));
  }
}

function idOf(text: string): string {
  if (!z.uuid().safeParse(text).success) throw noSuchSchedule();
  return text;
}
