declare module 's3rver' {
  /** What Koa hands to a layer of it. */
  export interface StoreContext {
    readonly method: string;
    readonly path: string;
    readonly query: Readonly<Record<string, string | undefined>>;
    status: number;
    type: string;
    body: unknown;
  }

  /** An S3-compatible store in this process. */
  export default class S3rver {
    constructor(options: {
      address?: string;
      port?: number;
      silent?: boolean;
      directory: string;
      configureBuckets?: readonly { name: string }[];
    });
    readonly middleware: ((context: StoreContext, next: () => Promise<void>) => Promise<void>)[];
    readonly store: {
      initiateUpload(bucket: string, key: string, id: string, metadata: unknown): Promise<void>;
      putPart(
        bucket: string,
        id: string,
        part: string,
        content: unknown,
      ): Promise<{ size: number; md5: string }>;
      putObjectMultipart(
        bucket: string,
        id: string,
        parts: readonly { number: number; etag: string }[],
      ): Promise<{ size: number; md5: string }>;
    };
    run(): Promise<{ address: string; port: number }>;
    close(): Promise<void>;
  }
}

declare module 's3rver/lib/models/error.js' {
  export default class S3Error extends Error {
    constructor(code: string, message: string);
  }
}
