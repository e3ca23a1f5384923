import type { OAuth2Provider } from './oauth2-provider.js';
import { apple } from './providers/apple.js';
import { bitbucket } from './providers/bitbucket.js';
import { box } from './providers/box.js';
import { discord } from './providers/discord.js';
import { facebook } from './providers/facebook.js';
import { gitea } from './providers/gitea.js';
import { gitee } from './providers/gitee.js';
import { github } from './providers/github.js';
import { gitlab } from './providers/gitlab.js';
import { google } from './providers/google.js';
import { instagram2 } from './providers/instagram2.js';
import { kakao } from './providers/kakao.js';
import { lark } from './providers/lark.js';
import { linear } from './providers/linear.js';
import { livechat } from './providers/livechat.js';
import { mailcow } from './providers/mailcow.js';
import { microsoft } from './providers/microsoft.js';
import { monday } from './providers/monday.js';
import { notion } from './providers/notion.js';
import { oidc, oidc2, oidc3 } from './providers/oidc.js';
import { patreon } from './providers/patreon.js';
import { planningcenter } from './providers/planningcenter.js';
import { spotify } from './providers/spotify.js';
import { strava } from './providers/strava.js';
import { trakt } from './providers/trakt.js';
import { twitch } from './providers/twitch.js';
import { twitter } from './providers/twitter.js';
import { vk } from './providers/vk.js';
import { wakatime } from './providers/wakatime.js';
import { yandex } from './providers/yandex.js';

/** The OAuth2 providers that come with Roost: one line each. */
export const SHIPPED_PROVIDERS: readonly OAuth2Provider[] = [
  apple,
  google,
  microsoft,
  yandex,
  facebook,
  instagram2,
  github,
  gitlab,
  bitbucket,
  gitee,
  gitea,
  discord,
  twitter,
  kakao,
  vk,
  linear,
  notion,
  monday,
  lark,
  box,
  spotify,
  trakt,
  twitch,
  patreon,
  strava,
  wakatime,
  livechat,
  mailcow,
  planningcenter,
  oidc,
  oidc2,
  oidc3,
];
