import type { Command } from 'commander';
import { EXIT, namespacedResources, type StoredPod } from '../../api/index.ts';
import { containerNames } from '../../lifecycle/index.ts';
import { quietly } from '../../quietly.ts';
import {
  historyFolder,
  namesIn,
  namespaceFolder,
  notInStore,
  podPaths,
  readPod,
  resourceFolder,
  stateRoot,
} from '../../store/index.ts';
import { homeFolder } from '../../user.ts';
import type { Cli } from '../base/cli.ts';
import { choicesFor } from './candidates.ts';
import type { Candidate, Completions } from './completion-request.ts';

/**
 * Prints completions of the last word for a shell: a line for each candidate, with a tab before its note. The last line
 * is `:words`, `:files` or `:folders`: the completions that the shell adds itself. Errors are not reported while a user
 * types: then there are no candidates.
 */
export function answerCompletion(cli: Cli, program: Command, words: readonly string[]): number {
  const choice = choicesOrNone(cli, program, words);
  const candidates = typeof choice === 'string' ? [] : choice.map(candidateLine);
  cli.stdout.write([...candidates, `:${typeof choice === 'string' ? choice : 'words'}\n`].join(''));
  return EXIT.ok;
}

function choicesOrNone(cli: Cli, program: Command, words: readonly string[]): Completions {
  const namesIn = (stateDir: string | undefined): StoredNames =>
    new StoredNames(stateRoot({ flag: stateDir, env: cli.env, home: homeFolder(), pathOf: cli.pathOf }));
  return quietly(() => choicesFor(program, words, namesIn)) ?? [];
}

function candidateLine({ value, note }: Candidate): string {
  return note === undefined || note === '' ? `${value}\n` : `${value}\t${note.replaceAll(/\s+/g, ' ')}\n`;
}

/** Names in a state folder, for completion. Reads only: writes and locks nothing, and opens no store. */
class StoredNames {
  readonly #root: string;

  /** @param root the state folder; it need not exist */
  constructor(root: string) {
    this.#root = root;
  }

  /** Names of the objects of a resource (its plural) in a namespace. */
  objects(resource: string, namespace: string): string[] {
    return namesIn(namespaceFolder(this.#root, resource, namespace));
  }

  namespaces(): string[] {
    const used = namespacedResources().flatMap((resource) => namesIn(resourceFolder(this.#root, resource)));
    return [...new Set(['default', ...used, ...this.objects('namespaces', 'default')])].toSorted();
  }

  /** Names of the containers of a Pod, in the order of their start. */
  containers(namespace: string, pod: string): string[] {
    return containerNames(this.#spec(namespace, pod));
  }

  /** Ports of a Pod, each with a note. */
  ports(namespace: string, pod: string): Array<{ port: number; note: string }> {
    const { initContainers = [], containers } = this.#spec(namespace, pod);
    return [...initContainers, ...containers].flatMap(({ name, ports = [] }) =>
      ports.map((port) => ({ port: port.containerPort, note: [name, port.name].filter(Boolean).join(' ') })),
    );
  }

  /** Runs of Pods: POD is the present run, POD@1 the one before. */
  runs(namespace: string): string[] {
    return this.objects('pods', namespace).flatMap((pod) => {
      const replaced = namesIn(historyFolder(this.#root, namespace, pod));
      return [pod, ...replaced.map((_, index) => `${pod}@${index + 1}`)];
    });
  }

  #spec(namespace: string, pod: string): StoredPod['spec'] {
    const stored = readPod(podPaths(this.#root, namespace, pod).transitions);
    if (stored === undefined) throw notInStore('pods', pod);
    return stored.spec;
  }
}
