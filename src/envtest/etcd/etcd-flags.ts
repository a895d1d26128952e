import { usage } from '../../api/index.ts';

/** The flags of etcd that matter here: its storage needs no tuning. */
export interface EtcdFlags {
  /** The address to listen at. */
  readonly url: URL;
  readonly dataDir: string;
}

/** @throws {PodrunError} (usage) for an address that is no URL of http */
export function readEtcdFlags(argv: readonly string[]): EtcdFlags {
  const valueOf = (name: string): string | undefined => {
    const at = argv.findLastIndex((word) => word === `--${name}` || word.startsWith(`--${name}=`));
    const word = argv[at];
    return word?.includes('=') === true ? word.slice(word.indexOf('=') + 1) : word && argv[at + 1];
  };
  const [text = ''] = (valueOf('listen-client-urls') ?? 'http://127.0.0.1:2379').split(',');
  if (!URL.canParse(text) || !text.startsWith('http://'))
    throw usage(`--listen-client-urls=${text} is no URL of http`, 'podrun stands for an etcd without TLS.');
  return { url: new URL(text), dataDir: valueOf('data-dir') ?? 'default.etcd' };
}
