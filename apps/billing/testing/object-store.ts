import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver, { type StoreContext } from 's3rver';
import S3Error from 's3rver/lib/models/error.js';

const BUCKET = 'finance';
const PREFIX = 'tollgate/';
const PART_BYTES_MIN = 5 * 1024 * 1024;

interface OpenUpload {
  readonly key: string;
  readonly parts: Map<number, { readonly etag: string; readonly size: number }>;
}

/** Which uploads the store lists: as S3 does, those of one whole key as MinIO does, or none as some stores do. */
type Lists = 'prefix' | 'key' | 'nothing';

/**
 * s3rver, which takes any upload, made as strict as the strictest of the stores: it refuses uploads and upload parts that it does not know,
 * parts of less than 5 MiB, and, as R2 does, parts of unequal sizes. It lists and aborts uploads, which s3rver does not.
 */
export class ObjectStore {
  readonly #server: S3rver;
  readonly #directory = mkdtempSync(join(tmpdir(), 'tollgate-s3-'));
  readonly #uploads = new Map<string, OpenUpload>();
  /** Upload parts that were sent, as `key#part`. */
  readonly sent: string[] = [];
  lists: Lists = 'prefix';
  url = '';

  private constructor() {
    this.#server = new S3rver({
      address: '127.0.0.1',
      port: 0,
      silent: true,
      directory: this.#directory,
      configureBuckets: [{ name: BUCKET }],
    });
    this.#recordUploads();
    this.#server.middleware.unshift((context, next) => this.#answer(context, next));
  }

  static async start(): Promise<ObjectStore> {
    const store = new ObjectStore();
    store.url = `http://127.0.0.1:${(await store.#server.run()).port}`;
    return store;
  }

  async stop(): Promise<void> {
    await this.#server.close();
    rmSync(this.#directory, { recursive: true, force: true });
  }

  get location() {
    return {
      bucket: BUCKET,
      endpoint: this.url,
      region: 'us-east-1',
      accessKey: 'S3RVER',
      secret: 'S3RVER',
      prefix: PREFIX,
    };
  }

  /** How a billing is told of it. */
  get env() {
    return {
      EXPORT_S3_ENDPOINT: this.url,
      EXPORT_S3_BUCKET: BUCKET,
      EXPORT_S3_ACCESS_KEY: 'S3RVER',
      EXPORT_S3_SECRET: 'S3RVER',
      EXPORT_S3_PREFIX: PREFIX,
    };
  }

  /** Names of objects of an export. */
  objects(jobId: string): string[] {
    const found = this.#list(join(BUCKET, PREFIX, jobId));
    return found.flatMap((name) => (name.endsWith(OBJECT) ? [name.slice(0, -OBJECT.length)] : [])).sort();
  }

  /** Where the bytes of an object are. */
  pathOf(jobId: string, name: string): string {
    return join(this.#directory, BUCKET, PREFIX, jobId, `${name}${OBJECT}`);
  }

  /** Where the bytes of an upload part are. */
  partPath(id: string, part: number): string {
    return join(this.#directory, BUCKET, '._S3rver_uploads', id, String(part));
  }

  /** Uploads of an export that are neither complete nor aborted. */
  uploads(jobId: string): string[] {
    return [...this.#uploads].flatMap(([id, { key }]) => (key.startsWith(`${PREFIX}${jobId}/`) ? [id] : []));
  }

  /** What a rule of the bucket does to uploads that are too old. */
  expire(id: string): void {
    this.#uploads.delete(id);
  }

  #list(directory: string): string[] {
    try {
      return readdirSync(join(this.#directory, directory));
    } catch {
      return [];
    }
  }

  #recordUploads(): void {
    const { store } = this.#server;
    const { initiateUpload, putPart, putObjectMultipart } = store;
    store.initiateUpload = async (bucket, key, id, metadata) => {
      await initiateUpload.call(store, bucket, key, id, metadata);
      this.#uploads.set(id, { key, parts: new Map() });
    };
    store.putPart = async (bucket, id, part, content) => {
      const upload = this.#require(id);
      const put = await putPart.call(store, bucket, id, part, content);
      upload.parts.set(Number(part), { etag: put.md5, size: put.size });
      this.sent.push(`${upload.key.slice(PREFIX.length)}#${part}`);
      return put;
    };
    store.putObjectMultipart = async (bucket, id, parts) => {
      requireParts(this.#require(id), parts);
      const put = await putObjectMultipart.call(store, bucket, id, parts);
      this.#uploads.delete(id);
      return put;
    };
  }

  #require(id = '', key?: string): OpenUpload {
    const upload = this.#uploads.get(id);
    if (!upload || (key !== undefined && upload.key !== key))
      throw new S3Error('NoSuchUpload', 'The specified upload does not exist.');
    return upload;
  }

  async #answer(context: StoreContext, next: () => Promise<void>): Promise<void> {
    const { method, path, query } = context;
    if (method === 'GET' && 'uploads' in query) {
      if (this.lists === 'nothing') throw new S3Error('NotImplemented', 'Uploads are not listed.');
      const { prefix = '' } = query;
      const listed = [...this.#uploads].filter(([, { key }]) =>
        this.lists === 'key' ? key === prefix : key.startsWith(prefix),
      );
      const uploads = listed.map(
        ([id, { key }]) => `<Upload><Key>${key}</Key><UploadId>${id}</UploadId></Upload>`,
      );
      context.type = 'application/xml';
      context.body = `<ListMultipartUploadsResult>${uploads.join('')}</ListMultipartUploadsResult>`;
    } else if (method === 'DELETE' && 'uploadId' in query) {
      this.#require(query['uploadId'], path.slice(`/${BUCKET}/`.length));
      this.#uploads.delete(query['uploadId'] ?? '');
      context.status = 204;
    } else await next();
  }
}

const OBJECT = '._S3rver_object';

function requireParts(upload: OpenUpload, parts: readonly { number: number; etag: string }[]): void {
  const sizes: number[] = [];
  for (const [at, { number, etag }] of parts.entries()) {
    const found = upload.parts.get(number);
    if (found?.etag !== etag) throw new S3Error('InvalidPart', 'A part is not there, or not of this ETag.');
    if (number <= (parts[at - 1]?.number ?? 0))
      throw new S3Error('InvalidPartOrder', 'The parts are not in order.');
    sizes.push(found.size);
  }
  const whole = sizes.slice(0, -1);
  if (whole.some((size) => size < PART_BYTES_MIN))
    throw new S3Error('EntityTooSmall', 'A part is smaller than 5 MiB.');
  if (whole.some((size) => size !== sizes[0]) || (sizes.at(-1) ?? 0) > (sizes[0] ?? 0))
    throw new S3Error('InvalidPart', 'All parts but the last must be of one size.');
}
