import type { Argument, Command, Option } from 'commander';
import { everyResourceType, resourceTypeNamed } from '../../api/index.ts';
import { longName, optionNamed, optionsOf, readTypedWords } from './typed-words.ts';
import { flagValues } from './flag-values.ts';
import {
  type Candidate,
  type Completions,
  type Names,
  requestedNamespace,
  type CompletionRequest,
  plainCandidates,
  namesOfType,
  podNameIn,
  typedNames,
  typesWithSlash,
} from './completion-request.ts';

/**
 * The completions of the last word of a command line. They follow from the definitions of the commands: flags with
 * their choices, and names of arguments.
 * @param words the words behind `podrun`; the last one may be empty
 * @param names of a state folder; undefined is the default one
 */
export function choicesFor(
  program: Command,
  words: readonly string[],
  names: (stateDir: string | undefined) => Names,
): Completions {
  const current = words.at(-1) ?? '';
  const line = readTypedWords(program, words.slice(0, -1));
  const request: CompletionRequest = { ...line, current, names: names(line.values.get('state-dir')) };
  if (line.isOver) return 'files';
  if (line.expecting !== undefined) return startingWith(current, optionValues(line.expecting, request));
  const written = flagWithValue(program, request);
  if (written !== undefined) {
    const { prefix, option } = written;
    const inner = { ...request, current: current.slice(prefix.length) };
    return startingWith(current, prefixed(prefix, optionValues(option, inner)));
  }
  if (current.startsWith('-') && current !== '-') return startingWith(current, flagsOf(program, request));
  if (line.command === undefined) return startingWith(current, commandsOf(program, line.operands));
  if (line.command.commands.length > 0) return startingWith(current, commandsOf(line.command, line.operands));
  const operands = startingWith(current, operandValues(line.command, request));
  return current === '-' && Array.isArray(operands) ? [...operands, ...flagsOf(program, request)] : operands;
}

/** Formats that take a template. */
const TEMPLATES = /^(custom-columns|go-template|jsonpath)/;

/** Splits `--output=ya` and `-oya` into the option and the text before its value. */
function flagWithValue(
  program: Command,
  { command, current }: CompletionRequest,
): { prefix: string; option: Option } | undefined {
  const options = optionsOf(program, command);
  const [prefix = '', name = ''] = /^(--[a-z0-9-]+)=/.exec(current) ?? /^(-[A-Za-z])=?(?=.)/.exec(current) ?? [];
  const option = optionNamed(options, name);
  return option === undefined || !(option.required || option.optional) ? undefined : { prefix, option };
}

function optionValues(option: Option, request: CompletionRequest): Completions {
  const { argChoices, flags } = option;
  if (argChoices !== undefined)
    return argChoices.map((value) => ({ value: TEMPLATES.test(value) ? `${value}=` : value }));
  const known = flagValues(longName(option), request);
  if (known !== undefined) return known;
  if (flags.includes('<file>')) return 'files';
  return /<(folder|dir|directory)>/.test(flags) ? 'folders' : [];
}

/** Flags that are not on the command line yet, and flags that may be repeated. */
function flagsOf(program: Command, { command, values }: CompletionRequest): Candidate[] {
  const isOpen = (option: Option): boolean => option.parseArg !== undefined || !values.has(longName(option));
  const open = optionsOf(program, command).filter((option) => !option.hidden && isOpen(option));
  const ofCommand = open.filter(({ long, required }) => command === undefined || long !== '--version' || required);
  const flags = ofCommand.map((option) => ({ value: option.long ?? option.short ?? '', note: option.description }));
  return [
    ...new Map([...flags, { value: '--help', note: 'print this help' }].map((flag) => [flag.value, flag])).values(),
  ];
}

/** @param group the program, or a command with commands of its own */
function commandsOf(group: Command, operands: readonly string[]): Candidate[] {
  if (operands.length > 0 && operands[0] !== 'help') return [];
  const visible = group.createHelp().visibleCommands(group);
  const all = visible.map((command) => ({ value: command.name(), note: command.summary() || command.description() }));
  return operands.length === 0 ? all : all.filter(({ value }) => value !== 'help');
}

