// Stands between podman and runc: takes the limits on open files and processes out of what a container is to be, as a root
// without CAP_SYS_RESOURCE may not set them. Those of this machine hold.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const args = process.argv.slice(2);
const valueOf = (...names) => {
  for (const [index, arg] of args.entries()) {
    if (names.includes(arg)) return args[index + 1];
    const name = names.find((each) => arg.startsWith(`${each}=`));
    if (name !== undefined) return arg.slice(name.length + 1);
  }
  return undefined;
};

const bundle = valueOf('--bundle', '-b');
for (const file of [bundle && join(bundle, 'config.json'), valueOf('--process', '-p')]) {
  if (!file || !existsSync(file)) continue;
  const described = JSON.parse(readFileSync(file, 'utf8'));
  delete (described.process ?? described).rlimits;
  writeFileSync(file, JSON.stringify(described));
}
const { status } = spawnSync('runc', args, { stdio: 'inherit' });
process.exitCode = status ?? 1;
