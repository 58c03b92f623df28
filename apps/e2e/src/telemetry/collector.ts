import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span as it came, with the service that sent it. */
export interface SeenSpan {
  readonly service: string;
  readonly version: string;
  readonly instance: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly failed: boolean;
  readonly attributes: Readonly<Record<string, string | number | boolean | readonly (string | undefined)[]>>;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
}

export interface Collector {
  readonly url: string;
  spans(): readonly SeenSpan[];
  close(): Promise<void>;
}

interface Attribute {
  readonly key: string;
  readonly value: {
    readonly stringValue?: string;
    readonly intValue?: string | number;
    readonly doubleValue?: number;
    readonly boolValue?: boolean;
    readonly arrayValue?: { readonly values: readonly { readonly stringValue?: string }[] };
  };
}
interface WireSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly status?: { readonly code?: number };
  readonly attributes?: readonly Attribute[];
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
}
interface WireTraces {
  readonly resourceSpans?: readonly {
    readonly resource?: { readonly attributes?: readonly Attribute[] };
    readonly scopeSpans?: readonly { readonly spans?: readonly WireSpan[] }[];
  }[];
}

const ERROR = 2;

const read = (attributes: readonly Attribute[] = []): SeenSpan['attributes'] =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.stringValue ??
        value.boolValue ??
        value.arrayValue?.values.map(({ stringValue }) => stringValue) ??
        Number(value.intValue ?? value.doubleValue),
    ]),
  );

/** Takes traces over OTLP/HTTP in JSON, as a collector does, and keeps them. */
export async function startCollector(): Promise<Collector> {
  const seen: SeenSpan[] = [];
  const take = ({ resourceSpans = [] }: WireTraces): void => {
    for (const { resource, scopeSpans = [] } of resourceSpans) {
      const of = read(resource?.attributes);
      for (const span of scopeSpans.flatMap(({ spans = [] }) => spans)) {
        seen.push({
          service: String(of['service.name']),
          version: String(of['service.version']),
          instance: String(of['service.instance.id']),
          name: span.name,
          traceId: span.traceId,
          spanId: span.spanId,
          parentSpanId: span.parentSpanId ?? '',
          failed: span.status?.code === ERROR,
          attributes: read(span.attributes),
          links: (span.links ?? []).map(({ traceId, spanId }) => ({ traceId, spanId })),
        });
      }
    }
  };
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      if (request.url === '/v1/traces') take(JSON.parse(text) as WireTraces);
      response.writeHead(request.url === '/v1/traces' ? 200 : 404, { 'content-type': 'application/json' });
      response.end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: () => seen,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
