import { chmodSync, readlinkSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { quietly, succeeds } from '../../quietly.ts';
import type { Container } from '../../api/index.ts';
import { TERMINATION_LOG_OUT_OF_REACH, terminationLogNotAtPath } from '../../lifecycle/index.ts';
import type { Identity } from '../../runtime/index.ts';
import { inFolder, type PodFiles } from '../../store/index.ts';
import { canReach } from '../volumes/inside-volume.ts';
import type { LaunchInput, LaunchStep } from './step.ts';

type Files = Pick<PodFiles, 'terminationLog'>;

/** The default path of the termination log. Images have it; hosts do not. */
const DEFAULT_PATH = '/dev/termination-log';

/** The variable with the path of the termination log. */
const VARIABLE = 'PODRUN_TERMINATION_LOG';

/**
 * Creates the termination log of a container that sees the host's files: a link at the path of the manifest leads to
 * it. For the default path, see {@link translation}.
 */
export function terminationLogOnHost(files: Files): LaunchStep {
  return {
    prepare(input, { variables, identity, notices }) {
      const { container } = input;
      const file = makeTerminationLog(input, files);
      const problems = [
        ...(linkTerminationLog(container, file) ? [] : [notAtTerminationPath(container)]),
        ...(canWrite(identity, file) ? [] : [TERMINATION_LOG_OUT_OF_REACH]),
      ];
      return {
        ok: true,
        changes: {
          variables: new Map([...variables, [VARIABLE, file]]),
          translate: translation(container, file),
          notices: [...notices, ...problems.map((problem) => terminationLogNotAtPath(container.name, problem))],
        },
      };
    },
    release: ({ pod, container, instance }) => removeOwnLink(container, files.terminationLog(pod, instance)),
    restore: ({ pod, container, instance }) => ({
      translate: translation(container, files.terminationLog(pod, instance)),
    }),
  };
}

/** Creates the termination log, and mounts it at the path of the manifest unless a volume is mounted there. */
export function terminationLogMount(files: Files): LaunchStep {
  return {
    prepare(input, { mounts, variables }) {
      const source = makeTerminationLog(input, files);
      const target = input.container.terminationMessagePath;
      if (!target) return { ok: true, changes: {} };
      const isFree = path.isAbsolute(target) && !mounts.some((mount) => mount.target === target);
      const mount = { source, target: path.normalize(target), isReadOnly: false };
      return {
        ok: true,
        changes: {
          mounts: isFree ? [...mounts, mount] : mounts,
          variables: new Map([...variables, [VARIABLE, target]]),
        },
      };
    },
  };
}

/** Creates the empty file, and removes the file of an old run: the status shows only the last two. */
function makeTerminationLog({ pod, instance }: LaunchInput, files: Files): string {
  const file = files.terminationLog(pod, instance);
  const forgotten = instance.attempt - 2;
  if (forgotten >= 0) rmSync(files.terminationLog(pod, { ...instance, attempt: forgotten }), { force: true });
  inFolder(path.dirname(file), () => writeFileSync(file, '', { mode: 0o600 }));
  // Any user must be able to write it. Source: kuberuntime_container.go makeMounts.
  chmodSync(file, 0o666);
  return file;
}

function canWrite(identity: Identity | undefined, file: string): boolean {
  const { uid, gid = 0, groups = [] } = identity ?? {};
  return !uid || canReach(file, { uid, groups: [gid, ...groups] });
}

/**
 * Links the path of the manifest to the termination log, where the path is free and its folder can be written. No file
 * of the user is replaced, and nothing is put into /dev.
 * @returns false when the path cannot lead to the file: then only the variable names it
 */
function linkTerminationLog(container: Container, file: string): boolean {
  const wanted = container.terminationMessagePath ?? DEFAULT_PATH;
  if (wanted === DEFAULT_PATH || wanted === '') return true;
  if (!path.isAbsolute(wanted)) return false;
  removeLink(wanted, file);
  // Fails when the path exists, or podrun may not write the folder.
  return succeeds(() => symlinkSync(file, wanted));
}

/** The text of the event TerminationLogNotAtPath. */
function notAtTerminationPath({ terminationMessagePath = DEFAULT_PATH }: Container): string {
  return (
    `terminationMessagePath ${terminationMessagePath} does not lead to the termination log: another file is ` +
    `there, or podrun may not write to its folder. Use $${VARIABLE}`
  );
}

/** The default path as a word of its own, or in the text of a script. Longer paths do not match. */
const DEFAULT_PATH_IN_TEXT = /(?<![\w./-])\/dev\/termination-log(?![\w./-])/g;
/** A path that needs no quotes in a script. */
const PLAIN_PATH = /^[\w./@%+,:-]+$/;

/**
 * Replaces the default path by the path of the file, in words of a command and in values of variables: the host has no
 * /dev/termination-log and must not get one. A script is left as it is when the path has a blank or a quote.
 */
function translation(container: Container, file: string): (text: string) => string {
  if ((container.terminationMessagePath ?? DEFAULT_PATH) !== DEFAULT_PATH) return (text) => text;
  return (text) => {
    if (text === DEFAULT_PATH) return file;
    return PLAIN_PATH.test(file) ? text.replaceAll(DEFAULT_PATH_IN_TEXT, () => file) : text;
  };
}

/** Removes the link at the path of the manifest. A link that leads elsewhere stays. */
function removeOwnLink(container: Container, file: string): void {
  const wanted = container.terminationMessagePath ?? DEFAULT_PATH;
  if (wanted !== DEFAULT_PATH && path.isAbsolute(wanted)) removeLink(wanted, file);
}

/** Removes a link to a termination log of this container, also of another run. */
function removeLink(link: string, file: string): void {
  const target = quietly(() => readlinkSync(link));
  if (target !== undefined && withoutRun(target) === withoutRun(file)) quietly(() => unlinkSync(link));
}

/** FOLDER/CONTAINER of FOLDER/CONTAINER.N. Names of containers have no dots. */
const withoutRun = (file: string): string => file.replace(/\.\d+$/, '');
