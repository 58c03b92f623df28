import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { type ConsolePage, createPage, plainPage } from './console-page.ts';
import { answerUnknownPath } from './not-found.ts';

const ASSETS = 'console-assets';
const ASSET = /^[\w-][\w.-]*$/;
/** The build names every asset by what is in it. */
const YEAR_S = 31_536_000;

/**
 * Serves the built console: its assets below a path of their own, which are cached for good, and its page, which is
 * asked for again each time. Without a build the page is a plain one; a newer build takes the place of an older one.
 */
export function serveConsole(fastify: FastifyInstance, directory: string): ConsolePage {
  const index = join(directory, 'index.html');
  if (!existsSync(index)) return plainPage;
  void fastify.register(
    (assets, _options, done) => {
      assets.setNotFoundHandler((request, reply) => answerUnknownPath(request, reply));
      void assets.register(fastifyStatic, {
        root: join(directory, ASSETS),
        serve: false,
        preCompressed: true,
        index: false,
        redirect: false,
        maxAge: YEAR_S * 1_000,
        immutable: true,
        setHeaders: (reply) => void reply.header('x-content-type-options', 'nosniff'),
      });
      // The library's own route would list the whole directory for each file, to see how its name is spelled there: a
      // millisecond for each of some seventy scripts of a page.
      assets.get<{ Params: { name: string } }>('/:name', ({ params: { name } }, reply) =>
        ASSET.test(name) ? reply.sendFile(name) : reply.callNotFound(),
      );
      done();
    },
    { prefix: `/${ASSETS}` },
  );
  let page = readPage(index);
  let readOf = changedAt(index);
  return (request, reply) => {
    const at = changedAt(index);
    if (at !== undefined && at !== readOf) {
      page = readPage(index);
      readOf = at;
    }
    return page(request, reply);
  };
}

/** Undefined while a build is under way. */
const changedAt = (file: string): number | undefined => statSync(file, { throwIfNoEntry: false })?.mtimeMs;

const readPage = (index: string): ConsolePage =>
  createPage(readFileSync(index, 'utf8'), (extension) =>
    existsSync(index + extension) ? readFileSync(index + extension) : undefined,
  );
