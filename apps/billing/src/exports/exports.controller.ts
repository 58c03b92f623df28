import { Controller, Inject, Req, Res } from '@nestjs/common';
import { dataExports, EXPORT_CONTENT_TYPES, type RequestOf } from '@tollgate/api';
import type { Session } from '@tollgate/contracts';
import { Caller, Handles, httpError, Input } from '@tollgate/platform';
import { isAllowed } from '@tollgate/vocabulary';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { DataSource } from 'typeorm';
import { audit } from '../audit-log/audit.ts';
import { DATABASE, EXPORTS } from '../provided.ts';
import { cancelExport, createExport, type ExportJob, findExport, listExports } from './export-jobs.ts';
import { listParts, removeFiles } from './export-parts.ts';
import type { ExportRunner } from './export-runner.ts';
import type { ExportStorage } from './storage/storage.ts';

/** What the routes of exports need beside the database. */
export interface Exports {
  readonly storage: ExportStorage;
  readonly runner: Pick<ExportRunner, 'wake'>;
  readonly partRows: number;
  readonly providerName: string;
}

type Exported = typeof dataExports;

/** Whether somebody may export what is booked of every account. */
const readsAllBooks = ({ role }: Session): boolean => isAllowed(role, 'ledger:read-all');

@Controller()
export class ExportsController {
  constructor(
    @Inject(DATABASE) private readonly database: DataSource,
    @Inject(EXPORTS) private readonly exports: Exports,
  ) {}

  @Handles(dataExports.createExport)
  async create(@Input() { body }: RequestOf<Exported['createExport']>, @Caller() caller: Session) {
    const isCustomer = !readsAllBooks(caller);
    if (isCustomer && (body.kind !== 'usage' || (body.account_id ?? caller.account_id) !== caller.account_id))
      throw httpError(
        403,
        'This is for the roles owner, admin and finance of this service.',
        null,
        'permission_denied',
      );
    const job = await createExport(this.database, {
      kind: body.kind,
      format: body.format,
      audience: isCustomer ? 'customer' : 'books',
      filters: {
        from: new Date(body.from).toISOString(),
        to: new Date(body.to).toISOString(),
        accountId: isCustomer ? caller.account_id : (body.account_id ?? null),
        model: body.model ?? null,
        keyId: body.key_id ?? null,
      },
      partRows: this.exports.partRows,
      providerName: this.exports.providerName,
      requestedBy: caller.email,
    });
    this.exports.runner.wake();
    return shown(job);
  }

  @Handles(dataExports.listExports)
  async list(@Input() { query }: RequestOf<Exported['listExports']>, @Caller() caller: Session) {
    const customersOf = readsAllBooks(caller) ? null : caller.account_id;
    const { items, total } = await listExports(this.database, {
      customersOf,
      scheduleId: query.schedule_id ?? null,
      sort: query.sort,
      limit: query.limit,
      offset: query.offset,
    });
    return { items: items.map(shown), total };
  }

  @Handles(dataExports.showExport)
  async show(@Input() { params }: RequestOf<Exported['showExport']>, @Caller() caller: Session) {
    return shown(await this.#require(caller, params.id));
  }

  @Handles(dataExports.showManifest)
  async manifest(
    @Input() { params }: RequestOf<Exported['showManifest']>,
    @Caller() caller: Session,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { manifest } = done(await this.#require(caller, params.id));
    await reply.type('application/json; charset=utf-8').send(manifest);
  }

  @Handles(dataExports.downloadFile)
  async file(
    @Input() { params, query: { part } }: RequestOf<Exported['downloadFile']>,
    @Caller() caller: Session,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { plan, filesRemovedAt } = done(await this.#require(caller, params.id));
    if (filesRemovedAt) throw filesAreGone();
    const found = (await listParts(this.database, plan.id)).find((each) => each.part === part);
    if (!found)
      throw httpError(404, `This export has no part ${part}: its manifest lists them.`, 'part', 'not_found');
    const etag = `"${found.sha256}"`;
    const condition = request.headers['if-range'];
    const rangeHeader = condition === undefined || condition === etag ? request.headers.range : undefined;
    const range = byteRange(rangeHeader, found.bytes);
    void reply.headers({ 'accept-ranges': 'bytes', etag });
    if (range.how === 'unsatisfiable') {
      void reply.header('content-range', `bytes */${found.bytes}`);
      throw httpError(416, `The file has ${found.bytes} bytes.`, 'range', 'range_outside_file', {
        bytes: found.bytes,
      });
    }
    const { start, end } = range.how === 'part' ? range : { start: 0, end: found.bytes - 1 };
    const stream = await this.exports.storage.read(plan.id, found.name, { start, end });
    if (!stream) throw filesAreGone();
    try {
      await audit(this.database, {
        action: 'export.download',
        object: `export ${plan.id}`,
        accountId: plan.filters.accountId ?? null,
        after: { part, from: start, to: end },
      });
    } catch (error) {
      // Nobody reads it, so nobody else closes it.
      stream.destroy();
      throw error;
    }
    const file = `${plan.kind}-${plan.filters.from.slice(0, 10)}-${plan.filters.to.slice(0, 10)}-${found.name}`;
    if (range.how === 'part')
      void reply.code(206).header('content-range', `bytes ${start}-${end}/${found.bytes}`);
    await reply
      .type(EXPORT_CONTENT_TYPES[plan.format])
      .headers({
        'content-length': end - start + 1,
        'content-disposition': `attachment; filename="${file}"`,
        'cache-control': 'private, no-store',
      })
      .send(stream);
  }

  @Handles(dataExports.cancelExport)
  async cancel(@Input() { params }: RequestOf<Exported['cancelExport']>, @Caller() caller: Session) {
    const { plan, status } = await this.#require(caller, params.id);
    if (!(await cancelExport(this.database, plan.id)))
      throw httpError(
        409,
        `The export is ${status === 'running' ? 'done' : status} already.`,
        null,
        'export_ended',
      );
    await removeFiles(this.database, this.exports.storage, plan.id);
  }

  async #require(caller: Session, id: string): Promise<ExportJob> {
    const job = await findExport(this.database, id);
    if (!job || !(readsAllBooks(caller) || isOwn(job, caller)))
      throw httpError(404, 'There is no such export.', 'id', 'not_found');
    return job;
  }
}

const filesAreGone = () =>
  httpError(410, 'The file is no longer in the store; ask for the export again.', null, 'export_files_gone');

const isOwn = ({ plan }: ExportJob, caller: Session): boolean =>
  plan.audience === 'customer' && plan.filters.accountId === caller.account_id;

function done(job: ExportJob): ExportJob {
  if (job.status !== 'done')
    throw httpError(
      409,
      `The export is ${job.status}; it has files when it is done.`,
      null,
      'export_unfinished',
    );
  return job;
}

const shown = ({ plan, ...job }: ExportJob) => {
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

type ByteRange =
  /** Both ends included. */
  | { readonly how: 'part'; readonly start: number; readonly end: number }
  | { readonly how: 'whole' }
  | { readonly how: 'unsatisfiable' };

/** What a Range header (RFC 9110) asks of a file; several ranges, other units and nonsense mean the whole of it. */
function byteRange(header: string | undefined, size: number): ByteRange {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '');
  const [, first = '', last = ''] = match ?? [];
  if (first === '' && last === '') return { how: 'whole' };
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? { how: 'unsatisfiable' } : { how: 'part', start: size - length, end: size - 1 };
  }
  const start = Number(first);
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < start) return { how: 'whole' };
  return start >= size ? { how: 'unsatisfiable' } : { how: 'part', start, end };
}
