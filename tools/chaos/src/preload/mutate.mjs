// Loaded into a service before it starts (`--import`): one place of one built file reads otherwise, as if a programmer
// had made that mistake. MUTATION is JSON: the end of the file's name, the one place in it as a regular expression, what
// stands there instead, and a file that is written once it was done.
import { registerHooks } from 'node:module';
import { writeFileSync } from 'node:fs';

const { file, find, replace, mark } = JSON.parse(process.env.MUTATION);

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    if (!url.endsWith(file)) return loaded;
    const source = String(loaded.source);
    if (source.match(new RegExp(find, 'g'))?.length !== 1) return loaded;
    writeFileSync(mark, url);
    return { ...loaded, source: source.replace(new RegExp(find), () => replace) };
  },
});
