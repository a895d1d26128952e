import { type Environment, Optional } from '@marcbachmann/cel-js';
import {
  dns1035Messages,
  labelMessages,
  labelValueMessages,
  qualifiedNameMessages,
  subdomainMessages,
} from '../../../api/index.ts';
import { hasFormat } from '../values/formats.ts';

/** Finds what is wrong with a text. */
class CelFormat {
  readonly mistakes: (text: string) => readonly string[];

  constructor(mistakes: (text: string) => readonly string[]) {
    this.mistakes = mistakes;
  }
}

/** The variable `format`. */
class CelFormats {
  readonly name = 'format';
}

const asPrefix = (check: (text: string) => readonly string[]) => (text: string) =>
  check(text.endsWith('-') ? `${text.slice(0, -1)}a` : text);
const ofSchema = (name: string) => (text: string) => (hasFormat(name, text) ? [] : [`invalid ${name}`]);

/** Source: apiserver/pkg/cel/library/format.go. */
const FORMATS: Readonly<Record<string, (text: string) => readonly string[]>> = {
  dns1123Label: labelMessages,
  dns1123Subdomain: subdomainMessages,
  dns1035Label: dns1035Messages,
  qualifiedName: qualifiedNameMessages,
  dns1123LabelPrefix: asPrefix(labelMessages),
  dns1123SubdomainPrefix: asPrefix(subdomainMessages),
  dns1035LabelPrefix: asPrefix(dns1035Messages),
  labelValue: labelValueMessages,
  uri: ofSchema('uri'),
  uuid: ofSchema('uuid'),
  byte: ofSchema('byte'),
  date: ofSchema('date'),
  datetime: ofSchema('datetime'),
};

/** Adds `format.dns1123Label().validate(text)` and the like: an optional list of mistakes. */
export function addFormatLibrary(environment: Environment): void {
  environment
    .registerType('kubernetes.NamedFormat', { ctor: CelFormat, fields: {} })
    .registerType('kubernetes.Formats', { ctor: CelFormats, fields: {} })
    .registerConstant('format', 'kubernetes.Formats', new CelFormats())
    .registerFunction('kubernetes.Formats.named(string): dyn', (_: CelFormats, name: string) => {
      return Object.hasOwn(FORMATS, name) ? Optional.of(new CelFormat(FORMATS[name]!)) : Optional.none();
    })
    .registerFunction('kubernetes.NamedFormat.validate(string): dyn', ({ mistakes }: CelFormat, text: string) => {
      const problems = mistakes(text);
      return problems.length > 0 ? Optional.of(problems) : Optional.none();
    });
  for (const [name, mistakes] of Object.entries(FORMATS)) {
    const format = new CelFormat(mistakes);
    environment.registerFunction(`kubernetes.Formats.${name}(): kubernetes.NamedFormat`, () => format);
  }
}
