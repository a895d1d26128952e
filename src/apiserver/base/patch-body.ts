import { nodeValue, readDocument, type SourceNode, SourceText } from '../../manifest/index.ts';

/** The body of a patch. A manifest in it is read once, however many ask for it. */
export class PatchBody {
  readonly source: SourceText;
  #read: { readonly root: SourceNode | undefined } | undefined;
  #value: { readonly manifest: unknown } | undefined;

  constructor(bytes: Buffer) {
    this.source = new SourceText(bytes.toString('utf8'), 1);
  }

  /**
   * The manifest of an apply. Undefined: the body is empty.
   * @throws SourceError when it is neither JSON nor YAML
   */
  get root(): SourceNode | undefined {
    this.#read ??= { root: readDocument({ source: this.source })[0] };
    return this.#read.root;
  }

  /**
   * The value of the manifest. It must not be changed.
   * @throws SourceError
   */
  get manifest(): unknown {
    this.#value ??= { manifest: this.root && nodeValue(this.root) };
    return this.#value.manifest;
  }
}
