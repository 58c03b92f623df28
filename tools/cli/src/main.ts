// What `tollgate` and the image of that name start.
import { runCli } from './cli.ts';

process.exitCode = await runCli(process.argv.slice(2), process);