function operandValues(command: Command, request: CompletionRequest): Completions {
  const all = command.registeredArguments;
  const index = Math.min(request.operands.length, all.length - 1);
  const argument = all[index];
  if (argument === undefined || (request.operands.length >= all.length && !argument.variadic)) return [];
  return argumentValues(argument, command, request);
}

/** The values of an argument, chosen by its name in the definition of the command. */
function argumentValues(argument: Argument, command: Command, request: CompletionRequest): Completions {
  const { names, operands } = request;
  const namespace = requestedNamespace(request);
  if (argument.argChoices !== undefined) return argument.argChoices.map((value) => ({ value }));
  const name = argument.name();
  if (/^(file|manifest)s?$/.test(name)) return 'files';
  if (/^(folder|dir)$/.test(name)) return 'folders';
  if (/^runs?(-|$)/.test(name)) return fresh(names.runs(namespace), operands);
  if (name === 'container') return plainCandidates(names.containers(namespace, podNameIn(operands)));
  if (name === 'resource') return resourceValues(request);
  if (name === 'resource-or-pod') {
    const pods = operands.length === 0 ? plainCandidates(names.objects('pods', namespace)) : [];
    return [...pods, ...resourceValues(request)];
  }
  if (name === 'type') return plainCandidates(['pod', 'node']);
  if (name === 'pod-and-ports' && operands.length > 0) return portValues(request);
  if (name === 'source-and-target') return copyOperands(request);
  if (name.startsWith('pod')) return podValues(request, argument.variadic && name === 'pod');
  if (name === 'name') return fresh(names.objects('pods', namespace), operands);
  return name === 'command' && command.parent !== null ? commandsOf(command.parent, []) : [];
}

/** Names of Pods. Behind a slash, names of the type before the slash. */
function podValues(request: CompletionRequest, takesSeveral: boolean): Completions {
  const { names, operands, current } = request;
  if (current.includes('/')) return resourceValues(request);
  if (operands.length > 0 && !takesSeveral) return [];
  return fresh(names.objects('pods', requestedNamespace(request)), operands);
}

/** Types, `TYPE/NAME`, or names of the first type on the command line. */
function resourceValues(request: CompletionRequest): Candidate[] {
  const { operands, current } = request;
  const typed = typedNames(request);
  if (typed !== undefined) return fresh(typed, operands);
  const [first] = operands;
  if (first === undefined) return typeValues(current);
  // Behind TYPE/NAME, kubectl accepts only further words of that form.
  if (first.includes('/')) return typesWithSlash();
  const types = first.split(',').flatMap((word) => resourceTypeNamed(word) ?? []);
  return fresh(
    types.flatMap((type) => namesOfType(type, request)),
    operands,
  );
}

/** Types: `pods`, and behind a comma `pods,events`. */
function typeValues(current: string): Candidate[] {
  const before = current.slice(0, current.lastIndexOf(',') + 1);
  return everyResourceType().map(({ plural, kind }) => ({ value: before + plural, note: kind }));
}

/** LOCAL:REMOTE, with the ports of the Pod. */
function portValues(request: CompletionRequest): Candidate[] {
  const before = request.current.slice(0, request.current.lastIndexOf(':') + 1);
  const ports = request.names.ports(requestedNamespace(request), podNameIn(request.operands));
  return ports.map(({ port, note }) => ({ value: `${before}${port}`, note }));
}

/** Names of Pods with a colon, or files: the word may be either. A word that looks like a path is a file. */
function copyOperands(request: CompletionRequest): Completions {
  const { names, current } = request;
  if (/^[./~]/.test(current)) return 'files';
  const pods = names.objects('pods', requestedNamespace(request)).filter((pod) => `${pod}:`.startsWith(current));
  return pods.length === 0 || current.includes(':') ? 'files' : pods.map((pod) => ({ value: `${pod}:` }));
}

/** The values that are not on the command line yet. */
function fresh(values: readonly string[], used: readonly string[]): Candidate[] {
  return plainCandidates(values.filter((value) => !used.includes(value)));
}

function prefixed(prefix: string, choice: Completions): Completions {
  if (typeof choice === 'string') return choice;
  return choice.map(({ value, note }) => ({ value: prefix + value, note }));
}

function startingWith(current: string, choice: Completions): Completions {
  if (typeof choice === 'string') return choice;
  return choice.filter(({ value }) => value.startsWith(current));
}
