import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Busboy } from '@fastify/busboy';
import type { FastifyInstance } from 'fastify';

/** Of a file, kept to tell what it is. */
const SHOWN_BYTES = 64;

/** Reads forms as JSON texts, with what files are in place of their bytes: nothing of a file is kept. */
export function addForms(server: FastifyInstance): void {
  server.addContentTypeParser('multipart/form-data', (request, payload: IncomingMessage, done) => {
    readForm(payload, request.headers['content-type'] ?? '').then(
      (form) => done(null, JSON.stringify(form)),
      (error: Error) => done(null, `not a form: ${error.message}`),
    );
  });
}

/** What looks like a number or a choice is one. */
const toValue = (text: string): unknown => (/^(?:true|false|\d+)$/.test(text) ? JSON.parse(text) : text);

function readForm(payload: IncomingMessage, contentType: string): Promise<Record<string, unknown>> {
  return new Promise((resolve, reject) => {
    const form = new Map<string, unknown[]>();
    const add = (name: string, value: unknown) => form.set(name, [...(form.get(name) ?? []), value]);
    const parser = new Busboy({ headers: { 'content-type': contentType } });
    parser.on('field', (name, value) => add(name, toValue(value)));
    parser.on('file', (name, stream, filename, _coding, type) => {
      const hash = createHash('sha256');
      let bytes = 0;
      let head = Buffer.alloc(0);
      stream.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        hash.update(chunk);
        if (head.length < SHOWN_BYTES) head = Buffer.concat([head, chunk.subarray(0, SHOWN_BYTES)]);
      });
      stream.on('error', reject);
      stream.on('end', () =>
        add(name, { name: filename, type, bytes, sha256: hash.digest('hex'), head: head.toString('base64') }),
      );
    });
    parser.on('finish', () =>
      resolve(Object.fromEntries([...form].map(([name, all]) => [name, all.length > 1 ? all : all[0]]))),
    );
    parser.on('error', reject);
    payload.on('error', reject).on('close', () => {
      if (!payload.complete) reject(new Error('it broke off'));
    });
    payload.pipe(parser);
  });
}
