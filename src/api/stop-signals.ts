const STANDARD = [
  'SIGABRT SIGALRM SIGBUS SIGCHLD SIGCLD SIGCONT SIGFPE SIGHUP SIGILL SIGINT SIGIO SIGIOT SIGKILL SIGPIPE SIGPOLL',
  'SIGPROF SIGPWR SIGQUIT SIGSEGV SIGSTKFLT SIGSTOP SIGSYS SIGTERM SIGTRAP SIGTSTP SIGTTIN SIGTTOU SIGURG SIGUSR1',
  'SIGUSR2 SIGVTALRM SIGWINCH SIGXCPU SIGXFSZ',
].flatMap((names) => names.split(' '));

const numbered = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${name}${index + 1}`);

/**
 * The stop signals that a container may have, by the operating system of its Pod. Source: pkg/apis/core/types.go
 * Signal.
 */
export const STOP_SIGNALS: Readonly<Record<string, readonly string[]>> = {
  linux: [...STANDARD, 'SIGRTMIN', ...numbered('SIGRTMIN+', 15), ...numbered('SIGRTMAX-', 14), 'SIGRTMAX'].toSorted(),
  windows: ['SIGKILL', 'SIGTERM'],
};

/** The stop signal of a container that sets none. */
export const DEFAULT_STOP_SIGNAL = 'SIGTERM';
