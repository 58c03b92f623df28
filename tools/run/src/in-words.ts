/** Runs what somebody asked for in a terminal: what goes wrong is told in its own words, with exit code 1. */
export async function inWords(run: () => Promise<string>): Promise<void> {
  try {
    process.stdout.write(`${await run()}\n`);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
