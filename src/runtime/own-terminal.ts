import { execFileSync } from 'node:child_process';

/**
 * Has our own terminal show what is written to it as it is. Node's raw mode is about input: the terminal goes on to
 * begin each new line at the left, which spoils what full-screen programs draw. Leaving the raw mode undoes this, too.
 */
export function showOutputAsItIs(): void {
  try {
    execFileSync('stty', ['-opost'], { stdio: ['inherit', 'ignore', 'ignore'] });
  } catch {
    // Without stty most programs still look as they should.
  }
}
