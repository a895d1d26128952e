import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { workingFolderStep } from '../../../src/kubelet/steps/working-folder.ts';
import type { LaunchDraft } from '../../../src/kubelet/steps/step.ts';
import { temporaryFolder } from '../volumes/temporary-folder.ts';
import { changesOf } from './one-start.ts';

/** A project below a folder of this machine, and an empty volume. */
function places(): { readonly above: string; readonly project: string; readonly volume: string } {
  const root = temporaryFolder();
  const above = path.join(root, 'above');
  const project = path.join(above, 'team/project');
  mkdirSync(project, { recursive: true });
  mkdirSync(path.join(root, 'volume'));
  return { above, project, volume: path.join(root, 'volume') };
}

const mount = (source: string, target: string) => ({ source, target, isReadOnly: false });

describe('the working folder', () => {
  const reported = async (
    { above, project }: ReturnType<typeof places>,
    draft: Partial<LaunchDraft>,
    workingDir?: string,
  ): Promise<readonly string[]> => {
    const container = {
      volumeMounts: [{ name: 'scratch', mountPath: `${above}/` }],
      ...(workingDir && { workingDir }),
    };
    const { notices = [] } = await changesOf(workingFolderStep(project), { container }, { cwd: project, ...draft });
    return notices.map(({ message }) => message);
  };

  it('below a volume is reported', async () => {
    const here = places();
    const { above, project, volume } = here;
    const hidden = `volume scratch at ${above} hides the files of ${project}, in which container main starts: mount`;
    const mounts = [mount(volume, above)];
    expect(await reported(here, { mounts })).toEqual([expect.stringContaining(hidden)]);
    // A container before this one has made the folder in the volume.
    mkdirSync(path.join(volume, 'team/project'), { recursive: true });
    expect(await reported(here, { mounts })).toEqual([expect.stringContaining(hidden)]);
  });

  it('that a volume shows is not reported', async () => {
    const here = places();
    const { above, project, volume } = here;
    for (const mounts of [[mount(above, above)], [mount(volume, above), mount(project, project)]])
      expect(await reported(here, { mounts })).toEqual([]);
    symlinkSync(path.join(above, 'team'), path.join(volume, 'team'));
    expect(await reported(here, { mounts: [mount(volume, above)] })).toEqual([]);
  });

  it('of an image, of the manifest, at another place, or at the mountPath itself is meant so', async () => {
    const here = places();
    const { above, project, volume } = here;
    const mounts = [mount(volume, above)];
    expect(await reported(here, { mounts, imageFolder: volume })).toEqual([]);
    expect(await reported(here, { mounts }, project)).toEqual([]);
    expect(await reported(here, { mounts, cwd: above })).toEqual([]);
    expect(await reported(here, { mounts: [mount(volume, `${above}/tea`)] })).toEqual([]);
    expect(await reported(here, { mounts: [mount(volume, project)] })).toEqual([]);
  });

  it('is not hidden without namespaces', async () => {
    const here = places();
    const mounts = [mount(here.volume, here.above)];
    const volumePlaces = [{ mountPath: here.above, source: here.volume }];
    expect(await reported(here, { mounts, volumePlaces })).toEqual([]);
  });
});
