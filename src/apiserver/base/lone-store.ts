import { FileStore, type FileStoreOptions, type ObjectReader, RecentReads } from '../../store/index.ts';

/** The facts about an API server without controllers and kubelets, such as the one of envtest. */
export interface LoneServer {
  /** True: the admission plugin ServiceAccount is on. */
  readonly admitsAccounts: boolean;
  /** The range of the addresses of Services: a CIDR of IPv4. */
  readonly serviceRange: string;
}

/** The store of such a server: nothing acts upon its objects, they are only stored. */
export class LoneStore extends FileStore {
  readonly lone: LoneServer;
  override readonly recent: LoneReads;

  constructor(options: FileStoreOptions, lone: LoneServer) {
    super(options);
    this.lone = lone;
    this.recent = new LoneReads(this);
  }
}

class LoneReads extends RecentReads {
  readonly lone: LoneServer;

  constructor(store: LoneStore) {
    super(store);
    this.lone = store.lone;
  }
}

/** The server whose store it is. Undefined: controllers act upon the objects. */
export function loneOf(store: ObjectReader): LoneServer | undefined {
  return store instanceof LoneStore || store instanceof LoneReads ? store.lone : undefined;
}
