import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { isNativeError } from 'node:util/types';
import { LineCounter, parseDocument } from 'yaml';
import {
  envNameMessages,
  errorMessage,
  labelMessages,
  parseDuration,
  PodrunError,
  type Taint,
} from '../../api/index.ts';

import {
  NETWORK_CHOICES,
  type NetworkChoice,
  PROXY_CHOICES,
  type ProxyChoice,
  RUNTIME_CHOICES,
  type RuntimeChoice,
} from '../../machine/index.ts';

import {
  BUILT_IN_HANDLERS,
  type EvictionSettings,
  HANDLER_NETWORKS,
  HANDLER_TYPES,
  type ImageMapping,
  type ImageSettings,
  isImagePattern,
  OCI_RUNTIMES,
  type RuntimeHandler,
  SOURCE_CHOICES,
  type SourceChoice,
} from '../../lifecycle/index.ts';

import { quietly } from '../../quietly.ts';
import { readUpTo } from '../../store/index.ts';
import { configError, ConfigNode } from './config-node.ts';
import { EVICTION_FIELDS, readEviction } from './eviction-settings.ts';
import { IMAGE_FIELDS, readFlag, readImageSettings } from './image-settings.ts';
import { parseIngressPorts, type RequestedIngressPorts } from '../../network/index.ts';
import { readCount, readLabel, readTaint } from './config-values.ts';
import { readNodes } from './declared-nodes.ts';
import type { DeclaredNode } from './node-record.ts';
import { splitWords } from './split-words.ts';

const FIELDS = [
  ...EVICTION_FIELDS,
  ...IMAGE_FIELDS,
  'autoscalerPeriod',
  'imageSource',
  'images',
  'ingressPort',
  'maxPods',
  'metricsInterval',
  'network',
  'node',
  'nodes',
  'overcommit',
  'podPidsLimit',
  'proxy',
  'runtime',
  'runtimeHandlers',
  'terminatedPodGCThreshold',
  'watch',
] as const;
/** Counters of the machine have hundredths of a second: shorter times measure nothing. */
const INTERVAL_LEAST_MS = 1000;
const CONFIG_FILE_NAME = 'podrun.yaml';

/** The content of `podrun.yaml`. */
export interface ConfigFile {
  /** The absolute path. */
  readonly path: string;
  readonly images: readonly ImageMapping[];
  /** The choice between programs of this machine and images. Undefined: not set. */
  readonly imageSource: SourceChoice | undefined;
  readonly imageSettings: ImageSettings;
  /** Labels of this machine, for nodeSelector and node affinity. */
  readonly nodeLabels: Readonly<Record<string, string>>;
  /** Taints of this machine, which keep Pods away that do not tolerate them. */
  readonly nodeTaints: readonly Taint[];
  /** The nodes in place of this machine. Undefined: not set. */
  readonly nodes: readonly DeclaredNode[] | undefined;
  /** The isolation of containers. Undefined: not set. */
  readonly runtime: RuntimeChoice | undefined;
  /** The handlers that RuntimeClasses may name, beside `process` and `namespace`. */
  readonly runtimeHandlers: Readonly<Record<string, RuntimeHandler>>;
  /** The limit of Pods that run at a time. Undefined: not set. */
  readonly maxPods: number | undefined;
  /** The number of ended Pods that may stay beside several nodes; 0: any. Undefined: not set. */
  readonly terminatedPodGCThreshold: number | undefined;
  /** True: requests are recorded and not counted. Undefined: not set. */
  readonly overcommit: boolean | undefined;
  /** The limit of processes and threads in a Pod. Undefined: no limit. */
  readonly podPidsLimit: number | undefined;
  /** The thresholds for evictions. Undefined: not set. */
  readonly eviction: EvictionSettings | undefined;
  /** The time between two samples of what Pods use. Undefined: not set. */
  readonly metricsIntervalMs: number | undefined;
  /** The time between two looks of an autoscaler. Undefined: not set. */
  readonly autoscalerPeriodMs: number | undefined;
  /** The network of Pods. Undefined: not set. */
  readonly network: NetworkChoice | undefined;
  /** The ports for Ingresses. Undefined: not set. */
  readonly ingressPort: RequestedIngressPorts | undefined;
  /** The proxy for Services of a cluster. Undefined: not set. */
  readonly proxy: ProxyChoice | undefined;
  /** Places that `apply --watch` follows, as `PATH` or `CONTAINER=PATH`: absolute paths. Undefined: not set. */
  readonly watch: readonly string[] | undefined;
}

