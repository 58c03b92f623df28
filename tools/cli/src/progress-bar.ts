import type { Io } from './io.ts';

const WIDTH = 30;

/** A bar of a share from 0 to 1; of an unknown share only what stands beside it. */
function barText(share: number | null, beside: string): string {
  if (share === null) return beside;
  const full = Math.round(Math.min(1, Math.max(0, share)) * WIDTH);
  const percent = `${Math.floor(share * 100)}`.padStart(3);
  return `[${'#'.repeat(full)}${'.'.repeat(WIDTH - full)}] ${percent} % ${beside}`;
}

/** Draws a bar over itself on a terminal; where nobody looks it draws nothing. */
export function progressBar({ stderr }: Io): {
  draw(share: number | null, beside: string): void;
  end(): void;
} {
  const isSeen = stderr.isTTY === true;
  return {
    draw: (share, beside) => void (isSeen && stderr.write(`\r\x1b[K${barText(share, beside)}`)),
    end: () => void (isSeen && stderr.write('\n')),
  };
}
