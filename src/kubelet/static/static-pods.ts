import { createHash, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { formatTime, resolvedUid, type StoredPod } from '../../api/index.ts';
import { type Alarm, type Clock, nextEventLoopTurn } from '../../clock.ts';
import { inBackground } from '../../defects.ts';
import {
  apiReference,
  asMirrorPod,
  loadManifests,
  type ManifestObject,
  renderManifestErrors,
} from '../../manifest/index.ts';
import { quietly } from '../../quietly.ts';
import { watchPath } from '../../store/index.ts';

/** The time between two readings of the whole folder. Source: the kubelet's fileCheckFrequency. */
const CHECK_MS = 20_000;
const MAX_BYTES = 10 * 2 ** 20;

interface StaticPodsOptions {
  /** The folder, or one file. */
  readonly place: string;
  readonly clock: Clock;
  readonly nodeName: string;
  /** Runs a static Pod. Returns undefined when it cannot be run, and has said why. */
  readonly start: (pod: StaticPod) => Promise<StoredPod | undefined>;
  /** Ends a Pod, and removes its record afterwards: see `gone`. */
  readonly end: (pod: StoredPod) => void;
  readonly onProblem: (text: string) => void;
}

/** The last version of a file. */
interface KnownFile {
  readonly digest: string;
  /** The last valid Pod of the file: a file that is being edited must not end a server. */
  readonly pod: StaticPod | undefined;
}

/** A Pod that runs, or is about to. */
interface StaticRun {
  readonly hash: string;
  /** Undefined: it is being started, or could not be. */
  pod: StoredPod | undefined;
  isEnding: boolean;
}

/**
 * Runs the Pods of the files in a folder, as a kubelet does with its `staticPodPath`: a file that appears is a new Pod,
 * a changed one replaces its Pod after that has ended, a removed one ends it. Source: pkg/kubelet/config/file.go.
 */
export class StaticPods {
  readonly #options: StaticPodsOptions;
  /** Makes the uids of this run's Pods its own: they name processes and cgroups of the machine. */
  readonly #salt = randomUUID();
  readonly #files = new Map<string, KnownFile>();
  /** By namespace and name. */
  readonly #runs = new Map<string, StaticRun>();
  readonly #watcher: { close(): void };
  #alarm: Alarm | undefined;
  #work: Promise<void> = Promise.resolve();
  #isReadingPlanned = false;
  #isStopped = false;

  constructor(options: StaticPodsOptions) {
    this.#options = options;
    this.#watcher = watchPath(options.place, () => this.#read());
    this.#read();
  }

  /** True until `stop`: a file may appear at any time. */
  get isWatching(): boolean {
    return !this.#isStopped;
  }

  /** The uids of the Pods that run: their hashes. */
  get uids(): readonly string[] {
    return [...this.#runs.values()].flatMap(({ hash, pod }) => (pod === undefined ? [] : [hash]));
  }

  /** Takes notice of the removal of a Pod's record. The file may want a Pod of this name still. */
  gone(pod: StoredPod): void {
    const key = `${pod.metadata.namespace}/${pod.metadata.name}`;
    if (this.#runs.get(key)?.hash !== resolvedUid(pod)) return;
    this.#runs.delete(key);
    nextEventLoopTurn(() => this.#reconcile());
  }

  /** Watches and starts no more. Running Pods stay. */
  stop(): void {
    this.#isStopped = true;
    this.#watcher.close();
    this.#alarm?.cancel();
  }

  /** Reads the folder as soon as what it does now is done. */
  #read(): void {
    if (this.#isReadingPlanned || this.#isStopped) return;
    this.#isReadingPlanned = true;
    this.#alarm?.cancel();
    this.#work = this.#work.then(async () => {
      this.#isReadingPlanned = false;
      if (this.#isStopped) return;
      await this.#readFiles();
      const { clock } = this.#options;
      this.#alarm = clock.wakeAt(clock.now().monotonicMs + CHECK_MS, () => this.#read());
      this.#reconcile();
    });
  }

  async #readFiles(): Promise<void> {
    const files = filesIn(this.#options.place);
    for (const file of this.#files.keys()) if (!files.includes(file)) this.#files.delete(file);
    for (const file of files) await this.#readFile(file);
  }

  async #readFile(file: string): Promise<void> {
    const { clock, nodeName, onProblem } = this.#options;
    const known = this.#files.get(file);
    const bytes = bytesOf(file);
    const digest = bytes === undefined ? 'unreadable' : hashOf(bytes);
    if (known?.digest === digest) return;
    const seen = formatTime(clock.now().wallMs);
    const read =
      bytes === undefined
        ? { problem: `${file} cannot be read, or has more than ${MAX_BYTES} bytes` }
        : await readStaticPod(file, bytes, { nodeName, seen, salt: this.#salt });
    if ('pod' in read) {
      this.#files.set(file, { digest, pod: read.pod });
      return;
    }
    const kept = known?.pod === undefined ? '' : '\nThe Pod of its last version runs on.';
    onProblem(`${read.problem}${kept}`);
    this.#files.set(file, { digest, pod: known?.pod });
  }

  /** Ends the Pods that no file wants any more, and starts missing Pods. */
  #reconcile(): void {
    if (this.#isStopped) return;
    const wanted = new Map<string, StaticPod>();
    for (const { pod } of this.#files.values()) {
      if (pod !== undefined && !wanted.has(keyOf(pod))) wanted.set(keyOf(pod), pod);
    }
    for (const [key, run] of this.#runs) {
      if (wanted.get(key)?.hash === run.hash || run.isEnding) continue;
      if (run.pod === undefined) this.#runs.delete(key);
      else {
        run.isEnding = true;
        this.#options.end(run.pod);
      }
    }
    for (const [key, pod] of wanted) if (!this.#runs.has(key)) inBackground(this.#start(key, pod));
  }

  async #start(key: string, pod: StaticPod): Promise<void> {
    const run: StaticRun = { hash: pod.hash, pod: undefined, isEnding: false };
    this.#runs.set(key, run);
    run.pod = await this.#options.start(pod);
    // The file may have changed meanwhile.
    this.#reconcile();
  }
}

const keyOf = ({ manifest: { object } }: StaticPod): string => `${object.metadata.namespace}/${object.metadata.name}`;

/** The files of the folder, sorted: no folders, none with a dot at the beginning. A place that is a file: that one. */
function filesIn(place: string): string[] {
  const isFile = quietly(() => statSync(place).isFile()) ?? false;
  if (isFile) return [place];
  const names = quietly(() => readdirSync(place)) ?? [];
  return names
    .filter((name) => !name.startsWith('.'))
    .toSorted()
    .map((name) => path.join(place, name))
    .filter((file) => quietly(() => statSync(file).isDirectory()) === false);
}

/** The content of a file. Undefined when it is no regular file of a bearable size. */
function bytesOf(file: string): Buffer | undefined {
  return quietly(() => {
    const info = statSync(file);
    return info.isFile() && info.size <= MAX_BYTES ? readFileSync(file) : undefined;
  });
}

/** A static Pod, ready to be stored. */
interface StaticPod {
  readonly hash: string;
  readonly manifest: ManifestObject<StoredPod>;
}

type ReadStaticPod = { readonly pod: StaticPod } | { readonly problem: string };

/**
 * Reads the static Pod of a file.
 * @param seen the time at which the file was seen, in RFC 3339
 * @param salt goes into the hash
 */
async function readStaticPod(
  file: string,
  bytes: Buffer,
  { nodeName, seen, salt }: { readonly nodeName: string; readonly seen: string; readonly salt: string },
): Promise<ReadStaticPod> {
  const { objects, errors } = await loadManifests({ files: [{ file, bytes }], forRunning: true, mayBeEmpty: true });
  const mistakes = renderManifestErrors(errors).map((text) => text.replace(/^error: /, ''));
  if (mistakes.length > 0) return { problem: mistakes.join('\n') };
  const [manifest, ...others] = objects;
  if (manifest?.object.kind !== 'Pod' || others.length > 0)
    return { problem: `${file}: a static Pod is one Pod in a file` };
  const object = manifest.object as unknown as StoredPod;
  const reference = apiReference(object);
  if (reference !== undefined) return { problem: `${file}: static pods may not reference ${reference}` };
  const origin = `${JSON.stringify(object)}\nhost:${nodeName}\nfile:${file}\n${salt}`;
  const hash = manifest.written.metadata.uid ?? hashOf(origin);
  const mirror = asMirrorPod(object, { hash, nodeName, seen });
  return { pod: { hash, manifest: { ...manifest, object: mirror } } };
}

/** 32 hexadecimal digits. */
function hashOf(content: string | Buffer): string {
  return createHash('md5').update(content).digest('hex');
}
