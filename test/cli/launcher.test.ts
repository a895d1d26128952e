import { copyFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../architecture/source.ts';
import { type Podrun, workshopForEach } from './workshop.ts';

const workshop = workshopForEach();

/** A podrun of its own, whose program can be taken away. */
function ownPodrun(): { readonly program: string; readonly start: (...args: string[]) => Podrun } {
  const launcher = path.join(workshop.folderNamed('bin'), 'podrun.js');
  const program = path.join(workshop.folderNamed('dist'), 'podrun.packs');
  copyFileSync(path.join(root, 'bin/podrun.js'), launcher);
  copyFileSync(path.join(root, 'dist/podrun.packs'), program);
  return { program, start: (...args) => workshop.start(args, {}, undefined, { program: launcher }) };
}

it('says what is missing where podrun is not built', async () => {
  const podrun = ownPodrun();
  rmSync(podrun.program);
  const { exitCode, stderr } = await podrun.start('version').ended;
  expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: 'podrun is not built yet: run npm run build.\n' });
});

it('goes on with what it was started as when podrun is installed anew', async () => {
  const { program, start } = ownPodrun();
  const file = workshop.pod('web', { containers: [{ name: 'main', command: ['sleep', '60'] }] });
  // Writing a report needs parts of the program that nothing has needed before.
  const podrun = start('apply', file, '--report', 'report');
  await podrun.until(({ stdout }) => stdout.includes('Running and Ready'));
  rmSync(program);
  writeFileSync(program, 'something else');
  podrun.signal('SIGTERM');
  const { exitCode, stderr } = await podrun.ended;
  expect({ exitCode, stderr }).toEqual({ exitCode: 143, stderr: '' });
});
