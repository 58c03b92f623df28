import {
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Inject,
  Param,
  Post,
  Query,
  Req,
  Res,
  UseGuards,
} from '@nestjs/common';
import { Allow, httpError } from '@tollgate/platform';
import type { FastifyReply } from 'fastify';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import { keepsBooks, mustKeepBooks } from '../accounts/account-scope.ts';
import { audit } from '../audit-log/audit.ts';
import { SignedInGuard, type SignedInRequest } from '../auth/signed-in.guard.ts';
import { DATABASE, EXPORTS } from '../provided.ts';
import { byteRange } from './byte-range.ts';
import { type ExportBody, exportBody, fileQuery, listQuery } from './export-body.ts';
import { cancelExport, createExport, type ExportJob, findExport, listExports } from './export-jobs.ts';
import { partsOf } from './export-parts.ts';
import type { ExportRunner } from './export-runner.ts';
import { CONTENT_TYPES } from './formats/part-encoder.ts';
import type { ExportStorage } from './storage/storage.ts';

/** What the routes of exports need beside the database. */
export interface Exports {
  readonly storage: ExportStorage;
  readonly runner: Pick<ExportRunner, 'wake'>;
  readonly partRows: number;
  readonly providerName: string;
}

type Person = SignedInRequest['person'];

@Controller('api/exports')
@UseGuards(SignedInGuard)
export class ExportsController {
  constructor(
    @Inject(DATABASE) private readonly database: DataSource,
    @Inject(EXPORTS) private readonly exports: Exports,
  ) {}

  /** Asks for files of what was booked in a time. Members may ask for the usage of their own account. */
  @Post()
  @Allow('exports:write')
  @HttpCode(202)
  async create(
    @Req() { person }: SignedInRequest,
    @Body({ schema: exportBody }) body: ExportBody,
  ): Promise<object> {
    const isCustomer = !keepsBooks(person);
    if (isCustomer && (body.kind !== 'usage' || (body.account_id ?? person.account_id) !== person.account_id))
      mustKeepBooks(person);
    const job = await createExport(this.database, {
      kind: body.kind,
      format: body.format,
      audience: isCustomer ? 'customer' : 'books',
      filters: {
        from: new Date(body.from).toISOString(),
        to: new Date(body.to).toISOString(),
        accountId: isCustomer ? person.account_id : (body.account_id ?? null),
        model: body.model ?? null,
        keyId: body.key_id ?? null,
      },
      partRows: this.exports.partRows,
      providerName: this.exports.providerName,
      requestedBy: person.email,
    });
    this.exports.runner.wake();
    return shown(job);
  }

  /** The newest exports first. */
  @Get()
  @Allow('exports:write')
  async list(
    @Req() { person }: SignedInRequest,
    @Query({ schema: listQuery }) query: z.infer<typeof listQuery>,
  ): Promise<object> {
    const customersOf = keepsBooks(person) ? null : person.account_id;
    const { items, total } = await listExports(this.database, {
      customersOf,
      scheduleId: query.schedule_id ?? null,
      limit: query.limit,
      offset: query.offset,
    });
    return { items: items.map(shown), total };
  }

  /** How far an export is. */
  @Get(':id')
  @Allow('exports:write')
  async get(@Req() { person }: SignedInRequest, @Param('id') id: string): Promise<object> {
    return shown(await this.find(person, id));
  }

  /** What is in an export that is done: filters, watermark, sums, and the SHA-256 of each file. */
  @Get(':id/manifest')
  @Allow('exports:write')
  async manifest(
    @Req() { person }: SignedInRequest,
    @Param('id') id: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { manifest } = done(await this.find(person, id));
    await reply.type('application/json; charset=utf-8').send(manifest);
  }

