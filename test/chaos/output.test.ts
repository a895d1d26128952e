import { spawn } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { PodSpec } from '../../src/api/generated/types.ts';
import { workshopForEach } from '../cli/workshop.ts';
import { assertNothingLeft, podsOf } from './aftermath.ts';
import { outputIn } from './logs.ts';
import { needs } from '../needs.ts';

const MIB = 1024 * 1024;
/** `npm run chaos` tries a line of 1 GiB. */
const LINE_MIB = Number(process.env['PODRUN_CHAOS_LINE_MIB'] ?? 64);
/** The most memory that podrun may use, whatever a container prints. */
const PODRUN_MIB_MAX = 200;
/** The kubelet's limits for logs: older parts are removed. */
const LOG_MIB_MAX = 5 * 10 + 1;

const workshop = workshopForEach();

const once = (script: string): PodSpec => ({
  restartPolicy: 'Never',
  containers: [{ name: 'main', command: ['sh', '-c', script] }],
});

const logFile = (name: string): string => path.join(workshop.stateDir, 'pods/default', name, 'logs/main/0.log');

describe('what containers print', needs('Linux'), () => {
  it(`is never too much: a line of ${LINE_MIB} MiB`, async () => {
    const manifest = workshop.pod('long', once(`head -c ${LINE_MIB * MIB} /dev/zero | tr '\\0' x`));
    const [program = '', ...args] = workshop.commandLine(['apply', manifest]);
    const nowhere = openSync('/dev/null', 'w');
    const env = { ...process.env, PODRUN_STATE_DIR: workshop.stateDir };
    const podrun = spawn(program, args, { cwd: workshop.folder, env, stdio: ['ignore', nowhere, 'pipe'] });
    closeSync(nowhere);
    let mostMib = 0;
    while (podrun.exitCode === null && podrun.signalCode === null) {
      mostMib = Math.max(mostMib, residentMib(podrun.pid ?? 0));
      await sleep(20);
    }
    expect(podrun.exitCode).toBe(0);
    expect(mostMib).toBeLessThan(PODRUN_MIB_MAX);
    const folder = path.dirname(logFile('long'));
    const logs = readdirSync(folder).filter((name) => name.startsWith('0.log'));
    const texts = logs.map((name) => outputIn(path.join(folder, name)));
    const kept = texts.reduce((sum, text) => sum + text.length, 0) / MIB;
    expect(kept).toBeLessThanOrEqual(LOG_MIB_MAX);
    expect(kept).toBeGreaterThan(Math.min(LINE_MIB - 1, LOG_MIB_MAX - 13));
    expect(texts.filter((text) => !/^x+$/.test(text))).toEqual([]);
    await assertNothingLeft(workshop);
  });

  it('is kept unchanged, byte for byte', async () => {
    const script = `head -c ${MIB} /dev/urandom >sent; cat sent; printf '\\377\\000\\n\\r\\n\\033[2J' | tee -a sent`;
    expect((await workshop.run(['apply', workshop.pod('binary', once(script))])).exitCode).toBe(0);
    const sent = readFileSync(path.join(workshop.folder, 'sent'), 'latin1');
    expect(outputIn(logFile('binary')) === sent).toBe(true);
    expect((await workshop.start(['logs', 'binary']).ended).exitCode).toBe(0);
    await assertNothingLeft(workshop);
  });

  it('is complete when no process reads the output of podrun', async () => {
    const script = 'i=0; trap "exit 0" TERM; while :; do echo "line $i"; echo $i >>ledger; i=$((i+1)); done';
    const podrun = workshop.start(['apply', workshop.pod('unread', once(script))]);
    await podrun.until(({ stdout }) => stdout.includes('line 100'));
    podrun.closeStdout();
    expect((await podrun.ended).exitCode).toBe(141);
    const noted = readFileSync(path.join(workshop.folder, 'ledger'), 'utf8').split('\n').length - 1;
    const lines = outputIn(logFile('unread')).split('\n').slice(0, -1);
    expect(lines.length).toBeGreaterThanOrEqual(noted);
    expect(lines.findIndex((line, index) => line !== `line ${index}`)).toBe(-1);
    expect((await podsOf(workshop, {}))[0]?.status?.phase).toMatch(/Succeeded|Failed/);
    await assertNothingLeft(workshop);
  });
});

function residentMib(pid: number): number {
  try {
    const [, kib = '0'] = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(kib) / 1024;
  } catch {
    return 0;
  }
}
