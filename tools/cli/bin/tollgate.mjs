#!/usr/bin/env node
// Any Node from 18 on may start this: the command itself runs under the Node that is installed beside it.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const node = fileURLToPath(new URL('../../../node_modules/node/bin/node', import.meta.url));
const program = fileURLToPath(new URL('../bundle/main.js', import.meta.url));

if (existsSync(node) && existsSync(program)) {
  const child = spawn(node, ['--enable-source-maps', program, ...process.argv.slice(2)], {
    stdio: 'inherit',
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code) => process.exit(code ?? 1));
} else {
  process.stderr.write(
    'This checkout is not built: run `npm run build` first, or `npm run tollgate -- …`.\n',
  );
  process.exitCode = 1;
}
