import { Inject, Injectable } from '@nestjs/common';
import { ROOST_CONFIG, type RoostConfig } from '../config/roost-config.js';
import { StartError } from '../config/start.error.js';
import { isJsonObject } from '../kernel/json-object.js';
import { decryptText, encryptText } from '../kernel/text-cipher.js';

type Options = Readonly<Record<string, unknown>>;
type Change = (secret: string) => string;

/** Marks a secret that is stored encrypted; what is stored without it is plain. */
const ENCRYPTED = 'encrypted:';

/** Keeps the secrets of tokens and OAuth2 clients as the settings are kept: encrypted when the process has a key. */
@Injectable()
export class CollectionSecrets {
  constructor(@Inject(ROOST_CONFIG) private readonly config: RoostConfig) {}

  /** Whether this process stores them encrypted. */
  get areEncrypted(): boolean {
    return this.config.encryptionKey !== null;
  }

  /** True when a secret of these stored options is not encrypted. */
  arePlain(options: Options): boolean {
    let found = false;
    withSecrets(options, (secret) => {
      found ||= secret !== '' && !secret.startsWith(ENCRYPTED);
      return secret;
    });
    return found;
  }

  /** The options of an auth collection as they are stored. */
  encode(options: Options): Options {
    const key = this.config.encryptionKey;
    if (key === null) return options;
    return withSecrets(options, (secret) => (secret === '' ? secret : ENCRYPTED + encryptText(secret, key)));
  }

  /** The options again. Throws a StartError when there is no key, or another than that they were stored with. */
  decode(options: Options, collection: string): Options {
    return withSecrets(options, (secret) => (secret.startsWith(ENCRYPTED) ? this.decrypt(secret, collection) : secret));
  }

  private decrypt(secret: string, collection: string): string {
    const key = this.config.encryptionKey;
    if (key === null) {
      throw new StartError(
        `The secrets of the collection "${collection}" are encrypted: start with --encryptionEnv and the key they were stored with.`,
      );
    }
    try {
      return decryptText(secret.slice(ENCRYPTED.length), key);
    } catch (error) {
      throw new StartError(
        `The secrets of the collection "${collection}" cannot be decrypted: the key of --encryptionEnv is not the right one.`,
        { cause: error },
      );
    }
  }
}

/** `<type>Token.secret` and `oauth2.providers[].clientSecret`, wherever they are. */
function withSecrets(options: Options, change: Change): Options {
  const entries = Object.entries(options).map(([name, value]) => {
    if (name === 'oauth2') return [name, withClientSecrets(value, change)];
    return [name, withSecret(value, 'secret', change)];
  });
  return Object.fromEntries(entries) as Options;
}

function withClientSecrets(oauth2: unknown, change: Change): unknown {
  const providers = isJsonObject(oauth2) ? oauth2['providers'] : undefined;
  if (!Array.isArray(providers)) return oauth2;
  return { ...(oauth2 as Options), providers: providers.map((each) => withSecret(each, 'clientSecret', change)) };
}

function withSecret(value: unknown, name: string, change: Change): unknown {
  if (!isJsonObject(value)) return value;
  const secret = value[name];
  return typeof secret === 'string' ? { ...value, [name]: change(secret) } : value;
}
