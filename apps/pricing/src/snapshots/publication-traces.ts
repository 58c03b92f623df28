import { AsyncLocalStorage } from 'node:async_hooks';
import { type Span, type SpanContext, SpanKind, SpanStatusCode, type Tracer } from '@opentelemetry/api';
import { readTraceparent, under, writeTraceparent } from '@tollgate/platform';
import type { FastifyInstance } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { Publication, PublishedBy } from './publication.ts';

const callers = new AsyncLocalStorage<SpanContext | undefined>();

/** Lets what an admin publishes go on in the trace that the request names. */
export function rememberCallersTraces(fastify: FastifyInstance): void {
  // After the body: the events of its stream do not keep the context.
  fastify.addHook('preHandler', (request, _reply, done) =>
    callers.run(readTraceparent(request.headers['traceparent']), done),
  );
}

/** One turn of publishing: its span begins with the turn and is made when there is something to publish. */
interface PublicationTrace {
  append(by: PublishedBy, work: () => Promise<Publication>): Promise<Publication>;
  /** After the commit, or what became of it. */
  end(error?: unknown): void;
}

export interface PublicationTraces {
  begin(): PublicationTrace;
  /** Names the span that made a version to those who take it; undefined where it was not traced. */
  of(version: number): string | undefined;
}

/** Gateways are told of the newest version, and of no old one. */
const MAX_KEPT = 20;

/** A span of every publication, by hand or by a draft whose day has come. */
export function tracePublications(tracer: Tracer): PublicationTraces {
  const made = new LRUCache<number, string>({ max: MAX_KEPT });
  return {
    of: (version) => made.get(version),
    begin() {
      const startTime = Date.now();
      let span: Span | undefined;
      return {
        async append({ reason }, work) {
          const attributes = { 'tollgate.publication.reason': reason };
          const kind = SpanKind.INTERNAL;
          span = tracer.startSpan(
            'publish prices',
            { kind, startTime, attributes },
            under(callers.getStore()),
          );
          try {
            const publication = await work();
            const { version } = publication.snapshot;
            span.setAttributes({
              'tollgate.snapshot.version': version,
              'tollgate.snapshot.changed': publication.changed,
            });
            if (publication.changed && span.isRecording())
              made.set(version, writeTraceparent(span.spanContext()));
            return publication;
          } catch (error) {
            failed(span, error);
            throw error;
          }
        },
        end(error) {
          if (span && error !== undefined) failed(span, error);
          span?.end();
        },
      };
    },
  };
}

/** A span below that of a gateway, which asks because of a publication. */
export async function traceAnswer<T>(
  tracer: Tracer | undefined,
  traceparent: string | undefined,
  work: () => Promise<T>,
): Promise<T> {
  const asker = readTraceparent(traceparent);
  if (!tracer || !asker) return work();
  const span = tracer.startSpan('answer with prices', { kind: SpanKind.SERVER }, under(asker));
  try {
    return await work();
  } catch (error) {
    failed(span, error);
    throw error;
  } finally {
    span.end();
  }
}

function failed(span: Span, error: unknown): void {
  const { kind, name = 'Error' } = error as { kind?: string; name?: string };
  span.setAttribute('error.type', kind ?? name);
  span.setStatus({ code: SpanStatusCode.ERROR });
}
