import type { Picture } from './formats/format.ts';

/** What every format takes. */
export const PICTURE_TYPES: readonly string[] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/** The least of what vendors take. */
const MAX_BYTES = 5 * 1_024 * 1_024;

export const isTooLarge = ({ size }: Pick<File, 'size'>): boolean => size > MAX_BYTES;

export async function readPicture(file: Blob & { readonly name: string }): Promise<Picture> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  return { name: file.name, type: file.type, base64: toBase64(bytes) };
}

/** A call takes only so many arguments. */
const AT_ONCE = 32_768;

export function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (let start = 0; start < bytes.length; start += AT_ONCE)
    text += String.fromCharCode(...bytes.subarray(start, start + AT_ONCE));
  return btoa(text);
}
