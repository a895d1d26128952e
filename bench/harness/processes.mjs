// Starts programs, and measures their time and memory.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';

/** The unit of times in /proc/PID/stat, whatever the kernel itself counts in. */
const TICKS_PER_SECOND = 100;

/**
 * Milliseconds from the start of a command to its end. Its output is dropped. An exit code other than `exit` (0) is an
 * error with the messages of the command.
 *
 * @param {string[]} argv
 * @param {{ env?: NodeJS.ProcessEnv, cwd?: string, exit?: number }} [options]
 */
export function timeOf([program, ...args], { env, cwd, exit = 0 } = {}) {
  const beganMs = performance.now();
  const { status, signal, error, stderr } = spawnSync(program, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: 300_000,
    encoding: 'utf8',
    maxBuffer: 64 << 20,
    ...(env !== undefined && { env }),
    ...(cwd !== undefined && { cwd }),
  });
  const tookMs = performance.now() - beganMs;
  if (status !== exit) {
    const why = error?.message ?? `exited with ${status ?? signal}: ${stderr}`;
    throw new Error(`${[program, ...args].join(' ')} ${why}`);
  }
  return tookMs;
}

/**
 * Like `timeOf`, with the processor time of the command and its children in milliseconds. A busy machine makes
 * wall-clock times longer, but hardly changes processor times. Linux only.
 *
 * @returns {{ ms: number, cpuMs?: number }}
 */
export function costOf(argv, options) {
  const before = cpuMsOfChildren();
  const ms = timeOf(argv, options);
  return before === undefined ? { ms } : { ms, cpuMs: cpuMsOfChildren() - before };
}

function cpuMsOfChildren() {
  if (process.platform !== 'linux') return undefined;
  const fields = statOf('self');
  return ((Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND) * 1000;
}

/**
 * Starts a program in the background, with a pipe for `stdout` by default. `ended` resolves with its exit code or
 * signal; `stop` ends a running program, and waits for its end.
 */
export function started([program, ...args], { stdio = ['ignore', 'pipe', 'inherit'], ...options } = {}) {
  const child = spawn(program, args, { stdio, ...options });
  const ended = once(child, 'exit').then(([code, signal]) => code ?? signal);
  return {
    child,
    ended,
    async stop(signal = 'SIGTERM') {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      return await ended;
    },
  };
}

/**
 * The use of CPU and memory by a process, without its children. Linux only.
 *
 * @returns {{ cpuSeconds: number, rssBytes: number, peakBytes: number }} processor time since its start, resident
 *   memory now and at its peak
 */
export function usageOf(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const bytes = (field) => Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0) * 1024;
  return { cpuSeconds: cpuSecondsOf(pid), rssBytes: bytes('VmRSS'), peakBytes: bytes('VmHWM') };
}

/** The processor time of a process in seconds, without its children. */
export function cpuSecondsOf(pid) {
  const fields = statOf(pid);
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** The ids of all descendants of a process, without its own. */
export function descendantsOf(pid) {
  const children = new Map();
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const parent = Number(statOf(entry)[1]);
      children.set(parent, [...(children.get(parent) ?? []), Number(entry)]);
    } catch {
      // The process has ended meanwhile.
    }
  }
  const pids = [pid];
  for (const one of pids) pids.push(...(children.get(one) ?? []));
  return pids.slice(1);
}

/** The fields behind the name in /proc/PID/stat: the first one is the state. */
function statOf(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}
