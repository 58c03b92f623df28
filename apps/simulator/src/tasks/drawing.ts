import { createHash } from 'node:crypto';
import { withoutScript, type Script } from '../script.ts';

/** What the log of answers counts for a picture of which no tokens are known. */
export const ONE_PICTURE = 1;
const PNG = Buffer.from('89504e470d0a1a0a', 'hex');

/** A picture that depends on what was asked alone, in as many bytes as the script says. */
export function drawBase64(prompt: string, index: number, { image_bytes = 512 }: Script): string {
  const seed = createHash('sha256')
    .update(`${index} ${withoutScript(prompt)}`)
    .digest();
  const bytes = Buffer.alloc(Math.max(PNG.length, image_bytes), seed);
  PNG.copy(bytes);
  return bytes.toString('base64');
}
