import { SettingsService } from '../../../src/settings/settings.service.js';
import {
  CLIENT_ID,
  CLIENT_SECRET,
  type IdentityProvider,
  startIdentityProvider,
} from '../../auth/support/identity-provider.js';
import { MemberRoost } from '../../auth/support/member-roost.js';

const NOTES = {
  id: 'pbc_notes_00001',
  name: 'notes',
  type: 'base',
  listRule: '',
  viewRule: '',
  createRule: '',
  updateRule: '',
  deleteRule: '',
  fields: [
    { name: 'title', type: 'text' },
    { name: 'paper', type: 'file', maxSelect: 1, thumbs: ['15x10'] },
    { name: 'secret', type: 'file', maxSelect: 1, protected: true },
    { name: 'created', type: 'autodate', onCreate: true },
  ],
};

/**
 * A Roost that listens and has something for every method of the SDK: notes with files, a member `ann@x.io`, all ways
 * to sign in, an identity provider with the account `idp@x.io`, and batches.
 */
export class SdkRoost {
  private constructor(
    readonly origin: string,
    readonly members: MemberRoost,
    readonly idp: IdentityProvider,
  ) {}

  static async start(): Promise<SdkRoost> {
    const members = await MemberRoost.start({ otp: { enabled: true, duration: 180, length: 8 } });
    const origin = await members.roost.listen();
    const redirectURL = `${origin}/api/oauth2-redirect`;
    const idp = await startIdentityProvider({ redirectURL, claims: { email: 'idp@x.io' } });
    const provider = {
      name: 'oidc',
      clientId: CLIENT_ID,
      clientSecret: CLIENT_SECRET,
      authURL: `${idp.url}/auth`,
      tokenURL: `${idp.url}/token`,
      userInfoURL: `${idp.url}/me`,
    };
    await members.configure({ oauth2: { enabled: true, providers: [provider], mappedFields: { name: 'name' } } });
    await members.roost.createCollections(NOTES);
    await members.roost.app
      .get(SettingsService, { strict: false })
      .patch({ batch: { enabled: true }, rateLimits: { enabled: false } });
    await members.addMember('ann@x.io');
    return new SdkRoost(origin, members, idp);
  }

  async close(): Promise<void> {
    await this.members.close();
    await this.idp.close();
  }
}
