import type PocketBase from 'pocketbase';

const MEMBERS = 'shop_members';
const POSTS = 'shop_posts';

/** Collections with a field of every type, related to each other. */
const COLLECTIONS = [
  {
    id: MEMBERS,
    name: 'members',
    type: 'auth',
    listRule: '',
    viewRule: '',
    fields: [
      { name: 'name', type: 'text', presentable: true },
      { name: 'avatar', type: 'file', maxSelect: 1, thumbs: ['100x100'] },
    ],
  },
  {
    id: POSTS,
    name: 'posts',
    type: 'base',
    listRule: '',
    viewRule: '',
    createRule: "@request.auth.id != ''",
    fields: [
      { name: 'title', type: 'text', required: true, presentable: true, help: 'What readers see first.' },
      { name: 'body', type: 'editor' },
      { name: 'views', type: 'number', min: 0 },
      { name: 'active', type: 'bool' },
      { name: 'contact', type: 'email' },
      { name: 'website', type: 'url' },
      { name: 'published', type: 'date' },
      { name: 'tags', type: 'select', values: ['news', 'release', 'howto'], maxSelect: 3 },
      { name: 'meta', type: 'json' },
      { name: 'files', type: 'file', maxSelect: 3, thumbs: ['100x100'] },
      { name: 'author', type: 'relation', collectionId: MEMBERS, maxSelect: 1 },
      { name: 'readers', type: 'relation', collectionId: MEMBERS, maxSelect: 5 },
      { name: 'place', type: 'geoPoint' },
      { name: 'internal', type: 'text', hidden: true },
    ],
    indexes: ['CREATE INDEX `idx_posts_views` ON `posts` (`views`)'],
  },
];

const VIEW = {
  id: 'shop_stats',
  name: 'post_stats',
  type: 'view',
  listRule: '',
  viewRule: null,
  viewQuery: 'SELECT id, title, views FROM posts',
};

/** A document of one empty page. */
export const PDF = Buffer.from(
  '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n' +
    '3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n',
);

/** A picture of 24 × 24 green points. */
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAABgAAAAYCAIAAABvFaqvAAAAH0lEQVR42mOQz4+hCmIYNWjUoFGDRg0aNWjUoFGDKEUAHk1nAQ0M/YwAAAAASUVORK5CYII=',
  'base64',
);

export interface Shop {
  readonly members: { id: string; name: string }[];
  readonly posts: { id: string; title: string }[];
}

export interface ShopOptions {
  readonly posts?: number;
  readonly view?: boolean;
}

/** Fills a server with members and posts: long texts, texts from right to left, texts that look like HTML. */
export async function fillShop(api: PocketBase, { posts = 60, view = true }: ShopOptions = {}): Promise<Shop> {
  for (const collection of COLLECTIONS) await api.collections.create(collection);
  if (view) await api.collections.create(VIEW);
  const names = ['Ada Lovelace', 'Grace Hopper', 'محمد علي', 'Søren Kierkegaard', 'Emmy Noether'];
  const members: Shop['members'] = [];
  for (const [index, name] of names.entries()) {
    const made = await api.collection('members').create({
      email: `member${index}@example.com`,
      password: 'member-password',
      passwordConfirm: 'member-password',
      name,
      verified: index % 2 === 0,
    });
    members.push({ id: made.id, name });
  }
  const titles = [
    'Building a nest in spring',
    'مرحبا بالعالم، هذا نص طويل من اليمين إلى اليسار',
    `A very long title ${'that goes on and on '.repeat(12)}`,
    'Release notes for version 4',
    '<script>window.hacked = 1</script> & <b>bold</b>',
    'How to keep a perch dry',
  ];
  const made: Shop['posts'] = [];
  for (let index = 0; index < posts; index += 1) {
    const post = await api.collection('posts').create({
      title: `${titles[index % titles.length]} ${index + 1}`,
      body: `<p>Some <strong>rich</strong> text ${index + 1}</p>`,
      views: (index * 37) % 1000,
      active: index % 3 === 0,
      contact: index % 4 ? '' : 'someone@example.com',
      website: index % 2 ? `https://example.com/${index}` : '',
      published: index % 5 ? new Date(Date.UTC(2026, index % 12, 1 + (index % 27), 10)).toISOString() : '',
      tags: ['news', 'release', 'howto'].slice(0, index % 4),
      meta: index % 4 ? null : { index, list: [1, 2, 3] },
      author: members[index % members.length]!.id,
      readers: members.slice(0, index % 4).map((member) => member.id),
      place: index % 6 ? { lon: 0, lat: 0 } : { lon: 16.37, lat: 48.21 },
      internal: 'hidden away',
    });
    made.push({ id: post.id, title: String(post.title) });
  }
  return { members, posts: made };
}
