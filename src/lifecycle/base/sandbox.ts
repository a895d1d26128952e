/**
 * The Pod's environment: directories, volumes, address. Containers start only while it is ready. abandoned: the Pod
 * began to terminate before its environment was ready. finished: nothing of the Pod is left, and its last status has
 * been computed.
 */
export type SandboxStage = 'absent' | 'creating' | 'ready' | 'stopping' | 'abandoned' | 'stopped' | 'finished';

/** create, stop and finish are steps of the plan, and each asks for an effect. created and stopped are observed. */
export type SandboxEvent = 'create' | 'created' | 'stop' | 'stopped' | 'finish';

const AFTER: Readonly<Record<SandboxEvent, Readonly<Record<SandboxStage, SandboxStage>>>> = {
  create: {
    absent: 'creating',
    creating: 'creating',
    ready: 'ready',
    stopping: 'stopping',
    abandoned: 'abandoned',
    stopped: 'stopped',
    finished: 'finished',
  },
  created: {
    absent: 'absent',
    creating: 'ready',
    ready: 'ready',
    stopping: 'stopping',
    abandoned: 'abandoned',
    stopped: 'stopped',
    finished: 'finished',
  },
  stop: {
    absent: 'abandoned',
    creating: 'abandoned',
    ready: 'stopping',
    stopping: 'stopping',
    abandoned: 'abandoned',
    stopped: 'stopped',
    finished: 'finished',
  },
  stopped: {
    absent: 'stopped',
    creating: 'stopped',
    ready: 'stopped',
    stopping: 'stopped',
    abandoned: 'stopped',
    stopped: 'stopped',
    finished: 'finished',
  },
  finish: {
    absent: 'absent',
    creating: 'creating',
    ready: 'ready',
    stopping: 'stopping',
    abandoned: 'abandoned',
    stopped: 'finished',
    finished: 'finished',
  },
};

/** The sandbox after something has happened to it. What comes late or twice changes nothing. */
export function sandboxAfter(sandbox: SandboxStage, event: SandboxEvent): SandboxStage {
  return AFTER[event][sandbox];
}
