// Loads TypeScript with decorators into Node itself: tests run as the programs do, without a virtual environment for each file.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformSync, version } from '@swc/core';

const CACHE = join(import.meta.dirname, '..', '..', '..', 'node_modules', '.cache', 'tollgate', 'transpiled');
const OPTIONS = {
  swcrc: false,
  jsc: {
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
    target: 'es2024',
    keepClassNames: true,
    experimental: { keepImportAttributes: true },
  },
  module: { type: 'es6' },
  sourceMaps: 'inline',
};

mkdirSync(CACHE, { recursive: true });
registerHooks({
  load(url, context, nextLoad) {
    const [address] = url.split('?');
    if (!address.startsWith('file:') || !address.endsWith('.ts')) return nextLoad(url, context);
    return { format: 'module', source: transpile(fileURLToPath(address)), shortCircuit: true };
  },
});

function transpile(filename) {
  const text = readFileSync(filename, 'utf8');
  const key = createHash('sha256').update(`${version}\n${filename}\n${text}`).digest('hex');
  const file = join(CACHE, `${key}.js`);
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // Not seen before.
  }
  const { code } = transformSync(text, { ...OPTIONS, filename });
  // Two workers may write the same file: each gives it its whole content at once.
  writeFileSync(`${file}.${process.pid}`, code);
  renameSync(`${file}.${process.pid}`, file);
  return code;
}
