import type { Command, Option } from 'commander';

/** What stands on a command line before the word that is being typed, as far as that can be told. */
export interface CommandLine {
  /** Undefined: none is named yet. */
  readonly command: Command | undefined;
  /** What stands behind the command and is no flag. */
  readonly operands: readonly string[];
  /** Values of flags by the long name of the flag, without dashes; a switch has an empty one. */
  readonly values: ReadonlyMap<string, string>;
  /** The flag whose value comes next. */
  readonly expecting: Option | undefined;
  /** A `--` was there: what follows is somebody else's. */
  readonly isOver: boolean;
}

/** Reads what is whole already. What cannot be is passed over: nobody is told of mistakes while typing. */
export function readCommandLine(program: Command, words: readonly string[]): CommandLine {
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
    } else if (command === undefined) {
      command = program.commands.find((one) => one.name() === word);
      if (command === undefined) operands.push(word);
    } else {
      operands.push(word);
    }
  }
  return { command, operands, values, expecting, isOver: false };
}

/** All flags that can be written there, those of every command among them. */
export function optionsOf(program: Command, command: Command | undefined): readonly Option[] {
  return [...(command?.options ?? []), ...program.options];
}

/** Flags may stand before the command that they belong to. */
function everyOption(program: Command): readonly Option[] {
  return [program, ...program.commands].flatMap(({ options }) => options);
}

/** The flag that is written as a long name or as one letter. */
export function optionNamed(options: readonly Option[], flag: string): Option | undefined {
  return options.find(({ long, short }) => long === flag || short === flag);
}

/** `output`, of `-o, --output <format>`. */
export function longName({ long, short }: Option): string {
  return (long ?? short ?? '').replace(/^-+/, '');
}

/** Notes one word of flags; answers the flag whose value is the next word. */
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

/** `-it`, `-n`, `-ntest`, `-n=test`. */
function readLetters(options: readonly Option[], letters: string, values: Map<string, string>): Option | undefined {
  const option = optionNamed(options, `-${letters.slice(0, 1)}`);
  if (option === undefined) return undefined;
  const rest = letters.slice(1);
  if (option.required && rest === '') return option;
  values.set(longName(option), option.required ? rest.replace(/^=/, '') : '');
  return option.required || rest === '' ? undefined : readLetters(options, rest, values);
}
