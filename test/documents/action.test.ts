import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { root } from '../architecture/source.ts';
import { workshopForEach } from '../cli/workshop.ts';

const workshop = workshopForEach();
const ACTION = path.join(root, '.ci/action');

interface Step {
  readonly uses?: string;
  readonly run?: string;
}

/** The steps of the workflow in docs/ci.md. */
function example(): readonly Step[] {
  const page = readFileSync(path.join(root, 'docs/ci.md'), 'utf8');
  const [, text = ''] = /^```yaml\n(jobs:\n.*?)^```$/ms.exec(page) ?? [];
  const { jobs } = parse(text) as { jobs: Record<string, { steps: readonly Step[] }> };
  return Object.values(jobs).flatMap(({ steps }) => steps);
}

it('the workflow of docs/ci.md installs podrun with the action, and runs', () => {
  const steps = example();
  const used = steps.find(({ uses = '' }) => uses.includes('podrun'));
  expect(used?.uses).toBe('OWNER/podrun/.ci/action@main');
  const { runs } = parse(readFileSync(path.join(ACTION, 'action.yml'), 'utf8')) as { runs: { steps: readonly Step[] } };

  // The real one would install everything anew.
  const npm = '#!/bin/sh\n[ "$1" = ci ] && echo "$@" >> npm-calls || echo "$2 has run"\n';
  workshop.folderNamed('bin');
  chmodSync(workshop.file('bin/npm', npm), 0o755);
  const file = workshop.file('github-path', '');
  workshop.folderNamed('deploy');
  workshop.file(
    'deploy/pod.yaml',
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web' },
      spec: { containers: [{ name: 'main', image: 'busybox', command: ['sleep', '60'] }] },
    }),
  );
  const shell = (text = ''): string => {
    const added = readFileSync(file, 'utf8').trim();
    return execFileSync('bash', ['-e', '-o', 'pipefail', '-c', text], {
      cwd: workshop.folder,
      encoding: 'utf8',
      env: {
        PATH: [added, path.join(workshop.folder, 'bin'), process.env['PATH']].filter(Boolean).join(':'),
        HOME: workshop.folder,
        GITHUB_ACTION_PATH: ACTION,
        GITHUB_PATH: file,
        RUNNER_TEMP: path.join(workshop.folder, 'temp'),
        PODRUN_IMAGES: 'host',
      },
    });
  };
  for (const { run } of runs.steps) shell(run);
  expect(readFileSync(path.join(workshop.folder, 'npm-calls'), 'utf8')).toBe(
    `ci --prefix ${ACTION}/../.. --no-audit --no-fund\n`,
  );
  const said = steps.flatMap(({ run }) => (run === undefined ? [] : [shell(run)])).join('');
  expect(said).toContain('smoke has run');
  expect(readFileSync(path.join(workshop.folder, 'report/junit.xml'), 'utf8')).toContain('failures="0"');
});