  /** A file of an export that is done, or a range of its bytes. */
  @Get(':id/file')
  @Allow('exports:write')
  async file(
    @Req() request: SignedInRequest,
    @Param('id') id: string,
    @Query({ schema: fileQuery }) { part }: z.infer<typeof fileQuery>,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { plan, filesRemovedAt } = done(await this.find(request.person, id));
    if (filesRemovedAt) throw filesAreGone();
    const found = (await partsOf(this.database, plan.id)).find((each) => each.part === part);
    if (!found) throw httpError(404, `This export has no part ${part}: its manifest lists them.`, 'part');
    const etag = `"${found.sha256}"`;
    const condition = request.headers['if-range'];
    const wanted = condition === undefined || condition === etag ? request.headers.range : undefined;
    const range = byteRange(wanted, found.bytes);
    void reply.headers({ 'accept-ranges': 'bytes', etag });
    if (range.how === 'unsatisfiable') {
      void reply.header('content-range', `bytes */${found.bytes}`);
      throw httpError(416, `The file has ${found.bytes} bytes.`, 'range');
    }
    const { start, end } = range.how === 'part' ? range : { start: 0, end: found.bytes - 1 };
    const stream = await this.exports.storage.read(plan.id, found.name, { start, end });
    if (!stream) throw filesAreGone();
    await audit(this.database, {
      action: 'export.download',
      object: `export ${plan.id}`,
      accountId: plan.filters.accountId ?? null,
      after: { part, from: start, to: end },
    });
    const file = `${plan.kind}-${plan.filters.from.slice(0, 10)}-${plan.filters.to.slice(0, 10)}-${found.name}`;
    if (range.how === 'part')
      void reply.code(206).header('content-range', `bytes ${start}-${end}/${found.bytes}`);
    await reply
      .type(CONTENT_TYPES[plan.format])
      .headers({
        'content-length': end - start + 1,
        'content-disposition': `attachment; filename="${file}"`,
        'cache-control': 'private, no-store',
      })
      .send(stream);
  }

  /** Cancels an export that is not finished. */
  @Delete(':id')
  @Allow('exports:write')
  @HttpCode(204)
  async cancel(@Req() { person }: SignedInRequest, @Param('id') id: string): Promise<void> {
    const { plan, status } = await this.find(person, id);
    if (!(await cancelExport(this.database, plan.id)))
      throw httpError(409, `The export is ${status === 'running' ? 'done' : status} already.`);
    await this.exports.storage.remove(plan.id);
  }

  private async find(person: Person, id: string): Promise<ExportJob> {
    const job = z.uuid().safeParse(id).success ? await findExport(this.database, id) : undefined;
    const seen = job && (keepsBooks(person) || isOwn(job, person));
    if (!seen) throw httpError(404, 'There is no such export.', 'id');
    return job;
  }
}

const filesAreGone = () => httpError(410, 'The file is no longer in the store; ask for the export again.');

const isOwn = ({ plan }: ExportJob, person: Person): boolean =>
  plan.audience === 'customer' && plan.filters.accountId === person.account_id;

function done(job: ExportJob): ExportJob {
  if (job.status !== 'done')
    throw httpError(409, `The export is ${job.status}; it has files when it is done.`);
  return job;
}

const shown = ({ plan, ...job }: ExportJob): object => {
  const left = job.rowsTotal === null ? null : job.rowsTotal - job.rowsDone;
  return {
    id: plan.id,
    status: job.status,
    progress: progressOf(job),
    kind: plan.kind,
    format: plan.format,
    from: plan.filters.from,
    to: plan.filters.to,
    account_id: plan.filters.accountId,
    model: plan.filters.model,
    key_id: plan.filters.keyId,
    watermark: plan.watermark,
    requested_by: job.requestedBy,
    schedule_id: job.scheduleId,
    rows: { done: job.rowsDone, of: job.rowsTotal },
    bytes: job.bytes,
    rows_per_second: job.rowsPerSecond,
    eta_s: left === null || !job.rowsPerSecond ? null : Math.ceil(left / job.rowsPerSecond),
    error: job.error,
    created_at: job.createdAt.toISOString(),
    finished_at: job.finishedAt?.toISOString() ?? null,
    files_removed_at: job.filesRemovedAt?.toISOString() ?? null,
  };
};

/** From 0 to 1; null while nobody knows how much there is. */
function progressOf({ status, rowsDone, rowsTotal }: Omit<ExportJob, 'plan'>): number | null {
  if (status === 'done') return 1;
  if (status === 'queued' && rowsDone === 0) return 0;
  if (rowsTotal === null) return null;
  return rowsTotal === 0 ? 1 : Math.min(1, Math.round((rowsDone / rowsTotal) * 1_000) / 1_000);
}
