import { existsSync } from 'node:fs';
import packages from '../debian-packages.json' with { type: 'json' };
import { installWithApt } from './apt.ts';
import { findOnPath } from './on-path.ts';

/** The first of them has no window to manage, so a page opens for two thirds of the processor time. */
const NAMES = [
  'chromium-headless-shell',
  'chrome-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome-stable',
  'google-chrome',
];
/** Ubuntu has not the first. */
const PACKAGES = [packages.chromium, ['chromium']];
const MAC = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';

/** What a browser of the tests is started with: no window, and not a word to anybody but the relay. */
export const CHROMIUM_ARGUMENTS: readonly string[] = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/**
 * The Chromium of this machine, or the one that CHROMIUM_PATH names; on Debian and Ubuntu, as root, it is installed
 * when it is missing.
 *
 * @throws with what to do when there is none and it cannot be installed.
 */
export function findChromium(say: (text: string) => void = () => {}): string {
  const named = process.env['CHROMIUM_PATH'];
  if (named) {
    if (existsSync(named)) return named;
    throw new Error(`CHROMIUM_PATH is "${named}"; there is no such file.`);
  }
  const found = onPath();
  if (found) return found;
  for (const names of PACKAGES) {
    installWithApt(names, say);
    const installed = onPath();
    if (installed) return installed;
  }
  throw new Error(
    [
      'Chromium is needed for the tests of the console and was not found. Do one of these and try again:',
      '  Debian:          sudo apt-get install chromium-headless-shell',
      '  Ubuntu:          sudo apt-get install chromium',
      '  Fedora:          sudo dnf install chromium',
      '  macOS:           brew install --cask chromium',
      '  anywhere:        set CHROMIUM_PATH to a Chromium or Chrome that is there already',
    ].join('\n'),
  );
}

const onPath = (): string | undefined => findOnPath(NAMES) ?? (existsSync(MAC) ? MAC : undefined);
