import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StoredPod } from '../../src/api/base/objects.ts';
import { needs } from '../needs.ts';
import { startProgramAtTerminal } from './own-terminal.ts';
import { storeOf } from './prepared-store.ts';
import { until } from '../runtime/support/process-rig.ts';
import { workshopForEach } from './workshop.ts';

/** Command lines as typed, and the arguments of podrun after the completion by the shell. */
const TYPED = [
  { keys: 'podrun explai\tpod', args: ['explain', 'pod'] },
  { keys: 'podrun logs pip\t-c sec\t', args: ['logs', 'pipeline', '-c', 'second'] },
  { keys: 'podrun events --for pod/pi\t--outp\tya\t', args: ['events', '--for', 'pod/pipeline', '--output', 'yaml'] },
  { keys: 'podrun get --namesp\tdef\tpod/pi\t', args: ['get', '--namespace', 'default', 'pod/pipeline'] },
  { keys: 'podrun get pods --output=wi\t', args: ['get', 'pods', '--output=wide'] },
  {
    keys: 'podrun wait pod/pi\t--for=cond\tInit\t',
    args: ['wait', 'pod/pipeline', '--for=condition=Initialized'],
  },
  { keys: 'podrun wait pod/pi\t--for del\t', args: ['wait', 'pod/pipeline', '--for', 'delete'] },
  { keys: 'podrun apply -f manif\t', args: ['apply', '-f', 'manifest.yaml'] },
  { keys: 'podrun apply --filename=manif\t', args: ['apply', '--filename=manifest.yaml'] },
  { keys: 'podrun cp pi\tetc/hosts .', args: ['cp', 'pipeline:etc/hosts', '.'] },
  { keys: 'podrun exec pi\t-- cat manif\t', args: ['exec', 'pipeline', '--', 'cat', 'manifest.yaml'] },
] as const;

const BASH_COMPLETION = '/usr/share/bash-completion/bash_completion';

const SHELLS = [
  { name: 'bash', shell: 'bash', flags: ['--norc', '--noprofile', '-i'], before: '' },
  {
    name: 'bash with bash-completion',
    shell: 'bash',
    flags: ['--norc', '--noprofile', '-i'],
    before: `. ${BASH_COMPLETION}; `,
    file: BASH_COMPLETION,
  },
  { name: 'zsh', shell: 'zsh', flags: ['-f', '-i'], before: 'autoload -Uz compinit; compinit -D; ' },
  { name: 'zsh without compinit', shell: 'zsh', flags: ['-f', '-i'], before: '' },
  { name: 'fish', shell: 'fish', flags: ['--no-config', '-i'], before: '' },
] as const;

const workshop = workshopForEach();
const answers = mkdtempSync(path.join(tmpdir(), 'podrun-completions-'));
let end = (): void => {};

beforeEach(() => {
  const containers = ['first', 'second'].map((name) => ({ name, image: 'busybox' }));
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'pipeline' }, spec: { containers } };
  storeOf(workshop).create<StoredPod>('pods', pod as StoredPod);
  workshop.file('manifest.yaml', '');
  // A stand-in that passes completions to podrun, and records the arguments of every other call. All shells ask the
  // same questions: podrun answers each once.
  const podrun = workshop.commandLine([]).map((word) => `'${word}'`);
  const script = `#!/bin/sh
if [ "$1" = __complete ]; then
  answer="${answers}/$(printf '%s\\n' "$@" | cksum | tr ' ' -)"
  if [ ! -e "$answer" ]; then
    ${podrun.join(' ')} "$@" >"$answer.new" 2>/dev/null
    mv "$answer.new" "$answer"
  fi
  exec cat "$answer"
fi
if [ "$1" = completion ]; then exec ${podrun.join(' ')} "$@"; fi
for word in "$@"; do printf '%s\\n' "$word"; done > typed.new
mv typed.new typed
`;
  workshop.folderNamed('bin');
  chmodSync(workshop.file('bin/podrun', script), 0o755);
});

afterEach(() => end());
afterAll(() => rmSync(answers, { recursive: true }));

describe.each(SHELLS)('$name', ({ shell, flags, before, ...rest }) => {
  const file = 'file' in rest ? rest.file : '/';
  const wanted = needs('terminals', `program ${shell}`, { [file]: existsSync(file) });

  it('completes typed words', wanted, async () => {
    const terminal = startProgramAtTerminal(workshop, [shell, ...flags], {
      PATH: `${workshop.folder}/bin:${process.env['PATH'] ?? ''}`,
      HOME: workshop.folder,
      TMPDIR: workshop.folder,
      TERM: 'xterm',
      // The startup files of a shell would disturb the test.
      BASH_ENV: undefined,
      ENV: undefined,
    });
    end = () => terminal.type('\u0003\u0003\rexit\r');
    const source = shell === 'fish' ? 'podrun completion fish | source' : `source <(podrun completion ${shell})`;
    terminal.type(`${before}${source}; podrun ready\r`);
    await typed(['ready']);
    for (const { keys, args } of TYPED) {
      terminal.type(`${keys}\r`);
      await typed(args);
    }
    terminal.type('exit\r');
    expect(await terminal.ended).toBe(0);
    end = () => {};
  });
});

/** Resolves when podrun was called with these arguments. */
async function typed(args: readonly string[]): Promise<void> {
  const file = path.join(workshop.folder, 'typed');
  await until(
    () => existsSync(file) && readFileSync(file, 'utf8') === `${args.join('\n')}\n`,
    () => `never typed: ${args.join(' ')}; but ${existsSync(file) ? readFileSync(file, 'utf8') : 'nothing'}`,
  );
}