/**
 * Reads `podrun.yaml` from the working directory or the nearest folder above it, or the file given with --config.
 * @param options.path the file given with --config, absolute or relative to `cwd`
 * @returns undefined when there is no file and none was given
 * @throws {PodrunError} when the file cannot be read, or has an invalid field
 */
export function readConfigFile(options: { cwd: string; path?: string | undefined }): ConfigFile | undefined {
  const { cwd } = options;
  const path = options.path === undefined ? findUpward(cwd) : resolve(cwd, options.path);
  if (path === undefined) return undefined;
  const name = relative(cwd, path);
  const text = readText(path, name);
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const source = { name, document, lines };
  const [error] = document.errors;
  if (error !== undefined) {
    const startsWithStar = /^\s*\*/.test(text.split('\n')[lines.linePos(error.pos[0]).line - 1] ?? '');
    const hint = startsWithStar ? "A pattern that starts with * must be in quotes: '*'." : undefined;
    throw configError(source, error.pos[0], error.message, hint);
  }
  const root = new ConfigNode(source, document.contents, { path: '', keyOffset: 0 });
  return { path, ...readRoot(root, dirname(path)) };
}

function findUpward(folder: string): string | undefined {
  const path = join(folder, CONFIG_FILE_NAME);
  if (existsSync(path)) return path;
  const parent = dirname(folder);
  return parent === folder ? undefined : findUpward(parent);
}

const READ_PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EISDIR: 'it is a folder',
  EACCES: 'permission denied',
};

/** A larger file is not a podrun.yaml. */
const CONFIG_MAX_BYTES = 2 ** 20;

function readText(path: string, name: string): string {
  try {
    return readUpTo(path, CONFIG_MAX_BYTES).toString('utf8');
  } catch (error) {
    const code = isNativeError(error) && 'code' in error ? String(error.code) : '';
    const problem = READ_PROBLEMS[code] ?? errorMessage(error);
    throw new PodrunError('Usage', `cannot read config file ${name}: ${problem}`, { path: name, cause: error });
  }
}

function readRoot(root: ConfigNode, folder: string): Omit<ConfigFile, 'path'> {
  const fields = root.kind === 'nothing' ? {} : root.fields(FIELDS);
  const {
    images,
    imageSource,
    ingressPort,
    maxPods,
    network,
    node,
    podPidsLimit,
    proxy,
    runtime,
    runtimeHandlers,
    watch,
  } = fields;
  const { labels, taints } = node?.fields(['labels', 'taints']) ?? {};
  return {
    images: images?.entries().map(([pattern, value]) => readMapping(pattern, value, folder)) ?? [],
    imageSource: imageSource && readChoice(imageSource, SOURCE_CHOICES),
    imageSettings: readImageSettings(fields, folder),
    nodeLabels: Object.fromEntries(labels?.entries().map(([key, value]) => readLabel(key, value)) ?? []),
    nodeTaints: taints?.texts().map((text) => readTaint(text, taints)) ?? [],
    nodes: fields.nodes && readNodes(fields.nodes),
    runtime: runtime && readChoice(runtime, RUNTIME_CHOICES),
    runtimeHandlers: Object.fromEntries(
      runtimeHandlers?.entries().map(([key, value]) => readHandler(key, value)) ?? [],
    ),
    maxPods: maxPods && (readCount(maxPods) ?? maxPods.fail('must be a whole number above 0')),
    terminatedPodGCThreshold: fields.terminatedPodGCThreshold && readThreshold(fields.terminatedPodGCThreshold),
    overcommit: fields.overcommit && readFlag(fields.overcommit),
    podPidsLimit: podPidsLimit === undefined ? undefined : readPidsLimit(podPidsLimit),
    eviction: readEviction(fields),
    metricsIntervalMs: fields.metricsInterval && readInterval(fields.metricsInterval),
    autoscalerPeriodMs: fields.autoscalerPeriod && readInterval(fields.autoscalerPeriod),
    network: network && readChoice(network, NETWORK_CHOICES),
    proxy: proxy && readChoice(proxy, PROXY_CHOICES),
    watch: watch?.texts().map((text) => {
      const start = text.lastIndexOf('=') + 1;
      return `${text.slice(0, start)}${resolve(folder, text.slice(start))}`;
    }),
    ingressPort:
      ingressPort && (parseIngressPorts(ingressPort.text()) ?? ingressPort.fail('must be two ports: HTTP,HTTPS')),
  };
}

