// Lets scripts of the project import the libraries that were installed for them elsewhere, and else those of the project.
import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';

const installed = pathToFileURL(`${process.env.CLIENTS_DIRECTORY}/package.json`).href;

registerHooks({
  resolve(specifier, context, nextResolve) {
    const isBare = /^(?:@|[a-z])/.test(specifier) && !specifier.includes(':');
    const isOurs = !context.parentURL?.includes('/node_modules/');
    if (!isBare || !isOurs) return nextResolve(specifier, context);
    try {
      return nextResolve(specifier, { ...context, parentURL: installed });
    } catch {
      return nextResolve(specifier, { ...context, parentURL: import.meta.url });
    }
  },
});
