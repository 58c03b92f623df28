import { z } from 'zod';
import { toUploadLimits, uploadSettings } from './settings.ts';

const schema = z.object(uploadSettings);

test('a form has the bytes of its operation, or those of all', () => {
  const config = schema.parse({
    UPLOAD_LIMITS: 'transcribe=26214400, edit=100000000',
    UPLOAD_TIMEOUT_S: '60',
  });
  expect(toUploadLimits(config)).toEqual({
    uploadLimitBytes: 536_870_912,
    uploadLimits: { transcribe: 26_214_400, edit: 100_000_000 },
    uploadStallMs: 30_000,
    uploadTimeoutMs: 60_000,
  });
  expect(toUploadLimits(schema.parse({})).uploadLimits).toEqual({});
});

test.each(['embed=1', 'transcribe', 'transcribe=-1', 'transcribe=1k', 'toString=1'])(
  '%s is no limit of an operation',
  (text) => {
    expect(schema.safeParse({ UPLOAD_LIMITS: text }).error?.message).toContain(
      'operations that take forms with their bytes',
    );
  },
);
