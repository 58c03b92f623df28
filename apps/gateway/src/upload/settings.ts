import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bytes, splitAtCommas, wholeSeconds } from '@tollgate/platform/process';
import { TASK_CODECS } from '@tollgate/protocols';
import { TASKS } from '@tollgate/vocabulary';
import { z } from 'zod';
import type { UploadLimits } from './read-upload.ts';

const MIB = 1024 * 1024;

const TAKES_FORMS = TASKS.filter((task) =>
  Object.values(TASK_CODECS[task].clients).some((client) => client.form !== undefined),
);
const UPLOAD_LIMIT = new RegExp(`^(${TAKES_FORMS.join('|')})=(\\d{1,13})$`);

/** What operators may set of forms with files. */
export const uploadSettings = {
  UPLOAD_DIR: z.string().min(1).default(join(tmpdir(), 'tollgate-uploads')).meta({
    description:
      'Where forms with files, such as audio to transcribe, are kept from their first byte until an upstream has answered; what fits into 64 KiB stays in memory. The files have no names and are gone with their process. A disk, not a file system in memory',
    default_text: '`tollgate-uploads` below the directory of the system for temporary files',
  }),
  UPLOAD_LIMIT_BYTES: bytes(1)
    .default(512 * MIB)
    .describe('The largest form; its fields that are no files may have `BODY_LIMIT_BYTES` of that'),
  UPLOAD_LIMITS: z
    .string()
    .default('')
    .transform((list) => splitAtCommas(list).map((entry) => UPLOAD_LIMIT.exec(entry)))
    .refine((entries) => !entries.includes(null), {
      error: 'must be operations that take forms with their bytes, as in edit=100000000,transcribe=26214400',
    })
    .transform((entries) => Object.fromEntries(entries.map((entry) => [entry?.[1], Number(entry?.[2])])))
    .meta({
      description:
        'The largest form of an operation, in place of `UPLOAD_LIMIT_BYTES`: `edit`, `transcribe` or `translate` with its bytes, comma-separated, as in `edit=100000000,transcribe=26214400`',
      default_text: 'empty',
    }),
  UPLOAD_TIMEOUT_S: wholeSeconds(1)
    .default(7_200)
    .describe(
      'Seconds that a client may take to send a form with files, in place of `REQUEST_TIMEOUT_S`, as long as it goes on',
    ),
  UPLOAD_STALL_S: wholeSeconds(1)
    .default(30)
    .describe(
      'Seconds in which a form must bring what `BODY_BYTES_PER_S` says, however fast it came before; it is given up otherwise',
    ),
  UPLOAD_DISK_BYTES: bytes(1)
    .default(4_096 * MIB)
    .describe('Disk of one process for forms above 64 KiB; beyond it they are a 503'),
  KEY_UPLOAD_DISK_BYTES: bytes(1)
    .default(1_024 * MIB)
    .describe('The part of `UPLOAD_DISK_BYTES` that one API key may have; beyond it a request is a 429'),
};

export const toUploadLimits = (
  config: z.infer<z.ZodObject<typeof uploadSettings>>,
): Omit<UploadLimits, 'bodyLimitBytes' | 'bodyBytesPerS'> => ({
  uploadLimitBytes: config.UPLOAD_LIMIT_BYTES,
  uploadLimits: config.UPLOAD_LIMITS,
  uploadStallMs: config.UPLOAD_STALL_S * 1_000,
  uploadTimeoutMs: config.UPLOAD_TIMEOUT_S * 1_000,
});
