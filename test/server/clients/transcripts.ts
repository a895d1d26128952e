import { afterAll, expect, it } from 'vitest';
import {
  argumentsOf,
  nameOf,
  prepare,
  putOrChange,
  storiesOf,
  type Transcript,
  transcriptsOf,
} from '../../cli/transcripts.ts';
import { resourceTypeNamed } from '../../../src/api/resource-types.ts';
import type { StoredPod } from '../../../src/api/base/objects.ts';
import type { FileStore } from '../../../src/store/file-store.ts';
import { goldenPods } from '../../print/golden.ts';
import type { Ended } from '../../cli/workshop.ts';
import { kubectl } from './programs.ts';
import { Stage } from './stage.ts';

/** A recorded command that prints something else now, and the reason. */
export interface Difference {
  readonly reason: string;
  /** True: nothing is compared. */
  readonly isLeftOut?: boolean;
  /** Acts when the command has printed something. The command ends by Ctrl-C when it has printed all. */
  readonly meanwhile?: (store: FileStore) => void;
  readonly command?: (recorded: string) => string;
  /** Files in the place of the recorded ones. */
  readonly files?: Readonly<Record<string, string>>;
  readonly stdout?: (recorded: string) => string;
  readonly stderr?: (recorded: string) => string;
  readonly exit?: number;
  /** True: kubectl prints the lines in any order. */
  readonly isUnordered?: boolean;
}

export type Differences = Readonly<Record<string, Difference>>;

/** A command that cannot be compared, and the reason. */
export function leftOut(reason: string): Difference {
  return { reason, isLeftOut: true };
}

/** Stages that stories take turns on. A stage remembers what kubectl has learnt of its server. */
class StagePool {
  readonly #free: Stage[] = [];

  async use(story: (stage: Stage) => Promise<void>): Promise<void> {
    const stage = this.#free.pop() ?? (await Stage.open());
    await story(stage);
    stage.clear();
    this.#free.push(stage);
  }

  async close(): Promise<void> {
    for (const stage of this.#free) await stage.close();
  }
}

const pool = new StagePool();

/** Call it when all files are declared. */
export function closeStages(): void {
  afterAll(() => pool.close());
}

/**
 * Declares a test for each story of a file of recorded commands, run by the real kubectl.
 * @param ownStage its objects stay as they are for all stories. Default: a stage with the objects of the story
 */
export function compareWithServer(file: string, differences: Differences, ownStage?: () => Stage): void {
  const all = transcriptsOf(file);
  it(`${file}: lists no difference of a command that was never recorded`, () => {
    const names = new Set(all.map(({ name }) => name));
    expect(Object.keys(differences).filter((name) => !names.has(name))).toEqual([]);
  });
  const stories = storiesOf(all).map((story) => story.filter((one) => isCompared(one, differences)));
  for (const story of stories.filter(({ length }) => length > 0)) {
    it.concurrent(`${file}: ${nameOf(story)}`, async ({ expect }) => {
      const tell = async (stage: Stage): Promise<void> => {
        for (const transcript of story) {
          if (transcript.continues_previous !== true) prepareFor(transcript, stage, ownStage !== undefined);
          const difference = differences[transcript.name];
          const answer = await replay(transcript, stage, difference);
          const inOrder = difference?.isUnordered === true ? sorted : (ended: Ended): Ended => ended;
          const wanted = recorded(transcript, difference);
          expect(inOrder(normalised(answer))).toEqual(inOrder(normalised(wanted)));
        }
      };
      await (ownStage === undefined ? pool.use(tell) : tell(ownStage()));
    });
  }
}

/** A stage with Pods that run gets no other Pods of their names. */
function prepareFor(transcript: Transcript, { server: { store } }: Stage, hasPods: boolean): void {
  const state = transcript.state.filter((name) => !hasPods || !goldenPods(name).some((pod) => isIn(store, pod)));
  prepare(store, { ...transcript, state });
}

function isIn(store: FileStore, { metadata }: StoredPod): boolean {
  return store.get('pods', metadata.namespace, metadata.name) !== undefined;
}

/** Commands that never spoke with a server say nothing about this one. */
function isCompared({ name, requests }: Transcript, differences: Differences): boolean {
  return differences[name]?.isLeftOut !== true && requests.length > 0;
}

function sorted({ stdout, ...rest }: Ended): Ended {
  return { ...rest, stdout: stdout.split('\n').toSorted().join('\n') };
}

const same = (text: string): string => text;

function recorded(transcript: Transcript, { stdout = same, stderr = same, exit }: Partial<Difference> = {}): Ended {
  return {
    stdout: stdout(asOfNow(transcript.stdout)),
    stderr: stderr(transcript.stderr),
    exitCode: exit ?? transcript.exit,
  };
}

/** The output of kubectl 1.36 in the place of that of 1.32. */
function asOfNow(stdout: string): string {
  return stdout.replaceAll(/^(\S+ "\S+" (?:force )?deleted)\b/gm, '$1 from default namespace');
}

async function replay(transcript: Transcript, stage: Stage, difference: Difference | undefined): Promise<Ended> {
  for (const [name, text] of Object.entries({ ...transcript.files, ...difference?.files })) stage.file(name, text);
  stage.requests.length = 0;
  const { command = same } = difference ?? {};
  const client = stage.start(kubectl ?? '', argumentsOf(command(transcript.command)), transcript.stdin);
  const isEndless = transcript.sigint_after_seconds !== undefined || difference?.meanwhile !== undefined;
  if (transcript.changes !== undefined) {
    if (isEndless && transcript.state.length > 0 && !transcript.command.includes('-only'))
      await client.until(({ stdout }) => stdout !== '');
    await change(transcript, stage);
  }
  if (difference?.meanwhile !== undefined) {
    await client.until(({ stdout }) => stdout !== '');
    difference.meanwhile(stage.server.store);
  }
  if (isEndless && transcript.stderr === '') {
    if (transcript.stdout === '') await stage.untilWatched();
    else await client.until(({ stdout }) => linesIn(stdout) >= linesIn(`${transcript.stdout.trimEnd()}\n`));
    client.signal('SIGINT');
  }
  const ended = await client.ended;
  // The recorder has another exit code for the signal.
  return isEndless ? { ...ended, exitCode: transcript.exit } : ended;
}

function linesIn(text: string): number {
  return text.split('\n').length;
}

/** Changes the objects when the command watches them, or polls. */
async function change({ changes = [], command }: Transcript, stage: Stage): Promise<void> {
  const { store } = stage.server;
  if (!command.includes('--for=create')) await stage.untilWatched();
  for (const { objects = [], del = [] } of changes) {
    for (const object of objects) putOrChange(store, object);
    for (const { plural, ns, name } of del) store.delete(resourceTypeNamed(plural)?.plural ?? plural, ns, name);
  }
}

const AGE = /(?<![\w.=-])(?:\d+[ydhms])+(?![\w.])/g;

/**
 * The output without what differs from run to run: ages, the widths of columns with ages, resource versions, and lines
 * of kubectl's own log.
 */
function normalised({ stdout, stderr, exitCode }: Ended): Ended {
  const plain = (text: string): string => {
    const versioned = text.replaceAll(/("?resourceVersion"?: )"\d+"/g, '$1"N"').replaceAll(/^[IWE]\d{4} .*\n/gm, '');
    const aged = versioned.replaceAll(AGE, '<age>');
    return aged === versioned ? aged : aged.replaceAll(/ +/g, ' ').replaceAll(/ $/gm, '');
  };
  return { stdout: plain(stdout), stderr: plain(stderr), exitCode };
}