function readThreshold(node: ConfigNode): number {
  return node.text() === '0' ? 0 : (readCount(node) ?? node.fail('must be a whole number, or 0 for any number'));
}

function readChoice<T extends string>(node: ConfigNode, choices: readonly T[]): T {
  const text = node.text();
  return choices.find((choice) => choice === text) ?? node.fail(`must be one of ${choices.join(', ')}`);
}

/** Reads one entry of `images`: a command as text or list, or a map. */
function readMapping(pattern: string, value: ConfigNode, folder: string): ImageMapping {
  if (!isImagePattern(pattern)) value.failAtKey('the key is no image name or pattern, such as nginx or ghcr.io/acme/*');
  if (value.kind === 'text' || value.kind === 'list') {
    return { pattern, command: readWords(value), args: undefined, env: {}, workingDir: undefined, folder: undefined };
  }
  const allowed = ['command', 'args', 'env', 'workingDir', 'folder', 'pull'] as const;
  if (value.kind === 'nothing') value.fail(`must be a command, or a map with ${allowed.join(', ')}`);
  const fields = value.fields(allowed);
  const { command, args, env, workingDir } = fields;
  return {
    pattern,
    command: command === undefined ? undefined : readWords(command),
    args: args === undefined ? undefined : readWords(args),
    env: Object.fromEntries(env?.entries().map(([name, text]) => readVariable(name, text)) ?? []),
    workingDir: workingDir === undefined ? undefined : resolve(folder, workingDir.text()),
    folder: fields.folder === undefined ? undefined : resolve(folder, fields.folder.text()),
    ...(fields.pull === undefined ? {} : { pull: readFlag(fields.pull) }),
  };
}

function readWords(node: ConfigNode): string[] {
  const words = node.kind === 'list' ? node.texts() : splitText(node);
  if (words.length === 0) node.fail('must have at least one word');
  return words;
}

function splitText(node: ConfigNode): string[] {
  if (node.kind !== 'text') return node.fail('must be a list of words, or a text that is split into words');
  const outcome = splitWords(node.text());
  return outcome.ok ? outcome.words : node.fail(outcome.problem);
}

function readVariable(name: string, value: ConfigNode): [string, string] {
  const [problem] = envNameMessages(name);
  if (problem !== undefined) value.failAtKey(problem);
  return [name, value.text()];
}

function readHandler(name: string, value: ConfigNode): [string, RuntimeHandler] {
  const [problem] = labelMessages(name);
  if (problem !== undefined) value.failAtKey(problem);
  if (BUILT_IN_HANDLERS.some((type) => type === name)) value.failAtKey('podrun has a handler of this name');
  const { type, images, network, path } = value.fields(['type', 'images', 'network', 'path']);
  if (type === undefined) return value.fail('must have a type');
  const chosen = readChoice(type, HANDLER_TYPES);
  const source = images && readChoice(images, SOURCE_CHOICES);
  const net = network && readChoice(network, HANDLER_NETWORKS);
  const runtime = chosen === 'oci' ? readRuntimePath(name, path, value) : path?.fail('goes with type oci only');
  return [
    name,
    {
      type: chosen,
      ...(source && { images: source }),
      ...(net && { network: net }),
      ...(runtime !== undefined && { path: runtime }),
    },
  ];
}

/** The program of an OCI runtime. Runtimes that podrun knows are found along PATH. */
function readRuntimePath(name: string, path: ConfigNode | undefined, handler: ConfigNode): string {
  const file = path?.text();
  if (file !== undefined) return isAbsolute(file) ? file : (path?.fail('must be an absolute path') ?? file);
  return OCI_RUNTIMES.find((runtime) => runtime === name) ?? handler.fail('must have the path of its program');
}

/** Reads the limit as the configuration of a kubelet does, where -1 stands for none. */
function readPidsLimit(node: ConfigNode): number | undefined {
  if (node.text() === '-1') return undefined;
  return readCount(node) ?? node.fail('must be a whole number above 0, or -1 for none');
}

/** Reads the time between two looks, in milliseconds. */
function readInterval(node: ConfigNode): number {
  const ms = quietly(() => parseDuration(node.text())) ?? 0;
  return ms >= INTERVAL_LEAST_MS ? ms : node.fail('must be a time of at least 1s, such as 15s');
}
