/** What each command says to `--help`: what it does, and what may follow `--`. */
export const HELP = {
  start: 'Builds what changed and runs everything on this machine, until Ctrl-C.',
  test: 'Builds what changed and runs every test. What follows goes to Jest, such as --selectProjects libs/money; --costs tells what each file took.',
  lint: 'Checks the code with Oxlint, its imports, and its form with Oxfmt. It changes nothing.',
  typecheck: 'Runs the type checker over every project.',
  build: 'Compiles every project into its dist, and services into their bundle.',
  format: 'Lets Oxfmt rewrite what lint would complain of.',
  fuzz: 'Gives the converters ever new inputs, for a minute. --seconds 600 does it longer, --seed 7 begins elsewhere.',
  bench:
    'Runs the benchmarks of docs/benchmarks.md in short forms. A name of tools/bench/src, such as posting, runs that one alone, with what follows it.',
  chaos:
    'Breaks a stack of its own under load, and works every charge out again. It takes --minutes 5, --seed 7, --rate 60, --faults, --only billing, --delay 10, --mutation all and --older baseline.',
  hostile:
    'Attacks a stack of its own, with a caller beside it. --only upstreams is one area, --fast leaves the long ones out.',
  backup: 'Backs up the deployment that runs on this machine into a directory, which is to be named.',
  restore:
    'Puts the deployment of this machine, which must be stopped, back to a backup, which is to be named.',
  'new:lib': 'Makes a library with everything that names it. Its name is to be named.',
  docs: 'Writes the documents that are made of tables and schemas.',
  clients:
    'Runs real coding agents and libraries from the registry on every upstream format. --only Codex is one of them, --write makes docs/clients.md.',
  images:
    'Builds the images, runs docker/compose.yaml with them and bills a request. --no-build runs those of before, --directory is where they are made.',
  speed:
    'Measures how long the console takes from a click to its answer, with 100,000 keys and 1,000 models. Parts of names, such as keys menu, measure those alone.',
  screenshots:
    'Takes pictures of every page of the console in both themes, sizes and languages. The first word is the directory they go to, and others are the pages.',
  tollgate: 'Operates a running deployment.',
};
