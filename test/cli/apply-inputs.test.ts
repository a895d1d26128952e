import { chmodSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runHere } from './in-process.ts';
import { workshopForEach } from './workshop.ts';

const workshop = workshopForEach();

const MANIFEST = ['web', 'api']
  .map((name) => `{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}, labels: {app: ${name}}}}\n`)
  .join('---\n');
const failed = (stderr: string) => ({ exitCode: 2, stdout: '', stderr });
const dryRun = (...args: string[]) => runHere(workshop, ['apply', '--dry-run=server', ...args]);

/** Serves the manifest at /all.yaml, and nothing else. Answers the address. */
async function serve(): Promise<string> {
  const server = createServer((request, response) => {
    response.statusCode = request.url === '/all.yaml' ? 200 : 404;
    if (request.url === '/moved.yaml') response.writeHead(302, { location: '/all.yaml' });
    response.end(response.statusCode === 404 ? '' : MANIFEST);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('-f URL', () => {
  it('reads the manifest, also after a redirection', async () => {
    const place = await serve();
    const stdout = 'configmap/web created (server dry run)\nconfigmap/api created (server dry run)\n';
    for (const file of ['all.yaml', 'moved.yaml']) {
      expect(await dryRun('-f', `${place}/${file}`)).toEqual({ exitCode: 0, stdout, stderr: '' });
    }
    expect(await runHere(workshop, ['get', '-f', `${place}/all.yaml`])).toMatchObject({ exitCode: 1 });
  });

  it('says why nothing was read', async () => {
    const place = await serve();
    expect(await dryRun('-f', `${place}/none.yaml`)).toEqual(
      failed(`error: unable to read URL "${place}/none.yaml": server reported 404 Not Found, status code=404\n`),
    );
    const { exitCode, stderr } = await dryRun('-f', 'http://127.0.0.1:1/x.yaml');
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/^error: unable to read URL "http:\/\/127\.0\.0\.1:1\/x\.yaml": .*\n$/);
  });
});

describe('-k', () => {
  const withProgram = (script: string) => {
    workshop.folderNamed('bin');
    chmodSync(workshop.file('bin/kustomize', `#!/bin/sh\n${script}\n`), 0o755);
    return { env: { PATH: `${workshop.folder}/bin` } };
  };
  const words = ['apply', '--dry-run=server', '-k', 'overlay'];

  it('reads what kustomize prints', async () => {
    const file = workshop.file('all.yaml', MANIFEST);
    const kustomize = withProgram(`[ "$*" = "build overlay" ] && while read -r line; do echo "$line"; done < ${file}`);
    expect((await runHere(workshop, words, kustomize)).stdout).toContain('configmap/web created (server dry run)\n');
  });

  it('says why there is nothing', async () => {
    expect(await runHere(workshop, words, withProgram('exit 1'))).toEqual(
      failed('error: kustomize ended with exit code 1\n'),
    );
    expect(await runHere(workshop, words, { env: { PATH: '' } })).toEqual(
      failed(
        'error: podrun needs kubectl or kustomize for -k, and this machine has neither\n' +
          'Where one of them is installed, use: kubectl kustomize overlay > all.yaml\n',
      ),
    );
    expect((await dryRun('-k', 'overlay', '-f', 'x.yaml')).stderr).toContain('only one of -f or -k can be specified');
  });

  it.each([
    ['Error: no kustomization file found', 'no kustomization file found'],
    [
      "error: failed to run 'git fetch': fatal: repository not found\n: exit status 128",
      "failed to run 'git fetch': fatal: repository not found: exit status 128",
    ],
    ['E1201 04:27:02.1 1 run.go:72] "command failed" err="no \\"k\\" found"', 'no "k" found'],
    [
      'E1201 04:27:02.1 1 run.go:72] "command failed" err=<\n\tfatal: not found\n\t: exit status 128\n >',
      'fatal: not found: exit status 128',
    ],
  ])('has the cause in one line: %s', async (printed, cause) => {
    const text = workshop.file('printed', printed);
    const broken = withProgram(
      `while IFS= read -r line || [ "$line" ]; do printf '%s\\n' "$line" >&2; done < ${text}; exit 1`,
    );
    expect(await runHere(workshop, words, broken)).toEqual(failed(`error: kustomize build: ${cause}\n`));
  });
});

it('-l applies the objects with these labels', async () => {
  const file = workshop.file('all.yaml', MANIFEST);
  expect((await dryRun('-f', file, '-l', 'app=api')).stdout).toBe('configmap/api created (server dry run)\n');
  expect(await dryRun('-f', file, '-l', 'app=db')).toEqual(
    failed('error: no objects passed to apply\nNo object matches app=db.\n'),
  );
});

it('--prune is refused', async () => {
  const { exitCode, stderr } = await dryRun('--prune', 'x.yaml');
  expect(exitCode).toBe(2);
  expect(stderr).toContain("error: unknown flag: --prune\npodrun apply deletes nothing: use 'podrun delete TYPE/NAME'");
});
