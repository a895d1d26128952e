import type { Command, Option } from 'commander';
import { commandsBelow } from '../base/called-command.ts';

/** The words before the word that is being typed, parsed as far as possible. */
export interface TypedWords {
  /** Undefined while no command is named. */
  readonly command: Command | undefined;
  /** The words behind the command that are no flags. */
  readonly operands: readonly string[];
  /** Values of flags, by the long name without dashes. A switch has the value ''. */
  readonly values: ReadonlyMap<string, string>;
  /** The flag whose value comes next. */
  readonly expecting: Option | undefined;
  /** True behind `--`: the words belong to another program. */
  readonly isOver: boolean;
}

/** Parses complete words. Skips mistakes, because the user is still typing. */
export function readTypedWords(program: Command, words: readonly string[]): TypedWords {
  const operands: string[] = [];
  const values = new Map<string, string>();
  let command: Command | undefined;
  let expecting: Option | undefined;
  for (const [index, word] of words.entries()) {
    if (expecting !== undefined) {
      values.set(longName(expecting), word);
      expecting = undefined;
    } else if (word === '--') {
      return {
        command,
        operands: [...operands, ...words.slice(index + 1)],
        values,
        expecting: undefined,
        isOver: true,
      };
    } else if (word.startsWith('-') && word !== '-') {
      expecting = readFlag(command === undefined ? everyOption(program) : optionsOf(program, command), word, values);
    } else {
      const inner: Command | undefined = (command ?? program).commands.find((candidate) => candidate.name() === word);
      if (inner === undefined) operands.push(word);
      else command = inner;
    }
  }
  return { command, operands, values, expecting, isOver: false };
}

/** The flags of the command and of the program. */
export function optionsOf(program: Command, command: Command | undefined): readonly Option[] {
  return [...(command?.options ?? []), ...program.options];
}

/** The flags of all commands: they may stand before the name of their command. */
function everyOption(program: Command): readonly Option[] {
  return [program, ...commandsBelow(program)].flatMap(({ options }) => options);
}

/** The option with this long name or letter. */
export function optionNamed(options: readonly Option[], flag: string): Option | undefined {
  return options.find(({ long, short }) => long === flag || short === flag);
}

/** The name of an option without dashes: `output` for `-o, --output <format>`. */
export function longName({ long, short }: Option): string {
  return (long ?? short ?? '').replace(/^-+/, '');
}

/** Stores the flags of one word. Returns the flag whose value is the next word. */
function readFlag(options: readonly Option[], word: string, values: Map<string, string>): Option | undefined {
  if (word.startsWith('--')) {
    const [name = '', ...rest] = word.split('=');
    const option = optionNamed(options, name);
    if (option === undefined) return undefined;
    if (rest.length === 0 && option.required) return option;
    values.set(longName(option), rest.join('='));
    return undefined;
  }
  return readLetters(options, word.slice(1), values);
}

/** Reads one-letter flags: `-it`, `-n`, `-ntest`, `-n=test`. */
function readLetters(options: readonly Option[], letters: string, values: Map<string, string>): Option | undefined {
  const option = optionNamed(options, `-${letters.slice(0, 1)}`);
  if (option === undefined) return undefined;
  const rest = letters.slice(1);
  if (option.required && rest === '') return option;
  values.set(longName(option), option.required ? rest.replace(/^=/, '') : '');
  return option.required || rest === '' ? undefined : readLetters(options, rest, values);
}
