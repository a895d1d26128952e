import { accessSync, constants } from 'node:fs';
import { statQuietly, succeeds } from '../../quietly.ts';
import { hasLastStep } from './last-step.ts';

/** The places of distributions: PATH must not choose a program that runs with podrun's rights. */
const PERL_PATHS = ['/usr/bin/perl', '/bin/perl', '/run/current-system/sw/bin/perl'];

/** The first words of a command line of perl. Undefined: perl is not installed. */
export function findPerl(): readonly [string] | undefined {
  const file = PERL_PATHS.find((path) => succeeds(() => accessSync(path, constants.X_OK)));
  return file === undefined ? undefined : [file];
}

/** True where podrun can load filters of system calls: with perl, a kernel that has them, and known system calls. */
export function canFilterCalls(): boolean {
  return hasLastStep(process.arch) && findPerl() !== undefined && statQuietly(KERNEL_FILTERS) !== undefined;
}

const KERNEL_FILTERS = '/proc/sys/kernel/seccomp/actions_avail';
