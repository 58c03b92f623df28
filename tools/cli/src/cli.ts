import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { z } from 'zod';
import { addCatalogueCommands } from './catalogue/commands.ts';
import { addCreditCommands } from './credit/commands.ts';
import { addDoctorCommand } from './doctor/command.ts';
import { addExportCommands } from './exports/commands.ts';
import { Failure, failureText } from './failure.ts';
import { addImportCommands } from './import/commands.ts';
import { type Io, remark } from './io.ts';
import { addKeyCommands } from './keys/commands.ts';
import { addPriceCommands } from './prices/commands.ts';
import { addProviderCommands } from './providers/commands.ts';
import { addVerifyCommand } from './verify/command.ts';

/** How a command of this program ended. */
const EXIT = { done: 0, failed: 1, differs: 2 } as const;

const HELP = `
Environment:
  TOLLGATE_URL                      the base URL of your Tollgate
  TOLLGATE_EMAIL, TOLLGATE_PASSWORD who signs in, for as long as the command runs
  TOLLGATE_CODE                     a code of their app, where they have a second factor
  TOLLGATE_SESSION                  in their place, the cookie of a session that stands

Exit codes: 0 done; 1 failed; 2 "catalogue plan" found differences.`;

/** Of this package, which every release counts up with all others. */
const readVersion = (): string =>
  z
    .object({ version: z.string() })
    .parse(JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))).version;

/** Runs one command line and answers its exit code. Nothing is thrown but what is a fault of this program. */
export async function runCli(args: readonly string[], io: Io): Promise<number> {
  let exit: number = EXIT.done;
  const program = new Command('tollgate')
    .description('Runs a Tollgate from the terminal, over its HTTP API')
    .version(readVersion(), '--version', 'prints the version of this program')
    .addHelpText('after', HELP)
    .exitOverride()
    .showHelpAfterError('(add --help for what there is)')
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
    });
  const end = (code: number): void => void (exit = code);
  addKeyCommands(program, io);
  addCreditCommands(program, io);
  addExportCommands(program, io);
  addCatalogueCommands(program, io, end);
  addProviderCommands(program, io);
  addPriceCommands(program, io);
  addImportCommands(program, io);
  addDoctorCommand(program, io, end);
  addVerifyCommand(program, io, end);
  try {
    await program.parseAsync([...args], { from: 'user' });
    return exit;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.failed;
    if (!(error instanceof Failure)) throw error;
    remark(io, failureText(error));
    return EXIT.failed;
  }
}
