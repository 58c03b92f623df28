import { Readable } from 'node:stream';
import {
  Controller,
  Get,
  HttpCode,
  Inject,
  Param,
  Post,
  Query,
  Req,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { ApiBody, ApiConsumes } from '@nestjs/swagger';
import { upstreamSchema } from '@tollgate/catalogue';
import { daySchema } from '@tollgate/contracts';
import { Allow, httpError } from '@tollgate/platform';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import { SignedInGuard, type SignedInRequest } from '../auth/signed-in.guard.ts';
import { REPORTS } from '../provided.ts';
import { ReportTurn } from '../reports/report-turn.interceptor.ts';
import { CsvUploadGuard } from './csv-upload.guard.ts';
import { isTimeZone } from './our-usage.ts';
import { INVOICE_COLUMNS, type InvoiceColumn, InvoiceError } from './read-invoice.ts';
import { reconcile, reconciliation, reconciliations } from './reconciliations.ts';

const upstream = upstreamSchema.shape.name.optional().meta({ examples: ['east'] });
const header = z
  .string()
  .min(1)
  .max(200)
  .optional()
  .meta({ description: 'The name of this column in the file, if it is another' });
const day = daySchema.optional();

const reconcileQuery = z.object({
  upstream: upstream.meta({ description: 'Whose invoice it is; must be given', examples: ['east'] }),
  time_zone: z
    .string()
    .min(1)
    .max(64)
    .default('UTC')
    .meta({ description: "In which the invoice's days begin" }),
  tolerance_percent: z
    .string()
    .regex(/^\d{1,3}(\.\d{1,9})?$/, 'must be a decimal such as "0.5"')
    .default('0')
    .meta({ description: "How far a figure may be off theirs and still be 'ok'", examples: ['0.5'] }),
  input_includes_cached: z
    .enum(['true', 'false'])
    .default('false')
    .meta({ description: "Whether the invoice's input tokens count cached ones too" }),
  first_day: day.meta({ description: 'Without it the first day of the file', examples: ['2026-11-01'] }),
  last_day: day.meta({ description: 'Without it the last day of the file', examples: ['2026-11-30'] }),
  'column.day': header,
  'column.model': header,
  'column.amount_usd': header,
  'column.requests': header,
  'column.input_tokens': header,
  'column.cached_tokens': header,
  'column.output_tokens': header,
});

const listQuery = z.object({
  upstream,
  limit: z.coerce.number().int().min(1).max(200).default(50),
  offset: z.coerce.number().int().min(0).default(0),
});

const EXAMPLE = 'day,model,requests,input_tokens,output_tokens,amount_usd\n2026-11-21,m,2,6,10,0.000042\n';

@Controller('api/finance/reconciliations')
export class ReconciliationController {
  constructor(@Inject(REPORTS) private readonly database: DataSource) {}

  /** Compares an upstream's invoice, a CSV file, with our usage log, model by model and day by day. */
  @Post()
  @Allow('ledger:write')
  @HttpCode(201)
  @UseGuards(CsvUploadGuard)
  @UseInterceptors(ReportTurn)
  @ApiConsumes('text/csv')
  @ApiBody({ schema: { type: 'string', example: EXAMPLE } })
  async create(
    @Req() request: SignedInRequest,
    @Query({ schema: reconcileQuery }) query: z.infer<typeof reconcileQuery>,
  ): Promise<object> {
    if (query.upstream === undefined)
      throw httpError(400, 'upstream: say whose invoice this is by ?upstream=….', 'upstream');
    if (!(await isTimeZone(this.database.manager, query.time_zone)))
      throw httpError(400, 'time_zone: must be an IANA name such as "Europe/Berlin".', 'time_zone');
    const params = {
      upstream: query.upstream,
      timeZone: query.time_zone,
      tolerancePercent: query.tolerance_percent,
      inputIncludesCached: query.input_includes_cached === 'true',
      firstDay: query.first_day,
      lastDay: query.last_day,
      columns: headersOf(query),
    };
    const file = request.body instanceof Readable ? request.body : Readable.from([]);
    try {
      return await reconcile(this.database, request.person.email, params, file);
    } catch (error) {
      if (error instanceof InvoiceError) throw httpError(error.status, error.message);
      throw error;
    }
  }

  /** What was compared so far, newest first. */
  @Get()
  @Allow('ledger:read-all')
  @UseGuards(SignedInGuard)
  async list(@Query({ schema: listQuery }) query: z.infer<typeof listQuery>): Promise<object> {
    return { items: await reconciliations(this.database, query) };
  }

  /** One comparison with all its rows. */
  @Get(':id')
  @Allow('ledger:read-all')
  @UseGuards(SignedInGuard)
  async show(@Param('id') id: string): Promise<object> {
    const found = z.uuid().safeParse(id).success ? await reconciliation(this.database, id) : undefined;
    if (!found) throw httpError(404, 'There is no such reconciliation.', 'id');
    return found;
  }
}

function headersOf(query: z.infer<typeof reconcileQuery>): Partial<Record<InvoiceColumn, string>> {
  const headers: Partial<Record<InvoiceColumn, string>> = {};
  for (const column of Object.keys(INVOICE_COLUMNS) as InvoiceColumn[]) {
    const name = query[`column.${column}`];
    if (name !== undefined) headers[column] = name;
  }
  return headers;
}
