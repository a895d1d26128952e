/**
 * The lines of `podrun gc` about its state folder. It also ends processes whose own state folder is gone, which other
 * runs may have left on this machine.
 */
export function gcLines(stdout: string): string[] {
  return stdout.split('\n').filter((line) => line !== '' && !/^Nothing to remove$|background process/.test(line));
}
