import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { Inject, Injectable } from '@nestjs/common';
import { ROOST_CONFIG, type RoostConfig } from '../config/roost-config.js';
import { StartError } from '../config/start.error.js';
import { INSTANCE_LINK, type InstanceLink } from '../instances/instance-link.js';
import { StorageService } from '../storage/storage.service.js';

const QUESTION = 'configuration';

/** What an instance tells others about its configuration. */
interface Described {
  /** By flag or variable; secrets as hashes. */
  readonly options: Readonly<Record<string, string>>;
  /** Where its files are, and whether that is the same for all. */
  readonly place: string;
  readonly sharesFiles: boolean;
}

/** Checks whether this instance fits those that serve already: options that change answers must be equal (SCALE-26). */
@Injectable()
export class PeerCheck {
  constructor(
    @Inject(ROOST_CONFIG) private readonly config: RoostConfig,
    @Inject(INSTANCE_LINK) private readonly link: InstanceLink,
    private readonly storage: StorageService,
  ) {
    link.onQuestion(QUESTION, () => this.describe());
  }

  /** Whether others serve already. Throws a StartError that names what differs, or files that others could not read. */
  async requireEqual(): Promise<boolean> {
    const others = (await this.link.askOthers(QUESTION, null)) as readonly Described[];
    const own = this.describe();
    for (const { options, place, sharesFiles } of others) {
      // An older version may not send every option, so only common ones are compared.
      const known = Object.keys(own.options).filter((name) => name in options);
      const different = known.filter((name) => options[name] !== own.options[name]);
      if (different.length > 0) {
        const verb = different.length > 1 ? 'differ' : 'differs';
        throw new StartError(`${different.join(', ')} ${verb} from what the other instances were started with.`);
      }
      if (place !== own.place && !(sharesFiles && own.sharesFiles)) {
        throw new StartError(
          'Files of records are in a directory of one machine, where other instances cannot read them. Keep them in a ' +
            'bucket (settings, S3), or name a directory that all instances see with --sharedStorage.',
        );
      }
    }
    return others.length > 0;
  }

  private describe(): Described {
    const { dir, encryptionKey, origins, realtimeIpCheck, sqlConsole, idTokenLeeway, sharedStorage } = this.config;
    return {
      options: {
        '--encryptionEnv': encryptionKey === null ? '' : createHash('sha256').update(encryptionKey).digest('hex'),
        '--origins': origins.join(','),
        ROOST_REALTIME_IP_CHECK: String(realtimeIpCheck),
        ROOST_SQL_CONSOLE: String(sqlConsole),
        ROOST_ID_TOKEN_LEEWAY: String(idTokenLeeway),
      },
      place: `${hostname()}:${dir}`,
      sharesFiles: sharedStorage || this.storage.isS3,
    };
  }
}
